//! The console messages and requests of a tab's page while it was engaged.
//!
//! Owns two rings, fed by the page's events. The details of each request are in `traffic`, and the count of all bytes is
//! in `held_bytes`.

use super::capture_file::Captured;
use super::console_events::{ConsoleCalled, ExceptionThrown};
use super::network_events::NetworkEvent;
use super::traffic::{Part, Traffic};
use crate::devtools::page::FrameData;
use crate::events::Event;
use crate::targets::FrameNavigated;
use gstack_base::clock::now_millis;
use std::collections::VecDeque;
use std::sync::Arc;

/// The number of messages, and of requests, remembered per tab.
pub const RING: usize = 50_000;
/// Longer messages are cut: a page that logs its whole state would fill the memory. In bytes.
const LONGEST_MESSAGE: usize = 4096;
/// In bytes: a `data:` address may contain a whole file.
const LONGEST_URL: usize = 8 * 1024;

/// One console message or uncaught exception.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsoleMessage {
    /// In milliseconds since 1970.
    pub at: u64,
    /// `log`, `warning`, `error` …
    pub level: String,
    pub text: String,
}

/// One request. Times in milliseconds, sizes in bytes over the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestRecord {
    pub id: String,
    /// Counts the tab's requests from 1.
    pub number: u64,
    /// `document`, `xhr`, `websocket` …; empty if the browser does not report it.
    pub kind: String,
    /// When it was sent, in milliseconds since 1970.
    pub at: u64,
    /// The address of the requesting document; empty if unknown.
    pub document: Arc<str>,
    pub method: String,
    pub url: String,
    pub status: Option<u16>,
    pub took: Option<u64>,
    pub size: Option<u64>,
    /// The reason of a failure: `net::ERR_ABORTED`.
    pub failed: Option<String>,
    /// By the browser's own clock, in milliseconds. `None` until an event says it: the creation of a WebSocket has no time.
    started: Option<u64>,
    /// The loader of the requesting document.
    pub(super) loader: String,
    /// Stays open until the page ends, so waits ignore it.
    endless: bool,
    pub(super) done: bool,
}

#[derive(Debug)]
pub struct Journal {
    pub(super) console: VecDeque<ConsoleMessage>,
    /// The total size of `console`.
    pub(super) console_bytes: usize,
    pub(super) requests: VecDeque<RequestRecord>,
    /// The total size of `requests`.
    pub(super) request_bytes: usize,
    /// The tab's requests are being recorded.
    pub(super) is_recorded: bool,
    /// Requests seen so far.
    count: u64,
    /// The number of requests dropped from the ring.
    pub(super) left_out: u64,
    pub(super) traffic: Traffic,
    /// The current document: its loader, its address, and the time it was committed.
    loader: String,
    address: Arc<str>,
    since: u64,
    /// The HTTP method of its request; `None` if that was not seen.
    document_method: Option<String>,
}

impl Default for Journal {
    fn default() -> Self {
        Self {
            console: VecDeque::new(),
            console_bytes: 0,
            requests: VecDeque::new(),
            request_bytes: 0,
            is_recorded: false,
            count: 0,
            left_out: 0,
            traffic: Traffic::default(),
            loader: String::new(),
            address: Arc::from(""),
            since: 0,
            document_method: None,
        }
    }
}

impl Journal {
    /// Returns the HTTP method of the request for the current document. `None` if the document was there before, or
    /// came from a cache.
    pub(in crate::page) fn document_method(&self) -> Option<&str> {
        self.document_method.as_deref()
    }

    /// Returns the requests of the current document; all requests if that document is not known yet.
    pub(in crate::page) fn requests_of_page(&self) -> impl Iterator<Item = &RequestRecord> {
        self.requests.iter().filter(|request| self.loader.is_empty() || request.loader == self.loader)
    }

    /// Returns the console messages since the current document was committed.
    pub(in crate::page) fn console_of_page(&self) -> impl Iterator<Item = &ConsoleMessage> {
        self.console.iter().filter(|message| message.at >= self.since)
    }

    /// Returns the numbers of messages and requests held.
    pub(in crate::page) fn fill(&self) -> (usize, usize) {
        (self.console.len(), self.requests.len())
    }

    pub(in crate::page) fn has_open_requests(&self) -> bool {
        self.requests.iter().any(|request| !request.done && !request.endless)
    }

