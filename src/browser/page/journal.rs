//! What a tab's page said and asked for while it was engaged: console messages and requests.
//!
//! Owns two rings of bounded size, fed by the page's events. Never holds bodies or headers.

use super::capture_file::{CaptureFile, Captured};
use super::console_events::{ConsoleCalled, ExceptionThrown};
use super::page::{Memories, lock, memory_of};
use crate::base::clock::now_millis;
use crate::browser::browser::{Browser, Role};
use crate::browser::events::{Event, Filter};
use serde::Deserialize;
use std::collections::VecDeque;
use std::sync::Arc;

/// Messages and requests remembered a tab.
pub const RING: usize = 50_000;
/// What the messages of one tab may take, in bytes: beyond it the oldest go before there are [`RING`].
const MOST_BYTES: usize = 8 * 1024 * 1024;
/// Longer messages are cut: a page that logs its whole state would fill the memory.
const LONGEST_MESSAGE: usize = 4096;
/// A `data:` address may be a whole file, in bytes.
const LONGEST_URL: usize = 8 * 1024;

/// One console message or uncaught exception.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsoleMessage {
    /// Milliseconds since 1970.
    pub at: u64,
    /// `log`, `warning`, `error` …
    pub level: String,
    pub text: String,
}

/// One request. Times in milliseconds, sizes in bytes as they came over the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestRecord {
    pub id: String,
    pub method: String,
    pub url: String,
    pub status: Option<u16>,
    pub took: Option<u64>,
    pub size: Option<u64>,
    /// Why it failed: `net::ERR_ABORTED`.
    pub failed: Option<String>,
    /// The browser's own clock, in milliseconds.
    started: u64,
    /// The document that asked for it.
    loader: String,
    /// It ends only when the page does: nobody waits for it.
    endless: bool,
    done: bool,
}

#[derive(Debug, Default)]
pub struct Journal {
    console: VecDeque<ConsoleMessage>,
    /// Of the texts in `console`.
    console_bytes: usize,
    requests: VecDeque<RequestRecord>,
    /// The document in view: its loader, and since when it is there.
    loader: String,
    since: u64,
}

impl Journal {
    /// The requests of the document in view; before the first is known, all.
    pub(super) fn requests_of_page(&self) -> impl Iterator<Item = &RequestRecord> {
        self.requests.iter().filter(|request| self.loader.is_empty() || request.loader == self.loader)
    }

    /// What was said since the document in view is there.
    pub(super) fn console_of_page(&self) -> impl Iterator<Item = &ConsoleMessage> {
        self.console.iter().filter(|message| message.at >= self.since)
    }

    /// Messages and requests that are held.
    pub(super) fn fill(&self) -> (usize, usize) {
        (self.console.len(), self.requests.len())
    }

    pub(super) fn has_open_requests(&self) -> bool {
        self.requests.iter().any(|request| !request.done && !request.endless)
    }

    /// `of_page`: it came from the page itself, not from a frame in a process of its own.
    /// Gives what is complete with it.
    fn event(&mut self, event: &Event, of_page: bool) -> Option<Captured> {
        match event.method() {
            "Runtime.consoleAPICalled" => {
                let called = event.read::<ConsoleCalled>()?;
                Some(self.say(called.at(), called.level().to_owned(), called.text()))
            }
            "Runtime.exceptionThrown" => {
                let thrown = event.read::<ExceptionThrown>()?;
                Some(self.say(now_millis(), "error".to_owned(), thrown.text()))
            }
            "Page.frameNavigated" => {
                if of_page && let Some(navigated) = event.read::<Navigated>() {
                    self.navigated(&navigated.frame);
                }
                None
            }
            _ => self.network(event),
        }
    }

    /// Another main document: what the one before had open is no longer answered.
    fn navigated(&mut self, frame: &NavigatedFrame) {
        if frame.parent_id.is_some() {
            return;
        }
        self.loader.clone_from(&frame.loader_id);
        self.since = now_millis();
        for request in self.requests.iter_mut().filter(|request| request.loader != frame.loader_id) {
            request.done = true;
        }
    }

    fn say(&mut self, at: u64, level: String, text: String) -> Captured {
        let text = bounded(text, LONGEST_MESSAGE);
        self.console_bytes += text.len();
        while self.console.len() == RING || self.console_bytes > MOST_BYTES {
            let Some(oldest) = self.console.pop_front() else { break };
            self.console_bytes -= oldest.text.len();
        }
        let message = ConsoleMessage { at, level, text };
        self.console.push_back(message.clone());
        Captured::Console(message)
    }

