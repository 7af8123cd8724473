//! Sessions of a Selenium Grid 4, or of a chromedriver on this machine.
//!
//! Owns their creation, keep-alive and deletion by W3C WebDriver. The browser itself is driven by DevTools. The Grid's
//! `se:cdp` names a path only: the connection goes to the hub's own address.

use super::address::shown;
use super::cdp_url::CdpUrl;
use super::endpoint::{Endpoint, EndpointSettings};
use super::error::RemoteError;
use super::files::FileSystem;
use super::grid_answers::{Enveloped, Failure, GridStatus, NewSession, is_id, words};
use super::grid_files::GridFiles;
use super::grid_requests;
use super::http::{Answer, Bounds, SMALL, send};
use super::provider::{Facts, NotReserved, Opened, Provider, RemoteSession, Request};
use super::socket;
use futures_util::future::BoxFuture;
use hyper::{Method, StatusCode};
use serde_json::{Map, Value, json};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use url::Url;

/// A Grid keeps a request in its queue for 300 s by default, and answers then.
const QUEUE_LIMIT: Duration = Duration::from_secs(330);

/// A Grid's hub, and what is asked of it.
pub struct Grid {
    pub(super) hub: Endpoint,
    capabilities: Map<String, Value>,
}

impl Grid {
    /// Takes a checked endpoint and the W3C capabilities as JSON, which may be empty.
    ///
    /// # Errors
    ///
    /// Fails if the capabilities are not a JSON object, or the address is a websocket's.
    pub fn new(hub: Endpoint, capabilities: Option<&str>) -> Result<Self, RemoteError> {
        if !matches!(hub.url().scheme(), "http" | "https") {
            return Err(RemoteError::BadSetting {
                endpoint: hub.shown(),
                why: "the address of a Grid begins with http:// or https://".to_owned(),
            });
        }
        let given = capabilities.unwrap_or("{}");
        let mut capabilities: Map<String, Value> =
            serde_json::from_str(given).map_err(|error| RemoteError::BadCapabilities(error.to_string()))?;
        capabilities.entry("browserName").or_insert_with(|| "chrome".into());
        Ok(Self { hub, capabilities })
    }

    async fn create(&self, request: &Request) -> Result<Arc<dyn RemoteSession>, NotReserved> {
        // A Grid without managed downloads, and a chromedriver without a Grid, match the second alternative.
        let first_match = match self.capabilities.contains_key("se:downloadsEnabled") {
            true => json!([{}]),
            false => json!([{ "se:downloadsEnabled": true }, {}]),
        };
        // A Grid may keep the request in its queue for minutes. One that does not even tell its state is not waited for.
        let is_grid = match self.state().await {
            Err(slow @ RemoteError::Slow { .. }) => return Err(slow.into()),
            state => state.is_ok_and(|state| state.nodes.is_some()),
        };
        let mut always = self.capabilities.clone();
        if is_grid {
            always.insert(grid_requests::NAME.to_owned(), request.name.clone().into());
        }
        let body = json!({ "capabilities": { "alwaysMatch": always, "firstMatch": first_match } });
        let failed = |error: RemoteError| NotReserved { error, is_open: is_grid };
        let endpoint = at(&self.hub, "/session");
        let answering = send(&endpoint, Method::POST, Some(&body), Bounds { limit: QUEUE_LIMIT, largest: SMALL });
        let answer = tokio::select! {
            answer = answering => answer,
            () = request.unneeded.cancelled(), if is_grid => return Err(failed(RemoteError::Unneeded)),
        };
        let answer = match answer {
            Err(RemoteError::Slow { .. }) => return Err(failed(RemoteError::Busy(self.hub.shown()))),
            answer => answer.map_err(failed)?,
        };
        if !answer.status.is_success() {
            // Anything else is the answer of a proxy before the Grid, which may have stopped waiting.
            let is_final = serde_json::from_slice::<Enveloped<Failure>>(&answer.body)
                .is_ok_and(|failure| !failure.value.error.is_empty());
            return Err(NotReserved { error: self.not_created(&answer).await, is_open: is_grid && !is_final });
        }
        let created: Enveloped<NewSession> =
            serde_json::from_slice(&answer.body).map_err(|_| failed(self.garbled("its new session has no id")))?;
        let created = created.value;
        if !is_id(&created.session_id) {
            return Err(failed(self.garbled("its new session has no valid id")));
        }
        let session = SessionPath::new(&self.hub, &created.session_id);
        // The paths are the Grid's; the hub's address stands before them.
        let path =
            |name: &str| created.text(name).and_then(|text| Url::parse(text).ok()).map(|url| url.path().to_owned());
        let scheme = if self.hub.origin().starts_with("https") { "wss" } else { "ws" };
        let origin = self.hub.origin();
        let authority = origin.split_once("://").map_or("", |(_, rest)| rest);
        let facts = Facts {
            at: self.hub.shown(),
            session: Some(session.id.clone()),
            node: None,
            view: path("se:vnc").map(|path| format!("{scheme}://{authority}{path}")),
        };
        let downloads = created.capabilities.get("se:downloadsEnabled") == Some(&Value::Bool(true));
        let devtools = match (path("se:cdp"), created.debugger_address()) {
            (Some(path), _) => DevTools::Proxied(self.hub.at(&path)),
            (None, Some(address)) if self.hub.is_loopback() => DevTools::Local(address.to_owned()),
            (None, Some(_)) => DevTools::None("the address is on the other machine, and only a Grid forwards it"),
            (None, None) => DevTools::None("the session has no DevTools address"),
        };
        // Nothing is waited for any more: a session that exists is recorded before anything can end this.
        Ok(Arc::new(Session { session, facts, node: OnceLock::new(), devtools, downloads }))
    }

