//! Browsers of hosted services (`connect --provider`), as the table of presets says.
//!
//! Owns the requests. The DevTools address in an answer is followed only within the service's own domain, and the key
//! goes with it only if the preset says so.

use super::endpoint::{Endpoint, EndpointSettings};
use super::error::RemoteError;
use super::grid_answers::{is_id, words};
use super::http::{Bounds, SMALL, send};
use super::presets::{Account, KeyIn, Preset, Reserve};
use super::provider::{Facts, NotReserved, Opened, Provider, RemoteSession, Request};
use super::{address, socket};
use futures_util::future::BoxFuture;
use hyper::{Method, StatusCode};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};
use url::Url;

/// How long a service may take from the request for a session to its DevTools connection. It may wait until one of its machines is
/// free; the person waits with it.
const LIMIT: Duration = Duration::from_secs(60);

/// A hosted service with the person's key for it.
#[derive(Clone)]
pub struct Hosted {
    preset: &'static Preset,
    base: Endpoint,
    key: String,
    account: Option<String>,
    limit: Duration,
}

impl Hosted {
    /// Takes the person's settings. `url`: another address of the same service (a region, a private deployment).
    ///
    /// # Errors
    ///
    /// Fails if a setting is not valid or the account is missing.
    pub fn new(
        preset: &'static Preset,
        url: Option<&str>,
        settings: &EndpointSettings,
        key: String,
        account: Option<String>,
    ) -> Result<Self, RemoteError> {
        let account = account.filter(|account| !account.is_empty());
        if account.is_none() && matches!(preset.account, Some((Account::InPath, _))) {
            return Err(RemoteError::NoSetting { service: preset.label, what: "an account" });
        }
        if account.as_deref().is_some_and(|account| !is_id(account)) {
            return Err(RemoteError::NoSetting { service: preset.label, what: "a valid account" });
        }
        let base = Endpoint::new(url.unwrap_or(preset.url), settings)?;
        let base = match preset.key {
            KeyIn::Header(name, prefix) => base.with_secret(name, &format!("{prefix}{key}"))?,
            // Checked like a header: it travels in the address.
            KeyIn::Query(_) if base.is_readable_on_the_way() => return Err(RemoteError::Unencrypted(base.shown())),
            KeyIn::Query(_) => base,
        };
        Ok(Self { preset, base, key, account, limit: LIMIT })
    }

    /// Gives the service this long until its browser is connected.
    #[must_use]
    pub fn within(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }

    fn at(&self, path: &str, session: &str) -> Endpoint {
        let path = path.replace("{account}", self.account.as_deref().unwrap_or_default()).replace("{id}", session);
        self.base.at(&format!("{}{path}", self.base.url().path().trim_end_matches('/')))
    }

