//! Faults of an upgrade.
//!
//! Owns the code, the message and the next step of each.

use super::installer::Installer;
use gstack_base::trouble;
use gstack_protocol::VERSION;
use gstack_protocol::fault::{Fault, FaultCode};
use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum UpgradeError {
    #[error("this gstack was built without the address and the key of published releases")]
    NotPublished,
    #[error("{0} can't be used for releases: only https is accepted")]
    Address(String),
    #[error("{name} could not be downloaded: {reason}")]
    Download { name: String, reason: String },
    #[error("the release's signature is not valid: {0}")]
    Signature(String),
    #[error("the release's manifest can't be read: {0}")]
    Manifest(String),
    #[error("the newest release is {offered}, which is older than this gstack ({VERSION})")]
    Older { offered: String },
    #[error("release {version} has no build for {target}")]
    NoTarget { version: String, target: String },
    #[error("{name} does not match the release: {how}")]
    Damaged { name: String, how: String },
    #[error("the downloaded program does not start here: {0}")]
    DoesNotStart(String),
    #[error("this gstack was installed by {0}")]
    Managed(&'static str),
    #[error("{path} can't be replaced: {source}")]
    Place { path: PathBuf, source: io::Error },
    #[error("gstack {version} did not become ready, so {VERSION} is back in place: {reason}")]
    RolledBack { version: String, reason: String },
}

impl From<UpgradeError> for Fault {
    fn from(error: UpgradeError) -> Self {
        use UpgradeError as E;
        let of_place;
        let (code, hint) = match &error {
            E::NotPublished => (FaultCode::NotFound, "Update its checkout with git pull, then run install/setup.sh."),
            E::Address(_) => (FaultCode::UrlRefused, "Unset GSTACK_RELEASE_URL, or set it to an https address."),
            E::Download { .. } => (FaultCode::NotFound, "Nothing was changed. Check the network and try again."),
            E::Signature(_) | E::Damaged { .. } => (
                FaultCode::Denied,
                "Nothing was changed. Try again. If it fails again, report it to gstack's maintainers.",
            ),
            E::Manifest(_) => {
                (FaultCode::Conflict, "Nothing was changed. Install the release by hand: docs/INSTALL.md.")
            }
            E::Older { .. } => {
                (FaultCode::Denied, "Nothing was changed: `gstack upgrade` never installs an older release.")
            }
            E::NoTarget { .. } => (FaultCode::NotFound, "Nothing was changed. Build it from source: install/setup.sh."),
            E::DoesNotStart(_) => (FaultCode::Conflict, "Nothing was changed. Build it from source: install/setup.sh."),
            E::Managed(_) => (FaultCode::Conflict, "Update it the same way."),
            E::Place { path, source } => {
                of_place = trouble::hint_outside_home(path.parent().unwrap_or(path), source);
                (FaultCode::Storage, of_place.as_str())
            }
            E::RolledBack { .. } => {
                (FaultCode::Conflict, "Please report this, with the output of: gstack doctor --report")
            }
        };
        let fault = Self::new(code, error.to_string()).hint(hint);
        match &error {
            E::Managed(by) => fault.command(Installer::command(by)),
            _ => fault,
        }
    }
}