    /// Explains a refused session by the state of the Grid: its messages are for people and differ between releases.
    async fn not_created(&self, answer: &Answer) -> RemoteError {
        let at = self.hub.shown();
        match self.state().await.ok() {
            Some(status) if status.is_full() => return RemoteError::Busy(at),
            Some(status) if status.is_empty() => {
                return RemoteError::NotCreated { at, why: "the grid has no node that is up".to_owned() };
            }
            _ => {}
        }
        let said = serde_json::from_slice::<Enveloped<Failure>>(&answer.body).map(|failure| failure.value);
        let why = match said {
            Ok(failure) if failure.message.is_empty() => words(&failure.error),
            Ok(failure) => words(&failure.message),
            Err(_) => format!("it answers with {}", answer.status),
        };
        RemoteError::NotCreated { why: self.hub.without_secrets(why), at }
    }

    /// Asks for the state of all nodes.
    pub(super) async fn state(&self) -> Result<GridStatus, RemoteError> {
        let answer = send(&at(&self.hub, "/status"), Method::GET, None, Bounds::default()).await?;
        let status = answer.status.is_success().then(|| serde_json::from_slice::<Enveloped<GridStatus>>(&answer.body));
        match status {
            Some(Ok(status)) => Ok(status.value),
            _ => Err(self.garbled("its status is not a WebDriver server's")),
        }
    }

    pub(super) fn garbled(&self, why: &str) -> RemoteError {
        RemoteError::Garbled { at: self.hub.shown(), why: why.to_owned() }
    }
}

impl Provider for Grid {
    fn kind(&self) -> &'static str {
        "grid"
    }
    fn shown(&self) -> String {
        self.hub.shown()
    }
    fn is_readable_on_the_way(&self) -> bool {
        self.hub.is_readable_on_the_way()
    }
    fn reserve<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Arc<dyn RemoteSession>, NotReserved>> {
        Box::pin(self.create(request))
    }
    fn finds_requests(&self) -> bool {
        true
    }
    fn withdraw<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<(), RemoteError>> {
        Box::pin(grid_requests::withdraw(self, name))
    }
    fn release_left<'a>(&'a self, session: &'a str) -> BoxFuture<'a, Result<(), RemoteError>> {
        Box::pin(async move {
            if !is_id(session) {
                return Ok(());
            }
            SessionPath::new(&self.hub, session).delete().await
        })
    }
}