    async fn create(&self) -> Result<Arc<dyn RemoteSession>, RemoteError> {
        let facts = Facts { at: self.base.shown(), ..Facts::default() };
        let deadline = Instant::now() + self.limit;
        let Reserve::Post { path, id, socket } = self.preset.reserve else {
            let endpoint = self.socket_endpoint(self.base.url().clone())?;
            return Ok(Arc::new(Reserved { service: self.clone(), endpoint, facts, deadline }));
        };
        let mut body = Map::new();
        if let (Some((Account::InBody(field), _)), Some(account)) = (self.preset.account, &self.account) {
            body.insert(field.to_owned(), account.clone().into());
        }
        let bounds = Bounds { limit: self.limit, largest: SMALL };
        let answer = send(&self.at(path, ""), Method::POST, Some(&Value::Object(body)), bounds).await?;
        if answer.status == StatusCode::TOO_MANY_REQUESTS {
            return Err(RemoteError::TooMany(self.base.shown()));
        }
        let created: Option<Value> = serde_json::from_slice(&answer.body).ok();
        let text = |field: &str| created.as_ref().and_then(|created| created.get(field)?.as_str());
        if !answer.status.is_success() {
            let said = text("message").or_else(|| text("error")).map(words);
            let why = said.unwrap_or_else(|| format!("it answers with {}", answer.status));
            return Err(RemoteError::NotCreated { at: self.base.shown(), why: self.without_key(&why) });
        }
        let garbled = |why: &str| RemoteError::Garbled { at: self.base.shown(), why: why.to_owned() };
        let session = text(id).filter(|id| is_id(id)).ok_or_else(|| garbled("its new session has no valid id"))?;
        let facts =
            Facts { session: Some(session.to_owned()), node: self.preset.place.and_then(text).map(words), ..facts };
        let found = text(socket).and_then(|text| Url::parse(text).ok());
        let endpoint = match found {
            Some(url) => self.socket_endpoint(url),
            None => Err(garbled("its new session has no websocket")),
        };
        match endpoint {
            Ok(endpoint) => Ok(Arc::new(Reserved { service: self.clone(), endpoint, facts, deadline })),
            Err(error) => {
                // It is paid for until it is released.
                if let Err(error) = self.release_left(session).await {
                    tracing::warn!(%error, "a session that can't be used was not released");
                }
                Err(error)
            }
        }
    }

    /// Returns the endpoint of a DevTools address that the service names, with the key where it belongs.
    fn socket_endpoint(&self, mut url: Url) -> Result<Endpoint, RemoteError> {
        let leads_away = || RemoteError::LeadsAway { at: self.base.shown(), named: address::shown(&url) };
        let host = url.host_str().unwrap_or_default();
        let own = self.base.url().host_str().unwrap_or_default();
        let domain = self.preset.domain;
        let within = |host: &str| host == domain || host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'));
        let same = host == own && url.port_or_known_default() == self.base.url().port_or_known_default();
        let is_encrypted = matches!(url.scheme(), "wss" | "https");
        let is_plain = matches!(url.scheme(), "ws" | "http") && !self.base.is_encrypted();
        if !(same || within(host) && within(own) && is_encrypted) || !(is_encrypted || is_plain) {
            return Err(leads_away());
        }
        let keeps_headers = matches!(self.preset.socket_key, Some(KeyIn::Header(..)));
        if let Some(KeyIn::Query(name)) = self.preset.socket_key {
            url.query_pairs_mut().append_pair(name, &self.key);
        }
        Ok(self.base.elsewhere(url, keeps_headers))
    }

    fn without_key(&self, text: &str) -> String {
        if self.key.is_empty() { text.to_owned() } else { text.replace(&self.key, "…") }
    }

    async fn release_session(&self, session: &str) -> Result<(), RemoteError> {
        let Some((method, path, body)) = self.preset.release.filter(|_| is_id(session)) else { return Ok(()) };
        let method = match method {
            "POST" => Method::POST,
            "PUT" => Method::PUT,
            _ => Method::DELETE,
        };
        let mut body: Option<Value> = serde_json::from_str(body).ok();
        if let (Some(Value::Object(body)), Some((Account::InBody(field), _)), Some(account)) =
            (&mut body, self.preset.account, &self.account)
        {
            body.insert(field.to_owned(), account.clone().into());
        }
        let answer = send(&self.at(path, session), method, body.as_ref(), Bounds::default()).await?;
        match answer.status {
            status if status.is_success() || matches!(status, StatusCode::NOT_FOUND | StatusCode::GONE) => Ok(()),
            status => {
                let why = format!("it answered {status} when the session was to be deleted");
                Err(RemoteError::Garbled { at: self.base.shown(), why })
            }
        }
    }
}

impl Provider for Hosted {
    fn kind(&self) -> &'static str {
        self.preset.name
    }
    fn shown(&self) -> String {
        self.base.shown()
    }
    fn is_readable_on_the_way(&self) -> bool {
        self.base.is_readable_on_the_way()
    }
    fn reserve<'a>(&'a self, _: &'a Request) -> BoxFuture<'a, Result<Arc<dyn RemoteSession>, NotReserved>> {
        Box::pin(async { Ok(self.create().await?) })
    }
    fn release_left<'a>(&'a self, session: &'a str) -> BoxFuture<'a, Result<(), RemoteError>> {
        Box::pin(self.release_session(session))
    }
}

