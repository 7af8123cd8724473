//! The CDP endpoints that are waiting for a client or in use.
//!
//! Owns the table: secrets, limits and who is connected. Never listens: `cdp` does.

use super::error::DriversError;
use gstack_base::clock::now_millis;
use gstack_base::mutex::lock;
use gstack_protocol::cdp_endpoint::{CdpEndpoint, CdpGrant, CdpOpen};
use gstack_protocol::ids::TabId;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use subtle::ConstantTimeEq;
use tokio_util::sync::CancellationToken;

/// A person could not review more.
const MOST: usize = 32;

/// One endpoint.
pub struct Endpoint {
    pub id: String,
    pub port: u16,
    /// 244 random bits.
    secret: String,
    pub name: Option<String>,
    pub tabs: Vec<TabId>,
    /// The browser in which a client without a tab gets one. `None` for the main one.
    pub browser: Option<String>,
    pub allow: Vec<CdpGrant>,
    /// It is for an everyday browser.
    pub everyday: bool,
    /// The folder that files may come from and go to, besides temporary folders.
    pub folder: Option<PathBuf>,
    pub reconnect: bool,
    /// The tabs that the client opens stay open when it disconnects.
    pub keep_tabs: bool,
    pub ttl: Duration,
    pub expires_at: u64,
    /// Cancelled by the person, or when the endpoint has served its purpose.
    pub revoked: CancellationToken,
    use_: Mutex<Use>,
}

#[derive(Default)]
struct Use {
    /// A client is connected or connecting.
    taken: bool,
    driver: Option<String>,
}

impl Endpoint {
    /// Returns true if this is the secret. Takes the same time for every text of this length.
    pub fn opens_with(&self, secret: &str) -> bool {
        self.secret.as_bytes().ct_eq(secret.as_bytes()).into()
    }

    pub fn secret(&self) -> &str {
        &self.secret
    }

    /// Reserves the endpoint for one connection. Returns `None` if another one has it, or had it.
    pub fn take(self: &Arc<Self>) -> Option<Taken> {
        let mut used = lock(&self.use_);
        if used.taken || self.revoked.is_cancelled() {
            return None;
        }
        used.taken = true;
        Some(Taken { endpoint: self.clone() })
    }

    fn shown(&self) -> CdpEndpoint {
        CdpEndpoint {
            id: self.id.clone(),
            port: self.port,
            name: self.name.clone(),
            driver: lock(&self.use_).driver.clone(),
            tabs: self.tabs.clone(),
            allow: self.allow.clone(),
            everyday: self.everyday,
            reconnect: self.reconnect,
            expires_at: self.expires_at,
        }
    }
}

/// The one connection of an endpoint. Dropping it frees an endpoint that may be used again, and ends any other.
pub struct Taken {
    pub endpoint: Arc<Endpoint>,
}

impl Taken {
    pub fn connected(&self, driver: &str) {
        lock(&self.endpoint.use_).driver = Some(driver.to_owned());
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        if self.endpoint.reconnect {
            *lock(&self.endpoint.use_) = Use::default();
        } else {
            self.endpoint.revoked.cancel();
        }
    }
}

/// A handle to the endpoints. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Endpoints(Arc<Mutex<Vec<Arc<Endpoint>>>>);

impl Endpoints {
    /// Adds an endpoint at a port. Fails if there are too many.
    pub(crate) fn add(&self, open: CdpOpen, port: u16) -> Result<Arc<Endpoint>, DriversError> {
        let mut known = lock(&self.0);
        known.retain(|one| !one.revoked.is_cancelled());
        if known.len() >= MOST {
            return Err(DriversError::TooManyEndpoints { most: MOST });
        }
        let random = || uuid::Uuid::new_v4().simple().to_string();
        let id = random().chars().take(8).collect();
        let ttl = Duration::from_secs(open.ttl_seconds);
        let endpoint = Arc::new(Endpoint {
            id,
            port,
            secret: random() + &random(),
            name: open.name,
            tabs: open.tabs,
            browser: open.browser,
            allow: open.allow,
            everyday: open.everyday,
            folder: open.cwd.map(PathBuf::from),
            reconnect: open.reconnect,
            keep_tabs: open.keep_tabs,
            ttl,
            expires_at: now_millis().saturating_add(open.ttl_seconds.saturating_mul(1000)),
            revoked: CancellationToken::new(),
            use_: Mutex::default(),
        });
        known.push(endpoint.clone());
        Ok(endpoint)
    }

    pub(crate) fn all(&self) -> Vec<CdpEndpoint> {
        let mut known = lock(&self.0);
        known.retain(|one| !one.revoked.is_cancelled());
        known.iter().map(|one| one.shown()).collect()
    }

    /// Ends one endpoint with its connection, or all of them. Returns the ones that ended.
    pub(crate) fn revoke(&self, id: Option<&str>) -> Vec<Arc<Endpoint>> {
        let mut known = lock(&self.0);
        let ended: Vec<_> = known.extract_if(.., |one| id.is_none_or(|id| one.id == id)).collect();
        ended.iter().for_each(|one| one.revoked.cancel());
        ended
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_long_compared_whole_and_used_once() {
        let endpoints = Endpoints::default();
        let add = |reconnect| endpoints.add(CdpOpen { reconnect, ..CdpOpen::default() }, 1).unwrap();
        let once = add(false);
        assert_eq!(once.secret().len(), 64);
        assert_ne!(once.secret(), add(false).secret());
        assert!(once.opens_with(once.secret()) && !once.opens_with("") && !once.opens_with(&once.secret()[1..]));
        let taken = once.take().unwrap();
        assert!(once.take().is_none());
        drop(taken);
        assert!(once.take().is_none() && once.revoked.is_cancelled());
        let again = add(true);
        drop(again.take().unwrap());
        assert!(again.take().is_some() && !again.revoked.is_cancelled());
        assert_eq!(endpoints.revoke(Some("none")).len(), 0);
        assert_eq!(endpoints.revoke(None).len(), 2);
        assert!(again.take().is_none() && endpoints.all().is_empty());
    }
}