    /// Applies an event; returns the entry that it completes. `of_page`: the event came from the page itself, not from
    /// an out-of-process frame.
    pub(in crate::page) fn event(&mut self, event: &Event, of_page: bool) -> Option<Captured> {
        let captured = self.apply(event, of_page);
        self.keep_recorded_within();
        captured
    }

    fn apply(&mut self, event: &Event, of_page: bool) -> Option<Captured> {
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
                if of_page && let Some(navigated) = event.read::<FrameNavigated>().filter(FrameNavigated::is_of_page) {
                    self.navigated(&navigated.frame);
                }
                None
            }
            _ => self.network(event, of_page),
        }
    }

    /// Applies a navigation of the main frame: requests that the previous document left open get no response any more.
    fn navigated(&mut self, frame: &FrameData) {
        self.loader.clone_from(&frame.loader_id);
        self.address = Arc::from(bounded(frame.url.clone(), LONGEST_URL));
        self.since = now_millis();
        // The request for a document has its loader's id; after redirects, the last request with that id counts.
        let asked = self.requests.iter().rev().find(|request| request.id == frame.loader_id);
        self.document_method = asked.map(|request| request.method.clone());
        for request in self.requests.iter_mut().filter(|request| request.loader != frame.loader_id) {
            request.done = true;
        }
    }

    fn say(&mut self, at: u64, level: String, text: String) -> Captured {
        let text = bounded(text, LONGEST_MESSAGE);
        if self.console.len() == RING {
            self.forget_message();
        }
        let message = ConsoleMessage { at, level, text };
        self.console_bytes += message.weight();
        self.console.push_back(message.clone());
        Captured::Console(message)
    }

    /// Applies a network event. `of_page`: it came from the page itself.
    fn network(&mut self, event: &Event, of_page: bool) -> Option<Captured> {
        let seen = event.read::<NetworkEvent>()?;
        let millis = seen.timestamp.map(whole_millis);
        match event.method() {
            "Network.requestWillBeSent" => {
                self.asked(event, seen, millis);
                return None;
            }
            "Network.webSocketCreated" => {
                // Requests of other sessions come without their document.
                let document = if of_page { self.address.clone() } else { Arc::from("") };
                let loader = if of_page { self.loader.clone() } else { String::new() };
                let url = bounded(seen.url, LONGEST_URL);
                self.push(RequestRecord {
                    document,
                    loader,
                    ..record(seen.request_id, "GET".to_owned(), url, "WebSocket", millis)
                });
                return None;
            }
            _ => {}
        }
        if let Some(part) = Part::of(event.method()) {
            self.traffic.note(&seen.request_id, part, event);
        }
        let record = self.requests.iter_mut().rev().find(|record| record.id == seen.request_id)?;
        record.started = record.started.or(millis);
        match event.method() {
            "Network.responseReceived" | "Network.webSocketHandshakeResponseReceived" => {
                record.status = seen.response.map(|response| response.status);
            }
            "Network.loadingFinished" => {
                record.done = true;
                record.size = seen.encoded_data_length.map(|bytes| if bytes > 0.0 { bytes as u64 } else { 0 });
            }
            "Network.loadingFailed" | "Network.webSocketFrameError" => {
                record.done = true;
                record.failed = seen.error_text.or(seen.error_message);
            }
            "Network.webSocketClosed" => record.done = true,
            _ => return None,
        }
        if !record.done {
            return None;
        }
        record.took = took(record.started, millis);
        Some(Captured::Request(record.clone()))
    }

    fn asked(&mut self, event: &Event, seen: NetworkEvent, millis: Option<u64>) {
        let Some(request) = seen.request else { return };
        // The same id again means a redirect: the previous hop is complete.
        if let Some(before) = self.requests.iter_mut().rev().find(|record| record.id == seen.request_id) {
            before.done = true;
            before.status = before.status.or(seen.redirect_response.map(|response| response.status));
            before.took = before.took.or_else(|| took(before.started, millis));
            self.traffic.redirected(&seen.request_id, event);
        }
        let same = self.requests.back().filter(|last| *last.document == *seen.document_url);
        let document =
            same.map_or_else(|| Arc::from(bounded(seen.document_url, LONGEST_URL)), |last| last.document.clone());
        let url = bounded(request.url, LONGEST_URL);
        let at = seen.wall_time.map_or_else(now_millis, whole_millis);
        let id = seen.request_id.clone();
        let known = record(seen.request_id, request.method, url, &seen.kind, millis);
        self.push(RequestRecord { document, at, loader: seen.loader_id, ..known });
        self.traffic.note(&id, Part::Sent, event);
    }

    fn push(&mut self, record: RequestRecord) {
        if self.requests.len() == RING {
            self.forget_request();
        }
        self.count += 1;
        self.traffic.begin(&record.id, self.count);
        self.request_bytes += record.weight();
        self.requests.push_back(RequestRecord { number: self.count, ..record });
    }

    /// Returns the number of requests dropped because there were too many.
    pub(super) fn left_out(&self) -> u64 {
        self.left_out
    }

    /// While true, keeps more, independently of other tabs. Returns the newest request's number.
    pub(super) fn keep_more(&mut self, more: bool) -> u64 {
        self.is_recorded = more;
        self.count
    }

    /// Returns the requests after this one, oldest first.
    pub(super) fn requests_after(&self, number: u64) -> impl Iterator<Item = &RequestRecord> {
        self.requests.iter().filter(move |record| record.number > number)
    }

    pub(super) fn request(&self, number: u64) -> Option<&RequestRecord> {
        let at = self.requests.binary_search_by_key(&number, |record| record.number).ok()?;
        self.requests.get(at)
    }
}

