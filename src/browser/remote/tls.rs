//! TLS to remote browsers.
//!
//! Owns which authorities are trusted: the machine's, or only the one in an endpoint's file. Certificates are always
//! verified; there is no setting that turns this off.

use super::error::RemoteError;
use std::path::Path;
use std::sync::Arc;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// Returns the configuration for one endpoint. `ca`: a PEM file; then no other authority is trusted.
pub(super) fn client(ca: Option<&Path>) -> Result<Arc<ClientConfig>, RemoteError> {
    let mut roots = RootCertStore::empty();
    match ca {
        Some(path) => {
            let failed = |why: String| RemoteError::NoCertificates { path: path.to_owned(), why };
            for certificate in CertificateDer::pem_file_iter(path).map_err(|error| failed(error.to_string()))? {
                let certificate = certificate.map_err(|error| failed(error.to_string()))?;
                roots.add(certificate).map_err(|error| failed(error.to_string()))?;
            }
            if roots.is_empty() {
                return Err(failed("the file contains no certificate".to_owned()));
            }
        }
        None => {
            let found = rustls_native_certs::load_native_certs();
            for error in found.errors {
                tracing::debug!(%error, "some of the machine's certificates can't be read");
            }
            // A store of a machine may hold odd certificates that no server uses.
            roots.add_parsable_certificates(found.certs);
        }
    }
    let provider = Arc::new(ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| RemoteError::BadSetting { endpoint: "TLS".to_owned(), why: error.to_string() })?;
    Ok(Arc::new(config.with_root_certificates(roots).with_no_client_auth()))
}