    fn network(&mut self, event: &Event) -> Option<Captured> {
        let seen = event.read::<NetworkEvent>()?;
        let millis = seen.timestamp.map_or(0, whole_millis);
        if event.method() == "Network.requestWillBeSent" {
            let request = seen.request?;
            // The same id again is a redirect: the hop before is over.
            if let Some(before) = self.requests.iter_mut().rev().find(|record| record.id == seen.request_id) {
                before.done = true;
                before.status = before.status.or(seen.redirect_response.map(|response| response.status));
                before.took = before.took.or(Some(millis.saturating_sub(before.started)));
            }
            if self.requests.len() == RING {
                self.requests.pop_front();
            }
            self.requests.push_back(RequestRecord {
                id: seen.request_id,
                method: request.method,
                url: bounded(request.url, LONGEST_URL),
                status: None,
                took: None,
                size: None,
                failed: None,
                started: millis,
                loader: seen.loader_id,
                endless: matches!(seen.kind.as_str(), "EventSource" | "WebSocket" | "Ping" | "Media"),
                done: false,
            });
            return None;
        }
        let record = self.requests.iter_mut().rev().find(|record| record.id == seen.request_id)?;
        match event.method() {
            "Network.responseReceived" => record.status = seen.response.map(|response| response.status),
            "Network.loadingFinished" => {
                record.done = true;
                record.size = seen.encoded_data_length.map(|bytes| if bytes > 0.0 { bytes as u64 } else { 0 });
            }
            "Network.loadingFailed" => {
                record.done = true;
                record.failed = seen.error_text;
            }
            _ => return None,
        }
        if !record.done {
            return None;
        }
        record.took = Some(millis.saturating_sub(record.started));
        Some(Captured::Request(record.clone()))
    }
}

/// What is kept of a text of the page. A new string: the old one's memory, which may be megabytes, goes.
fn bounded(text: String, most: usize) -> String {
    if text.len() <= most {
        return text;
    }
    let end = (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    format!("{}…", &text[..end])
}

fn whole_millis(seconds: f64) -> u64 {
    // Monotonic seconds since the browser started: far below 2^53 milliseconds.
    (seconds * 1000.0).max(0.0) as u64
}

impl super::page::Page {
    pub fn console(&self) -> Vec<ConsoleMessage> {
        self.memory.journal().console.iter().cloned().collect()
    }
    pub fn clear_console(&self) {
        let mut journal = self.memory.journal();
        journal.console.clear();
        journal.console_bytes = 0;
    }
    pub fn requests(&self) -> Vec<RequestRecord> {
        self.memory.journal().requests.iter().cloned().collect()
    }
    pub fn clear_requests(&self) {
        self.memory.journal().requests.retain(|record| !record.done);
    }
}

/// Feeds the journals of all engaged tabs of a browser, from the first event on: of popups too, before any command is
/// about them. Events of frames and workers in other processes count: a request may begin in one and end in another.
/// Ends with the memories or the browser.
pub(super) fn feed(browser: &Browser, memories: &Memories, capture: Option<CaptureFile>) {
    let methods = [
        "Runtime.consoleAPICalled",
        "Runtime.exceptionThrown",
        "Page.frameNavigated",
        "Network.requestWillBeSent",
        "Network.responseReceived",
        "Network.loadingFinished",
        "Network.loadingFailed",
        "Page.javascriptDialogOpening",
    ];
    let cdp = browser.cdp();
    let mut events = cdp.subscribe(Filter::all().methods(&methods));
    let memories = Arc::downgrade(memories);
    let shared = Arc::downgrade(&browser.shared);
    let gone = browser.gone().clone();
    cdp.tasks().spawn(async move {
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
            let memory = memory_of(&mut lock(&memories), tab, &Browser { shared });
            let captured = lock(&memory.journal).event(&event, of_page);
            if let (Some(capture), Some(captured)) = (&capture, captured) {
                capture.take(tab, &captured);
            }
            memory.journal_grew.notify_waiters();
        }
    });
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NetworkEvent {
    request_id: String,
    #[serde(default)]
    loader_id: String,
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    timestamp: Option<f64>,
    #[serde(default)]
    request: Option<NetworkRequest>,
    #[serde(default)]
    response: Option<NetworkResponse>,
    #[serde(default)]
    redirect_response: Option<NetworkResponse>,
    #[serde(default)]
    encoded_data_length: Option<f64>,
    #[serde(default)]
    error_text: Option<String>,
}

#[derive(Deserialize)]
struct Opening {
    #[serde(rename = "type")]
    kind: String,
    message: String,
}

#[derive(Deserialize)]
struct Navigated {
    frame: NavigatedFrame,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NavigatedFrame {
    #[serde(default)]
    parent_id: Option<String>,
    loader_id: String,
}

#[derive(Deserialize)]
struct NetworkRequest {
    method: String,
    url: String,
}

#[derive(Deserialize)]
struct NetworkResponse {
    status: u16,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_page_logs_takes_no_more_memory_than_is_kept_of_it() {
        let mut journal = Journal::default();
        let large = "ä".repeat(1_000_000);
        let Captured::Console(message) = journal.say(1, "log".to_owned(), large.clone()) else { panic!("a message") };
        assert!(message.text.len() <= LONGEST_MESSAGE + 3 && message.text.ends_with('…'));
        assert!(journal.console[0].text.capacity() <= 2 * LONGEST_MESSAGE, "the rest of it is still held");
        assert!(bounded(large, LONGEST_URL).capacity() <= 2 * LONGEST_URL);
        for at in 0..4000 {
            journal.say(at, "log".to_owned(), "x".repeat(LONGEST_MESSAGE));
        }
        let held: usize = journal.console.iter().map(|message| message.text.len()).sum();
        assert!(held <= MOST_BYTES && held == journal.console_bytes, "{held}");
        assert_eq!(journal.console.back().map(|message| message.at), Some(3999), "the newest are kept");
    }
}
