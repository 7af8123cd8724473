//! Decides when a navigation of the main frame has finished, and with what result.
//!
//! Owns the reading of the events between the start and the end of one navigation. Pure: it takes events in their order
//! and returns the end.

use super::events::Event;
use super::targets::{FrameNavigated, NavigatedWithinDocument};
use serde::Deserialize;

/// The end of a successful navigation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The address after all redirects.
    pub url: String,
    /// The document's HTTP status. `None` if the document did not come over HTTP, was restored from the back/forward
    /// cache, or did not change.
    pub status: Option<u16>,
    /// The remote address that answered, spelled as the browser reports it (`1.2.3.4`, `[::1]`).
    pub remote_address: Option<String>,
    /// The loaded document.
    pub kind: ArrivalKind,
}

/// The result of a navigation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrivalKind {
    /// The tab shows a new document.
    NewDocument,
    /// Only the fragment or the history state changed.
    SameDocument,
    /// The previous document was restored from the back/forward cache.
    Restored,
    /// The address is a download; the page did not change.
    Download,
}

/// The end of a navigation, successful or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    Arrived(Arrival),
    /// The browser's error text: `net::ERR_…`.
    Failed(String),
    Crashed,
}

/// The events that `Progress` reads.
pub(super) const FOLLOWED: &[&str] = &[
    "Page.frameNavigated",
    "Page.navigatedWithinDocument",
    "Page.lifecycleEvent",
    "Page.frameStartedNavigating",
    "Network.responseReceived",
    "Network.loadingFailed",
    "Inspector.targetCrashed",
];

/// The error of a navigation that was replaced, was stopped, or had nothing to show.
pub(super) const ABORTED: &str = "net::ERR_ABORTED";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Lifecycle {
    frame_id: String,
    #[serde(default)]
    loader_id: String,
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResponseReceived {
    request_id: String,
    #[serde(default, rename = "type")]
    kind: String,
    response: ResponseData,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResponseData {
    status: u16,
    #[serde(default, rename = "remoteIPAddress")]
    remote_address: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LoadingFailed {
    request_id: String,
    error_text: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StartedNavigating {
    frame_id: String,
    loader_id: String,
    #[serde(default)]
    url: String,
}

/// The progress of one navigation of the main frame.
#[derive(Default)]
pub(super) struct Progress {
    /// The main frame's id.
    main: String,
    /// The loader of the document being loaded, once known. A document's own request uses its loader's id as its
    /// request id.
    started: Option<String>,
    /// The loader of the requested document, once the browser has named it.
    expected: Option<String>,
    /// True once that document was committed, even if another one followed.
    reached: bool,
    /// The address that the main frame last started to load.
    heading_for: String,
    /// The loader and the address of the main frame's newest document.
    committed: Option<(String, String)>,
    /// The newest document is an error page.
    is_error_page: bool,
    /// Loaders of documents that were parsed before their commit was reported.
    parsed: Vec<String>,
    responses: Vec<ResponseReceived>,
    failures: Vec<LoadingFailed>,
}

impl Progress {
    pub(super) fn new(main_frame: &str) -> Self {
        Self { main: main_frame.to_owned(), ..Self::default() }
    }
    /// Records the loader that the browser's reply named.
    pub(super) fn expect(&mut self, loader: &str) {
        self.started = Some(loader.to_owned());
        self.expected = Some(loader.to_owned());
    }
    /// Returns the address that the page last started to load by itself, or an empty string.
    pub(super) fn heading_for(&self) -> &str {
        &self.heading_for
    }
    /// Returns true if another document was committed in place of the requested one.
    pub(super) fn was_diverted(&self) -> bool {
        self.expected.is_some() && !self.reached && self.committed.is_some()
    }

    pub(super) fn event(&mut self, event: &Event) -> Option<End> {
        match event.method() {
            "Inspector.targetCrashed" => Some(End::Crashed),
            "Page.frameStartedNavigating" => {
                let started = event.read::<StartedNavigating>()?;
                if started.frame_id == self.main {
                    self.started = Some(started.loader_id);
                    self.heading_for = started.url;
                }
                None
            }
            "Network.responseReceived" => {
                let received = event.read::<ResponseReceived>()?;
                if received.kind == "Document" {
                    self.responses.push(received);
                }
                None
            }
            "Network.loadingFailed" => {
                let failed = event.read::<LoadingFailed>()?;
                // Other failures end with an error page, and its commit is the end. This one leaves the old page in
                // place.
                let left = failed.error_text == ABORTED && self.started.as_ref() == Some(&failed.request_id);
                self.failures.push(failed);
                left.then(|| End::Failed(ABORTED.to_owned()))
            }
            "Page.navigatedWithinDocument" => {
                let within = event.read::<NavigatedWithinDocument>()?;
                // During a load, the current document causes this event, not the requested navigation.
                let ours = within.frame_id == self.main && self.committed.is_none();
                ours.then(|| End::Arrived(Arrival::without_load(within.url, ArrivalKind::SameDocument)))
            }
            "Page.frameNavigated" => self.navigated(event.read()?),
            "Page.lifecycleEvent" => {
                let lifecycle = event.read::<Lifecycle>()?;
                if lifecycle.frame_id != self.main || lifecycle.name != "DOMContentLoaded" {
                    return None;
                }
                self.parsed.push(lifecycle.loader_id);
                self.arrived()
            }
            _ => None,
        }
    }

    fn navigated(&mut self, navigated: FrameNavigated) -> Option<End> {
        if navigated.frame.id != self.main {
            return None;
        }
        let url = navigated.frame.full_url();
        if navigated.is_restored() {
            return Some(End::Arrived(Arrival::without_load(url, ArrivalKind::Restored)));
        }
        let loader = navigated.frame.loader_id;
        self.reached |= self.expected.as_ref() == Some(&loader);
        self.is_error_page = navigated.frame.unreachable_url.is_some();
        self.committed = Some((loader, url));
        self.arrived()
    }

    /// Returns the arrival once the newest document is parsed. A document that a script replaces during its load does
    /// not count.
    fn arrived(&self) -> Option<End> {
        let (loader, url) = self.committed.as_ref().filter(|(loader, _)| self.parsed.contains(loader))?;
        if self.is_error_page {
            let failure = self.failures.iter().rev().find(|failed| failed.request_id == *loader);
            return Some(End::Failed(failure.map_or("net::ERR_FAILED", |failed| &failed.error_text).to_owned()));
        }
        let mut arrival = Arrival::without_load(url.clone(), ArrivalKind::NewDocument);
        self.add_response(loader, &mut arrival);
        Some(End::Arrived(arrival))
    }

    /// Returns the loader of the committed document if it came from a server and its response has not been reported.
    pub(super) fn loader_without_response(&self, arrival: &Arrival) -> Option<String> {
        let from_server = arrival.url.starts_with("http://") || arrival.url.starts_with("https://");
        let (loader, _) = self.committed.as_ref()?;
        let is_missing = arrival.kind == ArrivalKind::NewDocument && from_server && arrival.status.is_none();
        is_missing.then(|| loader.clone())
    }

    /// Adds the status and the remote address of the loader's response, if it was reported.
    pub(super) fn add_response(&self, loader: &str, arrival: &mut Arrival) {
        if let Some(received) = self.responses.iter().rev().find(|received| received.request_id == loader) {
            arrival.status = Some(received.response.status);
            arrival.remote_address.clone_from(&received.response.remote_address);
        }
    }
}

impl Arrival {
    pub(super) fn without_load(url: String, kind: ArrivalKind) -> Self {
        Self { url, status: None, remote_address: None, kind }
    }
}
