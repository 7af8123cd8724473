//! The task that feeds the journals of a browser's engaged tabs with its events.
//!
//! Owns the choice of events and the tab of each. The journal decides what to keep.

use super::capture_file::{CaptureFile, Captured};
use super::recording;
use crate::browser::Browser;
use crate::events::Filter;
use crate::page::budget;
use crate::page::page::{Memories, lock, memory_of};
use crate::shared::Role;
use serde::Deserialize;
use std::sync::Arc;

/// The limit of all tabs is checked after this growth, in bytes.
const GROWTH: usize = 64 * 1024;

/// Feeds the journals of all engaged tabs of a browser from the first event on, including popups before any command
/// works on them. Includes events of out-of-process frames and workers: a request may begin in one and end in another.
/// Ends with the memories or the browser.
pub(in crate::page) fn feed(browser: &Browser, memories: &Memories, capture: Option<CaptureFile>) {
    let methods = [
        "Runtime.consoleAPICalled",
        "Runtime.exceptionThrown",
        "Page.frameNavigated",
        "Network.requestWillBeSent",
        "Network.responseReceived",
        "Network.loadingFinished",
        "Network.loadingFailed",
        "Network.requestWillBeSentExtraInfo",
        "Network.responseReceivedExtraInfo",
        "Network.webSocketCreated",
        "Network.webSocketWillSendHandshakeRequest",
        "Network.webSocketHandshakeResponseReceived",
        "Network.webSocketFrameSent",
        "Network.webSocketFrameReceived",
        "Network.webSocketFrameError",
        "Network.webSocketClosed",
        "Network.eventSourceMessageReceived",
        "Page.javascriptDialogOpening",
    ];
    let cdp = browser.cdp();
    let mut events = cdp.subscribe(Filter::all().methods(&methods));
    let memories = Arc::downgrade(memories);
    let shared = Arc::downgrade(&browser.shared);
    let gone = browser.gone().clone();
    let cdp_of_feed = cdp.clone();
    cdp.tasks().spawn(async move {
        let mut grown = 0;
        loop {
            let event = tokio::select! {
                () = gone.cancelled() => return,
                event = events.next() => event,
            };
            let (Some(event), Some(memories), Some(shared)) = (event, memories.upgrade(), shared.upgrade()) else {
                return;
            };
            let role = event.session().and_then(|session| shared.state().sessions.get(session).cloned());
            let (tab, of_page) = match role {
                Some(Role::Page(tab)) => (tab, true),
                Some(Role::Frame(tab) | Role::Worker(tab)) => (tab, false),
                _ => continue,
            };
            if event.method() == "Page.javascriptDialogOpening" {
                if let (Some(capture), Some(dialog)) = (&capture, event.read::<Opening>()) {
                    capture.dialog(tab, &dialog.kind, &dialog.message);
                }
                continue;
            }
            let browser = Browser { shared };
            let memory = memory_of(&mut lock(&memories), tab, &browser);
            let captured = {
                let mut journal = lock(&memory.journal);
                let before = journal.bytes();
                let captured = journal.event(&event, of_page);
                grown += journal.bytes().saturating_sub(before);
                captured
            };
            if grown >= GROWTH {
                grown = 0;
                budget::keep_within(&mut lock(&memories), &browser);
            }
            if let (Some(Captured::Request(done)), Some(session)) = (&captured, event.session())
                && done.failed.is_none()
            {
                let bytes = done.size.and_then(|size| usize::try_from(size).ok()).unwrap_or_default();
                let session = cdp_of_feed.session(session.clone());
                recording::finished(&memory.recorded_requests, done.number, &session, &done.id, bytes);
            }
            if let (Some(capture), Some(captured)) = (&capture, captured) {
                capture.take(tab, &captured);
            }
            memory.journal_grew.notify_waiters();
        }
    });
}

#[derive(Deserialize)]
struct Opening {
    #[serde(rename = "type")]
    kind: String,
    message: String,
}
