//! The service workers of the page's own origin: listing, stopping and going without them.
//!
//! Owns the waiting. The browser reports them by events, some time after its `ServiceWorker` domain was enabled, and of all
//! sites: only those of the page's origin leave this file. The domain is enabled for one command alone.

use crate::devtools::service_worker::{
    DisableParams, EnableParams, Registration, RegistrationsUpdated, StopWorkerParams, Version, VersionsUpdated,
};
use crate::devtools_session::Session;
use crate::events::{Event, Subscription};
use crate::page::error::PageError;
use crate::page::page::Page;
use serde_json::json;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};
use url::Url;

const REGISTRATIONS: &str = "ServiceWorker.workerRegistrationUpdated";
const VERSIONS: &str = "ServiceWorker.workerVersionUpdated";
const BYPASS: &str = "Network.setBypassServiceWorker";
/// For all reports together: at first the browser reads its registrations from the disk.
const REPORT_LIMIT: Duration = Duration::from_secs(3);
/// The reports of the present state come at once, one after the other: what comes later is a change.
const QUIET: Duration = Duration::from_millis(250);
/// A worker that is at work is asked to end before it is ended.
const STOP_LIMIT: Duration = Duration::from_secs(15);
const STOPPED: &str = "stopped";

/// One version of a service worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceWorker {
    /// The browser's number of it.
    pub id: String,
    pub script: String,
    pub scope: String,
    /// `activated`, `installing` …
    pub status: String,
    /// `running`, `stopped`, `starting` or `stopping`.
    pub running: String,
    /// How many pages and workers it answers.
    pub clients: usize,
}

/// The result of stopping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// These were running and are stopped.
    These(Vec<ServiceWorker>),
    /// The page's origin has no service worker of this id.
    NoSuch,
}

impl Page {
    /// The service workers of the page's origin, by their numbers. `None`: the browser reported nothing within three seconds.
    pub async fn service_workers(&self) -> Result<Option<Vec<ServiceWorker>>, PageError> {
        let mut reports = Reports::begin(self.session()).await?;
        let is_told = reports.settle().await?;
        let workers = reports.of_origin(&self.url()?);
        Ok(is_told.then_some(workers))
    }

    /// Stops the one with this id, or all of the page's origin that run, and waits until they have stopped. The browser starts
    /// them again when they are needed.
    pub async fn stop_service_workers(&self, id: Option<&str>) -> Result<Stopped, PageError> {
        let mut reports = Reports::begin(self.session()).await?;
        if !reports.settle().await? {
            return Err(PageError::Unanswered {
                what: "listing the service workers".to_owned(),
                reason: "the browser reported none of them in time".to_owned(),
            });
        }
        let mut workers = reports.of_origin(&self.url()?);
        if let Some(id) = id {
            workers.retain(|worker| worker.id == id);
            if workers.is_empty() {
                return Ok(Stopped::NoSuch);
            }
        }
        workers.retain(|worker| worker.running != STOPPED);
        let mut running: HashSet<String> = workers.iter().map(|worker| worker.id.clone()).collect();
        for version_id in &running {
            self.session().call(StopWorkerParams::new(version_id)).await?;
        }
        let end = Instant::now() + STOP_LIMIT;
        while !running.is_empty() {
            let event = timeout_at(end, reports.events.next()).await.map_err(|_| PageError::Unanswered {
                what: "stopping the service worker".to_owned(),
                reason: format!("the browser did not report its end within {} s", STOP_LIMIT.as_secs()),
            })?;
            let event = event.ok_or_else(gone)?;
            for version in versions_in(&event).filter(Version::has_stopped) {
                running.remove(&version.version_id);
            }
        }
        Ok(Stopped::These(workers))
    }

    /// Whether the tab's requests go past service workers to the network; of frames and popups too.
    pub async fn bypass_service_workers(&self, bypass: bool) -> Result<(), PageError> {
        match bypass {
            true => self.set_override(BYPASS, json!({ "bypass": true })).await?,
            false => self.clear_override(BYPASS, BYPASS, json!({ "bypass": false })).await?,
        }
        Ok(())
    }
}

fn gone() -> PageError {
    PageError::Unreadable("the browser went away".to_owned())
}

fn versions_in(event: &Event) -> impl Iterator<Item = Version> {
    let updated = (event.method() == VERSIONS).then(|| event.read::<VersionsUpdated>()).flatten();
    updated.into_iter().flat_map(|VersionsUpdated { versions }| versions)
}

impl Version {
    fn has_stopped(&self) -> bool {
        self.running_status == STOPPED || self.is_replaced()
    }
    /// Of no use any more: unregistered, failed, or another version took its place.
    fn is_replaced(&self) -> bool {
        self.status == "redundant"
    }
}

/// What the browser has reported since it was asked to. Dropping it ends the reports.
struct Reports {
    session: Session,
    events: Subscription,
    known: Known,
}

/// All registrations and versions, of every site.
#[derive(Default)]
struct Known {
    registrations: HashMap<String, Registration>,
    /// By the number in their id.
    versions: BTreeMap<(u64, String), Version>,
}