/// A session's address at its hub.
#[derive(Clone, Debug)]
pub(super) struct SessionPath {
    hub: Endpoint,
    id: String,
}

impl SessionPath {
    /// Takes an id that was checked.
    pub(super) fn new(hub: &Endpoint, id: &str) -> Self {
        Self { hub: hub.clone(), id: id.to_owned() }
    }

    pub(super) fn at(&self, below: &str) -> Endpoint {
        at(&self.hub, &format!("/session/{}{below}", self.id))
    }

    pub(super) async fn delete(&self) -> Result<(), RemoteError> {
        let answer = send(&self.at(""), Method::DELETE, None, Bounds::default()).await?;
        match answer.status {
            status if status.is_success() || status == StatusCode::NOT_FOUND => Ok(()),
            status => Err(self.garbled(format!("it answered {status} when the session was to be deleted"))),
        }
    }

    pub(super) fn garbled(&self, why: String) -> RemoteError {
        RemoteError::Garbled { at: self.hub.shown(), why }
    }
}

enum DevTools {
    /// Through the Grid.
    Proxied(Endpoint),
    /// The port of a browser that a chromedriver started on this machine.
    Local(String),
    None(&'static str),
}

struct Session {
    session: SessionPath,
    facts: Facts,
    /// Asked for when it is opened.
    node: OnceLock<String>,
    devtools: DevTools,
    /// The node lets us fetch what its browser downloads.
    downloads: bool,
}

impl Session {
    async fn connect(&self) -> Result<Opened, RemoteError> {
        let at = || self.facts.at.clone();
        let grid = Grid { hub: self.session.hub.clone(), capabilities: Map::new() };
        let node = grid.state().await.ok().and_then(|status| Url::parse(status.node_of(&self.session.id)?).ok());
        if let Some(node) = node {
            self.node.get_or_init(|| shown(&node));
        }
        match &self.devtools {
            DevTools::Proxied(endpoint) => {
                let files = GridFiles::new(self.session.clone(), self.downloads);
                let transport = socket::open(endpoint).await?;
                Ok(Opened { transport, files: FileSystem::Remote(Some(Arc::new(files))) })
            }
            DevTools::Local(address) => {
                let none = |why: &str| RemoteError::NoDevTools { at: at(), why: why.to_owned() };
                let endpoint = Endpoint::new(&format!("http://{address}"), &EndpointSettings::default())?;
                if !endpoint.is_loopback() {
                    return Err(none("it names another machine's port"));
                }
                let opened = CdpUrl::new(endpoint).connection().await?.open().await?;
                Ok(Opened { files: FileSystem::Ours, ..opened })
            }
            DevTools::None(why) => Err(RemoteError::NoDevTools { at: at(), why: (*why).to_owned() }),
        }
    }
}

impl RemoteSession for Session {
    fn facts(&self) -> &Facts {
        &self.facts
    }
    fn node(&self) -> Option<String> {
        self.node.get().cloned()
    }
    fn open(&self) -> BoxFuture<'_, Result<Opened, RemoteError>> {
        Box::pin(self.connect())
    }
    /// Any WebDriver command restarts the Grid's session timeout; this one does not reach the page.
    fn keep_alive(&self) -> BoxFuture<'_, Result<(), RemoteError>> {
        Box::pin(async {
            let answer = send(&self.session.at("/timeouts"), Method::GET, None, Bounds::default()).await?;
            match answer.status.is_success() {
                true => Ok(()),
                false => {
                    Err(self.session.garbled(format!("it answered {} when asked about the session", answer.status)))
                }
            }
        })
    }
    fn release(&self) -> BoxFuture<'_, Result<(), RemoteError>> {
        Box::pin(self.session.delete())
    }
}

/// Returns an address below the hub's own path: `/wd/hub`, or a prefix of a Kubernetes ingress.
pub(super) fn at(hub: &Endpoint, below: &str) -> Endpoint {
    hub.at(&format!("{}{below}", hub.url().path().trim_end_matches('/')))
}
