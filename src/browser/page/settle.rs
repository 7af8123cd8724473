//! After an action: waiting for the network work that it started.
//!
//! Owns the count of what is under way. Waits only if the action started anything, and at most `SETTLE_LIMIT`.

use super::page::{Page, SCRIPT_LIMIT};
use crate::browser::events::{Event, Subscription};
use serde::Deserialize;
use std::collections::HashSet;
use std::time::Duration;
use tokio::time::Instant;

/// A page that loads for longer is the next command's to wait for.
const SETTLE_LIMIT: Duration = Duration::from_secs(2);

const FOLLOWED: [&str; 8] = [
    "Network.requestWillBeSent",
    "Network.loadingFinished",
    "Network.loadingFailed",
    "Page.frameRequestedNavigation",
    "Page.frameStartedNavigating",
    "Page.domContentEventFired",
    "Page.frameStoppedLoading",
    "Page.navigatedWithinDocument",
];

/// What the tab's network does from the moment this was made.
pub(super) struct Settling {
    events: Subscription,
    main_frame: String,
    work: Underway,
}

#[derive(Debug, Default)]
struct Underway {
    requests: HashSet<String>,
    navigating: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    request_id: String,
    #[serde(rename = "type", default)]
    kind: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Navigation {
    #[serde(default)]
    frame_id: String,
    #[serde(default)]
    navigation_type: String,
    #[serde(default)]
    disposition: String,
}

impl Underway {
    fn event(&mut self, event: &Event, main_frame: &str) {
        match event.method() {
            "Network.requestWillBeSent" => {
                let Some(request) = event.read::<Request>() else { return };
                // These stay open, or nobody waits for them.
                if !matches!(request.kind.as_str(), "EventSource" | "WebSocket" | "Ping" | "Prefetch" | "Media") {
                    self.requests.insert(request.request_id);
                }
            }
            "Network.loadingFinished" | "Network.loadingFailed" => {
                if let Some(request) = event.read::<Request>() {
                    self.requests.remove(&request.request_id);
                }
            }
            "Page.frameRequestedNavigation" | "Page.frameStartedNavigating" => {
                let Some(navigation) = event.read::<Navigation>() else { return };
                let elsewhere = matches!(navigation.disposition.as_str(), "newTab" | "newWindow" | "download");
                let same_document =
                    matches!(navigation.navigation_type.as_str(), "sameDocument" | "historySameDocument");
                if navigation.frame_id == main_frame && !elsewhere && !same_document {
                    self.navigating = true;
                }
            }
            "Page.domContentEventFired" => self.navigating = false,
            // Also how a navigation ends that came to nothing (a download, 204).
            "Page.frameStoppedLoading" | "Page.navigatedWithinDocument" => {
                let ended = event.read::<Navigation>().is_some_and(|ended| ended.frame_id == main_frame);
                self.navigating &= !ended;
            }
            _ => {}
        }
    }
    fn is_idle(&self) -> bool {
        self.requests.is_empty() && !self.navigating
    }
}

impl Settling {
    /// Begin before the action. `None` where the page is hung or gone: then there is nothing to wait for.
    pub(super) fn begin(page: &Page) -> Option<Self> {
        let info = page.info().ok()?;
        let events = page.subscribe(&FOLLOWED).ok()?;
        Some(Self { events, main_frame: info.page?.as_str().to_owned(), work: Underway::default() })
    }

    /// Returns once what the action started has ended.
    pub(super) async fn end(mut self, page: &Page) {
        let deadline = Instant::now() + SETTLE_LIMIT;
        // Handlers have run, and what they asked for has been reported before this answer.
        if let Ok(frame) = page.main_frame().await {
            let drawn: Result<serde_json::Value, _> =
                page.script(&frame.id, "settled", &[], SCRIPT_LIMIT.min(SETTLE_LIMIT)).await;
            if let Err(error) = drawn {
                tracing::trace!(%error, "the page went on before it was settled");
            }
        }
        while let Some(event) = self.events.try_next() {
            self.work.event(&event, &self.main_frame);
        }
        while !self.work.is_idle() {
            match tokio::time::timeout_at(deadline, self.events.next()).await {
                Ok(Some(event)) => self.work.event(&event, &self.main_frame),
                Ok(None) | Err(_) => return,
            }
        }
    }
}
