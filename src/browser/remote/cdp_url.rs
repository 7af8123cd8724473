//! `connect --cdp`: a DevTools endpoint on another machine.
//!
//! Owns the discovery by `/json/version`. What is discovered names a path; the host, the port and the scheme stay those
//! of the endpoint, so that it can lead nowhere else.

use super::endpoint::Endpoint;
use super::error::RemoteError;
use super::http::{Bounds, send};
use super::provider::{Facts, NotReserved, Opened, Provider, RemoteSession, Request};
use super::socket;
use futures_util::future::BoxFuture;
use hyper::Method;
use serde::Deserialize;
use std::sync::Arc;
use url::Url;

/// A DevTools endpoint: its websocket, or an HTTP address that tells the websocket.
pub struct CdpUrl {
    endpoint: Endpoint,
}

#[derive(Deserialize)]
struct Version {
    #[serde(rename = "webSocketDebuggerUrl")]
    websocket: String,
}

impl CdpUrl {
    /// Takes a checked endpoint.
    pub fn new(endpoint: Endpoint) -> Self {
        Self { endpoint }
    }

    /// Returns where to connect to.
    pub(super) async fn connection(&self) -> Result<Connection, RemoteError> {
        Ok(Connection { endpoint: self.find().await?, facts: Facts { at: self.endpoint.shown(), ..Facts::default() } })
    }

    async fn find(&self) -> Result<Endpoint, RemoteError> {
        let url = self.endpoint.url();
        if matches!(url.scheme(), "ws" | "wss") {
            return Ok(self.endpoint.clone());
        }
        let path = url.path().trim_end_matches('/');
        let path = if path.ends_with("/json/version") { path.to_owned() } else { format!("{path}/json/version") };
        let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
        let asked = self.endpoint.at(&format!("{path}{query}"));
        let garbled = |why: String| RemoteError::Garbled { at: self.endpoint.shown(), why };
        let answer = send(&asked, Method::GET, None, Bounds::default()).await?;
        if !answer.status.is_success() {
            return Err(garbled(format!("it answered {} to /json/version", answer.status)));
        }
        let version: Version = serde_json::from_slice(&answer.body)
            .map_err(|_| garbled("/json/version does not name a browser".to_owned()))?;
        let found = Url::parse(&version.websocket).ok().filter(|found| matches!(found.scheme(), "ws" | "wss"));
        let found = found.ok_or_else(|| garbled("/json/version does not name a websocket".to_owned()))?;
        let query = found.query().or(url.query()).map(|query| format!("?{query}")).unwrap_or_default();
        Ok(self.endpoint.at(&format!("{}{query}", found.path())))
    }
}

impl Provider for CdpUrl {
    fn kind(&self) -> &'static str {
        "cdp"
    }
    fn shown(&self) -> String {
        self.endpoint.shown()
    }
    fn is_readable_on_the_way(&self) -> bool {
        self.endpoint.is_readable_on_the_way()
    }
    fn reserve<'a>(&'a self, _: &'a Request) -> BoxFuture<'a, Result<Arc<dyn RemoteSession>, NotReserved>> {
        Box::pin(async { Ok(Arc::new(self.connection().await?) as Arc<dyn RemoteSession>) })
    }
    fn release_left<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<(), RemoteError>> {
        Box::pin(async { Ok(()) })
    }
}

pub(super) struct Connection {
    endpoint: Endpoint,
    facts: Facts,
}

impl RemoteSession for Connection {
    fn facts(&self) -> &Facts {
        &self.facts
    }
    fn open(&self) -> BoxFuture<'_, Result<Opened, RemoteError>> {
        Box::pin(socket::open_devtools(&self.endpoint))
    }
}
