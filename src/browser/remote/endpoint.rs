//! One endpoint: an address, the credentials for it, and how its identity is verified.
//!
//! Owns the connection to it. Its credentials are sent to its origin only, and `Debug` does not show them.

use super::address::shown;
use super::error::RemoteError;
use super::tls;
use crate::names::resolve;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gstack_base::host::without_brackets;
use hyper::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use percent_encoding::percent_decode_str;
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::pki_types::ServerName;
use url::{Host, Url};

const CONNECT_LIMIT: Duration = Duration::from_secs(15);

/// The settings of an endpoint other than its address.
#[derive(Clone, Default)]
pub struct EndpointSettings {
    /// Its name in `config.toml`, if it has one.
    pub name: Option<String>,
    /// Sent with each request to it.
    pub headers: BTreeMap<String, String>,
    /// A PEM file with the only authority that may vouch for it.
    pub ca: Option<PathBuf>,
    /// Allows credentials on a connection without TLS.
    pub plaintext: bool,
}

/// A checked endpoint. Cheap to clone.
#[derive(Clone)]
pub struct Endpoint {
    url: Url,
    headers: HeaderMap,
    tls: Option<Arc<ClientConfig>>,
    name: Option<String>,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Endpoint({})", shown(&self.url))
    }
}

pub(super) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

impl Endpoint {
    /// Checks an address with its settings. User information in the address becomes a header.
    ///
    /// # Errors
    ///
    /// Fails if the address or a setting is not valid, or credentials would be sent unencrypted.
    pub fn new(address: &str, settings: &EndpointSettings) -> Result<Self, RemoteError> {
        let name = settings.name.clone().unwrap_or_else(|| "given".to_owned());
        let bad = |why: &str| RemoteError::BadSetting { endpoint: name.clone(), why: why.to_owned() };
        let mut url = Url::parse(address).map_err(|error| bad(&format!("its address: {error}")))?;
        if !matches!(url.scheme(), "ws" | "wss" | "http" | "https") || url.host().is_none() {
            return Err(bad("its address must begin with wss://, https://, ws:// or http://"));
        }
        let mut headers = HeaderMap::new();
        for (name, value) in &settings.headers {
            let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad("a header's name"))?;
            if is_of_the_connection(&key) {
                return Err(bad(&format!("the header {key} cannot be set")));
            }
            headers.insert(key, secret_value(value).ok_or_else(|| bad(&format!("the value of the header {name}")))?);
        }
        if !url.username().is_empty() || url.password().is_some() {
            let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
            let pair = format!("{}:{}", decoded(url.username()), decoded(url.password().unwrap_or_default()));
            let value = secret_value(&format!("Basic {}", STANDARD.encode(pair))).ok_or_else(|| bad("its password"))?;
            headers.entry(AUTHORIZATION).or_insert(value);
            url.set_username("").map_err(|()| bad("its address"))?;
            url.set_password(None).map_err(|()| bad("its address"))?;
        }
        url.set_fragment(None);
        let encrypted = matches!(url.scheme(), "wss" | "https");
        let has_secret = !headers.is_empty() || super::address::argument_secret(&url).is_some();
        if has_secret && !encrypted && !is_loopback(&url) && !settings.plaintext {
            return Err(RemoteError::Unencrypted(shown(&url)));
        }
        let tls = if encrypted { Some(tls::client(settings.ca.as_deref())?) } else { None };
        Ok(Self { url, headers, tls, name: settings.name.clone() })
    }

    /// Adds a header that holds a secret.
    pub(super) fn with_secret(mut self, name: &'static str, value: &str) -> Result<Self, RemoteError> {
        let bad = || RemoteError::BadSetting { endpoint: self.shown(), why: "its key".to_owned() };
        let value = secret_value(value).ok_or_else(bad)?;
        if self.tls.is_none() && !is_loopback(&self.url) {
            return Err(RemoteError::Unencrypted(self.shown()));
        }
        self.headers.insert(HeaderName::from_static(name), value);
        Ok(self)
    }

    /// Returns an endpoint of the same origin and credentials, at another path and query.
    pub(super) fn at(&self, path_and_query: &str) -> Self {
        let (path, query) = match path_and_query.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (path_and_query, None),
        };
        let mut url = self.url.clone();
        url.set_path(path);
        url.set_query(query);
        Self { url, ..self.clone() }
    }

    /// Returns an endpoint at another address that the caller has checked, with other credentials or none.
    pub(super) fn elsewhere(&self, url: Url, keeps_headers: bool) -> Self {
        let headers = if keeps_headers { self.headers.clone() } else { HeaderMap::new() };
        Self { url, headers, ..self.clone() }
    }

    pub(super) fn url(&self) -> &Url {
        &self.url
    }

    pub(super) fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// Returns its name in `config.toml`.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the address for people and logs.
    pub fn shown(&self) -> String {
        shown(&self.url)
    }

    /// Returns its origin as an HTTP address, which holds no secret.
    pub fn origin(&self) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        let port = self.url.port().map(|port| format!(":{port}")).unwrap_or_default();
        format!("{scheme}://{}{port}", self.url.host_str().unwrap_or_default())
    }

    /// Returns true if the traffic is not encrypted and leaves this machine.
    pub fn is_readable_on_the_way(&self) -> bool {
        self.tls.is_none() && !is_loopback(&self.url)
    }

    /// Returns true if the traffic is encrypted.
    pub(super) fn is_encrypted(&self) -> bool {
        self.tls.is_some()
    }

    /// Returns the text without the values of our headers, which a server may quote.
    pub(super) fn without_secrets(&self, mut text: String) -> String {
        for value in self.headers.values().filter_map(|value| value.to_str().ok()) {
            for part in value.split(' ').filter(|part| part.len() > 3) {
                text = text.replace(part, "…");
            }
        }
        text
    }

    /// Returns true if it is an address of this machine.
    pub(super) fn is_loopback(&self) -> bool {
        is_loopback(&self.url)
    }

    /// Opens a connection, with TLS if the scheme says so.
    pub(super) async fn connect(&self) -> Result<Box<dyn Stream>, RemoteError> {
        let opened = timeout(CONNECT_LIMIT, self.open()).await;
        opened.unwrap_or_else(|_| Err(RemoteError::Slow { at: self.shown(), limit: CONNECT_LIMIT }))
    }

    async fn open(&self) -> Result<Box<dyn Stream>, RemoteError> {
        let at = || self.shown();
        let unreachable = |error: io::Error| RemoteError::Unreachable { at: at(), why: error.to_string() };
        let host = without_brackets(self.url.host_str().unwrap_or_default()).to_owned();
        let port = self.url.port_or_known_default().unwrap_or(443);
        let stream = TcpStream::connect(resolve(&host, port).await.map_err(unreachable)?.as_slice())
            .await
            .map_err(unreachable)?;
        // Callers wait for the reply to each message, so it must not wait for the next one to fill a packet.
        stream.set_nodelay(true).map_err(unreachable)?;
        let Some(tls) = &self.tls else { return Ok(Box::new(stream)) };
        let name =
            ServerName::try_from(host).map_err(|error| RemoteError::Untrusted { at: at(), why: error.to_string() })?;
        let stream = TlsConnector::from(tls.clone()).connect(name, stream).await.map_err(|error| {
            // rustls' own errors are about certificates and the protocol, others about the network.
            match error.get_ref().is_some_and(|inner| inner.is::<tokio_rustls::rustls::Error>()) {
                true => RemoteError::Untrusted { at: at(), why: error.to_string() },
                false => unreachable(error),
            }
        })?;
        Ok(Box::new(stream))
    }
}