struct Reserved {
    service: Hosted,
    endpoint: Endpoint,
    facts: Facts,
    /// The DevTools connection stands by then.
    deadline: Instant,
}

impl RemoteSession for Reserved {
    fn facts(&self) -> &Facts {
        &self.facts
    }
    fn ends_with_us(&self) -> bool {
        self.facts.session.is_some() || matches!(self.service.preset.reserve, Reserve::ByConnecting)
    }
    fn open(&self) -> BoxFuture<'_, Result<Opened, RemoteError>> {
        Box::pin(async {
            let opened = timeout_at(self.deadline, socket::open_devtools(&self.endpoint)).await;
            opened.unwrap_or_else(|_| Err(RemoteError::Slow { at: self.endpoint.shown(), limit: self.service.limit }))
        })
    }
    fn release(&self) -> BoxFuture<'_, Result<(), RemoteError>> {
        Box::pin(async {
            match &self.facts.session {
                Some(session) => self.service.release_session(session).await,
                None => Ok(()),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::presets::find;
    use super::*;

    fn service(name: &str) -> Hosted {
        let preset = find(name).unwrap();
        let settings = EndpointSettings::default();
        Hosted::new(preset, None, &settings, "hunter2".to_owned(), Some("acc".to_owned())).unwrap()
    }

    fn leads_to(name: &str, url: &str) -> Option<String> {
        let endpoint = service(name).socket_endpoint(Url::parse(url).unwrap()).ok()?;
        let header = endpoint.headers().values().next().map(|value| value.to_str().unwrap().to_owned());
        Some(format!("{} {}", endpoint.url(), header.unwrap_or_default()).trim().to_owned())
    }

    #[test]
    fn a_service_leads_to_its_own_domain_only_and_the_key_stays_there() {
        let to = leads_to("browserbase", "wss://connect.usw2.browserbase.com/?signingKey=x").unwrap();
        assert_eq!(to, "wss://connect.usw2.browserbase.com/?signingKey=x", "without the API key");
        let to = leads_to("steel", "wss://connect.steel.dev/?sessionId=s").unwrap();
        assert_eq!(to, "wss://connect.steel.dev/?sessionId=s&apiKey=hunter2");
        let to = leads_to("cloudflare", "wss://api.cloudflare.com/client/v4/x").unwrap();
        assert_eq!(to, "wss://api.cloudflare.com/client/v4/x Bearer hunter2");
        for url in [
            "wss://evil.example/?x=.browserbase.com",
            "wss://evilbrowserbase.com/",
            "wss://browserbase.com.evil.example/",
            "wss://127.0.0.1:9222/devtools/browser/x",
            "ws://connect.browserbase.com/",
            "http://169.254.169.254/",
            "wss://browserbase.com@evil.example/",
        ] {
            assert_eq!(leads_to("browserbase", url), None, "{url}");
        }
    }

    #[test]
    fn a_key_is_neither_printed_nor_sent_unencrypted() {
        let preset = find("browserless").unwrap();
        let settings = EndpointSettings::default();
        let plain = Hosted::new(preset, Some("ws://a.example"), &settings, "k".to_owned(), None);
        assert!(matches!(plain, Err(RemoteError::Unencrypted(_))));
        assert!(!service("browserless").shown().contains("hunter2"));
        assert_eq!(service("steel").without_key("bad key hunter2"), "bad key …");
        let cloudflare = Hosted::new(find("cloudflare").unwrap(), None, &settings, "k".to_owned(), None);
        assert!(matches!(cloudflare, Err(RemoteError::NoSetting { .. })));
    }
}
