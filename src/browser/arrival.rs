//! When a navigation of the main frame is done, and with what.
//!
//! Owns the reading of the events between start and end of one navigation. Pure: it is told of events in their
//! order and says when it is over.

use super::events::Event;
use super::targets::{FrameNavigated, NavigatedWithinDocument};
use serde::Deserialize;

/// Where a navigation ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// After all redirects.
    pub url: String,
    /// The document's HTTP status; none for documents without HTTP, restored from memory, or within the same one.
    pub status: Option<u16>,
    /// The address that answered, as the browser spells it (`1.2.3.4`, `[::1]`).
    pub remote_address: Option<String>,
    pub kind: ArrivalKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrivalKind {
    NewDocument,
    /// Only the fragment or the history state changed.
    SameDocument,
    /// The former document came back whole from memory.
    Restored,
    /// The address is a file to download; the page stayed.
    Download,
}

/// How a navigation ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    Arrived(Arrival),
    /// The browser's reason: `net::ERR_…`.
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

/// The reason of navigations that were left, stopped, or answered by nothing to show.
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

/// One navigation of the main frame under way.
#[derive(Default)]
pub(super) struct Progress {
    /// The main frame's id.
    main: String,
    /// The document that is being loaded, once it is known. A document's own request has its loader's id.
    started: Option<String>,
    /// The document that was asked for, where the browser has named it.
    expected: Option<String>,
    /// That document has come, whatever came after it.
    reached: bool,
    /// Where the main frame set out for last.
    heading_for: String,
    /// The main frame's newest document and its address.
    committed: Option<(String, String)>,
    /// The newest document tells of a failure.
    is_error_page: bool,
    /// Documents that were parsed before they were reported as committed.
    parsed: Vec<String>,
    responses: Vec<ResponseReceived>,
    failures: Vec<LoadingFailed>,
}

impl Progress {
    pub(super) fn new(main_frame: &str) -> Self {
        Self { main: main_frame.to_owned(), ..Self::default() }
    }
    /// The browser's answer named the document to come.
    pub(super) fn expect(&mut self, loader: &str) {
        self.started = Some(loader.to_owned());
        self.expected = Some(loader.to_owned());
    }
    /// Where the page itself went last, as far as that is known.
    pub(super) fn heading_for(&self) -> &str {
        &self.heading_for
    }
    /// Another document has come in the place of the one that was asked for.
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
                // Other failures end in an error page, whose coming is the end; this one leaves the old page.
                let left = failed.error_text == ABORTED && self.started.as_ref() == Some(&failed.request_id);
                self.failures.push(failed);
                left.then(|| End::Failed(ABORTED.to_owned()))
            }
            "Page.navigatedWithinDocument" => {
                let within = event.read::<NavigatedWithinDocument>()?;
                // During a load it is that document's own doing, not what was asked for.
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

    /// Done once the newest document is parsed: one that script replaces while it loads does not count.
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

    /// The document that has come, if it was loaded from a server and nothing has told of the response.
    pub(super) fn loader_without_response(&self, arrival: &Arrival) -> Option<String> {
        let from_server = arrival.url.starts_with("http://") || arrival.url.starts_with("https://");
        let (loader, _) = self.committed.as_ref()?;
        let is_missing = arrival.kind == ArrivalKind::NewDocument && from_server && arrival.status.is_none();
        is_missing.then(|| loader.clone())
    }

    /// Adds the response of a document, if it is known by now.
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