/// Creates the record of a new request.
fn record(id: String, method: String, url: String, kind: &str, started: Option<u64>) -> RequestRecord {
    RequestRecord {
        id,
        number: 0,
        kind: kind.to_ascii_lowercase(),
        at: now_millis(),
        document: Arc::from(""),
        method,
        url,
        status: None,
        took: None,
        size: None,
        failed: None,
        started,
        loader: String::new(),
        endless: matches!(kind, "EventSource" | "WebSocket" | "Ping" | "Media"),
        done: false,
    }
}

/// `None` if the browser did not say when it started or ended.
fn took(started: Option<u64>, ended: Option<u64>) -> Option<u64> {
    Some(ended?.saturating_sub(started?))
}

/// Cuts a text of the page. Returns a new string, to free the old one's memory, which may be megabytes.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_websocket_does_not_show_how_long_the_machine_has_run() {
        use serde_json::{Value, json, value::to_raw_value};
        let timed = |method: &str, mut params: Value, seconds: Option<f64>| {
            params["requestId"] = json!("1");
            if let Some(seconds) = seconds {
                params["timestamp"] = json!(seconds);
            }
            Event::new(None, method, Some(&to_raw_value(&params).unwrap()))
        };
        let error = json!({ "errorMessage": "net::ERR_CONNECTION_REFUSED" });
        for (handshake, failure, took) in [
            (Some(1741.95), Some(1741.957), Some(7)),
            (None, Some(1741.957), Some(0)),
            (None, None, None),
            (Some(1741.957), None, None),
        ] {
            let mut journal = Journal::default();
            let created = json!({ "url": "ws://127.0.0.1:1/" });
            assert!(journal.event(&timed("Network.webSocketCreated", created, None), true).is_none());
            if handshake.is_some() {
                let sent = json!({ "request": { "headers": {} } });
                journal.event(&timed("Network.webSocketWillSendHandshakeRequest", sent, handshake), true);
            }
            journal.event(&timed("Network.webSocketFrameError", error.clone(), failure), true);
            let record = journal.requests.back().unwrap();
            assert_eq!((record.took, record.done), (took, true), "{handshake:?} {failure:?}");
            assert_eq!(record.failed.as_deref(), Some("net::ERR_CONNECTION_REFUSED"));
        }
    }

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
        journal.shrink(1024 * 1024);
        let held: usize = journal.console.iter().map(|message| message.text.len()).sum();
        assert!(held <= 1024 * 1024 && held <= journal.bytes() && journal.bytes() <= 1024 * 1024, "{held}");
        assert!(journal.console.capacity() <= 2 * journal.console.len(), "the ring is as large as before");
        assert_eq!(journal.console.back().map(|message| message.at), Some(3999), "the newest are kept");
        journal.clear_console();
        assert_eq!(journal.bytes(), 0);
    }
}