fn secret_value(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// Headers by which a connection is made; another value would break it, or smuggle a request.
fn is_of_the_connection(name: &HeaderName) -> bool {
    const OURS: [&str; 7] =
        ["host", "connection", "upgrade", "content-length", "transfer-encoding", "te", "content-type"];
    OURS.contains(&name.as_str()) || name.as_str().starts_with("sec-websocket-")
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(header: &str) -> EndpointSettings {
        let headers = [(header.to_owned(), "Bearer hunter2".to_owned())].into();
        EndpointSettings { headers, ..EndpointSettings::default() }
    }

    #[test]
    fn credentials_do_not_travel_unencrypted() {
        let with_header = |url: &str| Endpoint::new(url, &settings("Authorization"));
        assert!(matches!(with_header("ws://10.0.0.1/x"), Err(RemoteError::Unencrypted(_))));
        assert!(matches!(with_header("http://grid.example:4444"), Err(RemoteError::Unencrypted(_))));
        let plain = EndpointSettings { plaintext: true, ..settings("Authorization") };
        assert!(Endpoint::new("http://grid.example:4444", &plain).unwrap().is_readable_on_the_way());
        assert!(with_header("ws://127.0.0.1:1/x").is_ok() && with_header("wss://a.example/x").is_ok());
        let bare = EndpointSettings::default();
        assert!(matches!(Endpoint::new("ws://a.example?token=x", &bare), Err(RemoteError::Unencrypted(_))));
        assert!(matches!(Endpoint::new("http://me:pw@a.example", &bare), Err(RemoteError::Unencrypted(_))));
        assert!(Endpoint::new("http://a.example:4444", &bare).is_ok());
    }

    #[test]
    fn a_header_cannot_change_the_request_itself() {
        for name in ["Host", "Content-Length", "Transfer-Encoding", "Sec-WebSocket-Key", "bad name", "a\r\nb"] {
            assert!(Endpoint::new("wss://a.example/", &settings(name)).is_err(), "{name}");
        }
    }

    #[test]
    fn a_password_in_the_address_becomes_a_header_and_is_not_shown() {
        let endpoint = Endpoint::new("wss://me:p%40ss@a.example/x?y=1", &EndpointSettings::default()).unwrap();
        assert_eq!(endpoint.url().as_str(), "wss://a.example/x?y=1");
        assert_eq!(endpoint.headers()[AUTHORIZATION].to_str().unwrap(), "Basic bWU6cEBzcw==");
        let printed = format!("{endpoint:?} {:?}", endpoint.headers());
        assert!(!printed.contains("bWU6") && !printed.contains("p@ss"), "{printed}");
    }
}