impl Reports {
    async fn begin(session: &Session) -> Result<Self, PageError> {
        let events = session.subscribe(&[REGISTRATIONS, VERSIONS]);
        let reports = Self { session: session.clone(), events, known: Known::default() };
        session.call(EnableParams {}).await?;
        Ok(reports)
    }

    /// Takes the reports in until none has come for a moment. False if none came at all.
    async fn settle(&mut self) -> Result<bool, PageError> {
        let end = Instant::now() + REPORT_LIMIT;
        let mut until = end;
        let mut is_told = false;
        while let Ok(event) = timeout_at(until, self.events.next()).await {
            self.known.take(&event.ok_or_else(gone)?);
            is_told = true;
            // Registrations come before their versions.
            if self.known.is_complete() {
                until = end.min(Instant::now() + QUIET);
            }
        }
        match self.events.missed() {
            0 => Ok(is_told),
            _ => Err(PageError::Unreadable("the browser has too many service workers".to_owned())),
        }
    }

    fn of_origin(&self, page: &str) -> Vec<ServiceWorker> {
        self.known.of_origin(page)
    }
}

impl Drop for Reports {
    fn drop(&mut self) {
        self.session.post(DisableParams {});
    }
}

impl Known {
    fn take(&mut self, event: &Event) {
        if event.method() == REGISTRATIONS {
            let updated = event.read::<RegistrationsUpdated>();
            for registration in updated.into_iter().flat_map(|updated| updated.registrations) {
                self.registrations.insert(registration.registration_id.clone(), registration);
            }
        }
        for version in versions_in(event) {
            let number = version.version_id.parse().unwrap_or(u64::MAX);
            self.versions.insert((number, version.version_id.clone()), version);
        }
    }

    /// Whether each registration has a version.
    fn is_complete(&self) -> bool {
        let with_version: HashSet<&str> =
            self.versions.values().map(|version| version.registration_id.as_str()).collect();
        self.registrations
            .values()
            .all(|known| known.is_deleted || with_version.contains(known.registration_id.as_str()))
    }

    fn of_origin(&self, page: &str) -> Vec<ServiceWorker> {
        let origin = |url: &str| Url::parse(url).ok().map(|url| url.origin()).filter(url::Origin::is_tuple);
        let Some(own) = origin(page) else { return Vec::new() };
        let workers = self.versions.values().filter(|version| !version.is_replaced()).filter_map(|version| {
            let registration = self.registrations.get(&version.registration_id)?;
            let is_own = !registration.is_deleted && origin(&registration.scope_url).as_ref() == Some(&own);
            is_own.then(|| ServiceWorker {
                id: version.version_id.clone(),
                script: version.script_url.clone(),
                scope: registration.scope_url.clone(),
                status: version.status.clone(),
                running: version.running_status.clone(),
                clients: version.controlled_clients.len(),
            })
        });
        workers.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Known, REGISTRATIONS, VERSIONS};
    use crate::events::Event;
    use serde_json::{Value, json};

    fn told(known: &mut Known, method: &str, params: Value) {
        let params = serde_json::value::to_raw_value(&params).unwrap();
        known.take(&Event::new(None, method, Some(&params)));
    }

    fn version(id: &str, of: &str, status: &str) -> Value {
        json!({ "versionId": id, "registrationId": of, "scriptURL": "https://a.example/sw.js", "runningStatus": "running",
            "status": status, "controlledClients": ["T"] })
    }

    #[test]
    fn only_workers_of_the_pages_origin_are_told_of() {
        let mut known = Known::default();
        let of =
            |id: &str, scope: &str, gone: bool| json!({ "registrationId": id, "scopeURL": scope, "isDeleted": gone });
        let all = [
            of("1", "https://a.example/", false),
            of("2", "https://b.example/", false),
            of("3", "https://a.example:444/", false),
            of("4", "https://a.example/old/", true),
        ];
        told(&mut known, REGISTRATIONS, json!({ "registrations": all }));
        assert!(!known.is_complete());
        let all = [("12", "1", "activated"), ("9", "1", "redundant"), ("7", "2", "activated"), ("8", "3", "activated")];
        let all: Vec<Value> =
            all.into_iter().chain([("6", "4", "activated")]).map(|(id, of, status)| version(id, of, status)).collect();
        told(&mut known, VERSIONS, json!({ "versions": all }));
        assert!(known.is_complete());
        let ids = |page: &str| known.of_origin(page).into_iter().map(|worker| worker.id).collect::<Vec<_>>();
        assert_eq!(ids("https://a.example/deep/page?x"), ["12"]);
        assert_eq!(ids("https://b.example/"), ["7"]);
        for other in ["http://a.example/", "https://sub.a.example/", "about:blank", "data:text/html,x", ""] {
            assert!(ids(other).is_empty(), "{other}");
        }
        told(&mut known, REGISTRATIONS, json!({ "registrations": [of("2", "https://b.example/", true)] }));
        assert!(known.of_origin("https://b.example/").is_empty(), "unregistered meanwhile");
    }
}
