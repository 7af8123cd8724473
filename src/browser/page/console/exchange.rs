//! One complete request: its headers, response, timing and bodies.
//!
//! Owns the parsing of what `traffic` keeps, and the requests to the browser for a body. Redacts nothing: callers
//! decide what to show.

use super::body::Body;
use super::journal::RequestRecord;
use super::traffic::{Kept, SocketMessage};
use crate::cdp::CdpError;
use crate::devtools::network::ResponseBody;
use crate::error::BrowserError;
use crate::events::Event;
use crate::page::error::PageError;
use crate::page::page::Page;
use crate::page::script::call;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// A name and a value, as sent; a name may occur several times.
pub type Header = (String, String);

/// One request and its response.
#[derive(Clone, Debug)]
pub struct Exchange {
    pub record: RequestRecord,
    /// False if its details are no longer kept: then only the record is known.
    pub is_kept: bool,
    pub request_headers: Vec<Header>,
    /// The body, if the browser reported it with the request.
    pub posted: Option<String>,
    pub has_posted: bool,
    pub answer: Option<Answer>,
    /// `script http://a.example/app.js:12`
    pub initiator: String,
    pub messages: Vec<SocketMessage>,
    pub messages_left_out: u64,
    /// In milliseconds.
    pub timing: Option<Timing>,
    /// Another request with the same id followed: the response was a redirect.
    pub is_redirect: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Answer {
    pub status: u16,
    pub status_text: String,
    pub headers: Vec<Header>,
    pub mime: String,
    pub protocol: String,
    /// As the browser spells it: `127.0.0.1`, `[::1]`.
    pub address: Option<String>,
    pub port: Option<u64>,
    /// `disk cache`, `service worker`; empty: the network.
    pub from: &'static str,
}

/// The duration of each phase, in milliseconds; `None` if the phase did not happen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Timing {
    pub blocked: Option<f64>,
    pub dns: Option<f64>,
    /// Includes `ssl`.
    pub connect: Option<f64>,
    pub ssl: Option<f64>,
    pub send: f64,
    pub wait: f64,
    pub receive: f64,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct SentTold {
    request: RequestTold,
    initiator: InitiatorTold,
    /// In the event of the next hop: the response to this one.
    redirect_response: Option<ResponseTold>,
    response: Option<ResponseTold>,
    /// As sent over the wire.
    headers: Map<String, Value>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct RequestTold {
    headers: Map<String, Value>,
    post_data: Option<String>,
    has_post_data: bool,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct InitiatorTold {
    #[serde(rename = "type")]
    kind: String,
    url: String,
    line_number: Option<f64>,
    stack: Option<StackTold>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct StackTold {
    call_frames: Vec<CallFrameTold>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct CallFrameTold {
    url: String,
    line_number: f64,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct ResponseTold {
    status: u16,
    status_text: String,
    headers: Map<String, Value>,
    mime_type: String,
    protocol: String,
    #[serde(rename = "remoteIPAddress")]
    remote_address: Option<String>,
    remote_port: Option<u64>,
    from_disk_cache: bool,
    from_service_worker: bool,
    timing: Option<TimingTold>,
}

/// In milliseconds after `request_time`, which is in seconds; −1 if it did not happen.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TimingTold {
    request_time: f64,
    dns_start: f64,
    dns_end: f64,
    connect_start: f64,
    connect_end: f64,
    ssl_start: f64,
    ssl_end: f64,
    send_start: f64,
    send_end: f64,
    receive_headers_end: f64,
}

#[derive(Deserialize)]
struct EndedTold {
    timestamp: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PostedTold {
    post_data: String,
    /// The body is bytes, such as a form with files.
    #[serde(default)]
    base64_encoded: bool,
}

impl Exchange {
    pub(super) fn read(record: RequestRecord, kept: Option<&Kept>) -> Self {
        let told = |event: &Option<Event>| event.as_ref().and_then(Event::read::<SentTold>).unwrap_or_default();
        let Some(kept) = kept else { return Self::bare(record) };
        let (sent, received) = (told(&kept.sent), told(&kept.received));
        let (sent_in_fact, received_in_fact) = (told(&kept.sent_in_fact), told(&kept.received_in_fact));
        let is_redirect = received.redirect_response.is_some();
        let response = received.redirect_response.or(received.response);
        let timing = response.as_ref().and_then(|response| response.timing.as_ref());
        let ended = kept.ended.as_ref().and_then(Event::read::<EndedTold>).map(|ended| ended.timestamp);
        let timing = timing.map(|timing| timing.read(ended));
        let prefer = |in_fact: Map<String, Value>, said: &Map<String, Value>| {
            headers(if in_fact.is_empty() { said } else { &in_fact })
        };
        let answer = response.map(|response| Answer {
            status: response.status,
            headers: prefer(received_in_fact.headers, &response.headers),
            status_text: response.status_text,
            mime: response.mime_type,
            protocol: response.protocol,
            address: response.remote_address.filter(|address| !address.is_empty()),
            port: response.remote_port,
            from: match (response.from_service_worker, response.from_disk_cache) {
                (true, _) => "service worker",
                (_, true) => "disk cache",
                _ => "",
            },
        });
        Self {
            record,
            is_kept: true,
            request_headers: prefer(sent_in_fact.headers, &sent.request.headers),
            has_posted: sent.request.has_post_data || sent.request.post_data.is_some(),
            posted: sent.request.post_data,
            answer,
            initiator: sent.initiator.words(),
            messages: kept.messages.iter().cloned().collect(),
            messages_left_out: kept.messages_left_out,
            timing,
            is_redirect,
        }
    }

    fn bare(record: RequestRecord) -> Self {
        Self {
            record,
            is_kept: false,
            request_headers: Vec::new(),
            posted: None,
            has_posted: false,
            answer: None,
            initiator: String::new(),
            messages: Vec::new(),
            messages_left_out: 0,
            timing: None,
            is_redirect: false,
        }
    }
}

/// Splits headers. A header that occurred several times has one value with one line each.
fn headers(told: &Map<String, Value>) -> Vec<Header> {
    let lines = |(name, value): (&String, &Value)| {
        let lines = value.as_str().unwrap_or_default().split('\n');
        lines.map(|line| (name.clone(), line.to_owned())).collect::<Vec<_>>()
    };
    told.iter().flat_map(lines).collect()
}

impl InitiatorTold {
    fn words(&self) -> String {
        let frame = self.stack.as_ref().and_then(|stack| stack.call_frames.first());
        let (url, line) = match frame {
            Some(frame) => (frame.url.as_str(), Some(frame.line_number)),
            None => (self.url.as_str(), self.line_number),
        };
        let line = line.map(|line| format!(":{}", line + 1.0)).unwrap_or_default();
        let url = if url.is_empty() { String::new() } else { format!(" {url}{line}") };
        format!("{}{url}", self.kind)
    }
}

impl TimingTold {
    /// Converts the timing. `ended`: when the last byte arrived, in seconds of the browser's clock.
    fn read(&self, ended: Option<f64>) -> Timing {
        let between = |from: f64, to: f64| (from >= 0.0 && to >= from).then_some(to - from);
        let first = [self.dns_start, self.connect_start, self.send_start];
        let headers_at = self.request_time * 1000.0 + self.receive_headers_end;
        Timing {
            blocked: first.into_iter().find(|at| *at >= 0.0),
            dns: between(self.dns_start, self.dns_end),
            connect: between(self.connect_start, self.connect_end),
            ssl: between(self.ssl_start, self.ssl_end),
            send: between(self.send_start, self.send_end).unwrap_or_default(),
            wait: between(self.send_end, self.receive_headers_end).unwrap_or_default(),
            receive: ended.map(|ended| (ended * 1000.0 - headers_at).max(0.0)).unwrap_or_default(),
        }
    }
}

impl Page {
    /// Returns the tab's request with this number. `None` if there is none, or it is no longer listed.
    pub fn exchange(&self, number: u64) -> Option<Exchange> {
        let record = self.memory.journal().request(number).cloned()?;
        Some(Exchange::read(record, self.kept_of(number).as_ref()))
    }

    fn kept_of(&self, number: u64) -> Option<Kept> {
        self.memory.journal().traffic.get(number).cloned()
    }

    /// Returns the number of requests that are no longer listed.
    pub fn requests_left_out(&self) -> u64 {
        self.memory.journal().left_out()
    }

    /// Returns true if a response came from a refused address.
    pub fn refuses_answer(&self, exchange: &Exchange) -> bool {
        let address = exchange.answer.as_ref().and_then(|answer| answer.address.as_deref());
        address.is_some_and(|address| self.browser().refuses(address))
    }

    /// Returns the body of the response.
    pub async fn response_body(&self, exchange: &Exchange) -> Result<Body, PageError> {
        let wants_one = exchange.answer.is_some() && !exchange.is_redirect && exchange.record.kind != "websocket";
        if !wants_one {
            return Ok(Body::None);
        }
        match self.ask_about(exchange, "Network.getResponseBody").await? {
            Some(told) => Body::of_answer(told),
            None => Ok(Body::Gone),
        }
    }

    /// Returns the body of the request.
    pub async fn request_body(&self, exchange: &Exchange) -> Result<Body, PageError> {
        match &exchange.posted {
            Some(posted) => Ok(Body::Text(posted.clone())),
            None if !exchange.has_posted => Ok(Body::None),
            None => {
                let told: Option<PostedTold> = self.ask_about(exchange, "Network.getRequestPostData").await?;
                match told {
                    None => Ok(Body::Gone),
                    Some(told) => {
                        Body::of_answer(ResponseBody { body: told.post_data, base64_encoded: told.base64_encoded })
                    }
                }
            }
        }
    }

    /// Asks the browser. Returns `None` if the browser, or the requesting document, no longer holds it.
    async fn ask_about<T: serde::de::DeserializeOwned>(
        &self,
        exchange: &Exchange,
        method: &'static str,
    ) -> Result<Option<T>, PageError> {
        let Some(session) = self.kept_of(exchange.record.number).and_then(|kept| kept.session().cloned()) else {
            return Ok(None);
        };
        let session = self.browser().cdp().session(session);
        match call(&session, method, &json!({ "requestId": exchange.record.id })).await {
            Ok(told) => Ok(Some(told)),
            Err(PageError::Browser(BrowserError::Cdp(CdpError::Protocol { .. }))) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_request_take_what_is_between_their_ends() {
        let told = TimingTold {
            request_time: 10.0,
            dns_start: 2.0,
            dns_end: 5.0,
            connect_start: 5.0,
            connect_end: 15.0,
            ssl_start: -1.0,
            ssl_end: -1.0,
            send_start: 15.0,
            send_end: 16.0,
            receive_headers_end: 30.0,
        };
        let timing = told.read(Some(10.05));
        assert_eq!((timing.blocked, timing.dns, timing.connect, timing.ssl), (Some(2.0), Some(3.0), Some(10.0), None));
        assert_eq!((timing.send, timing.wait), (1.0, 14.0));
        assert!((timing.receive - 20.0).abs() < 1e-6, "{}", timing.receive);
        assert_eq!(told.read(None).receive, 0.0);
    }

    #[test]
    fn a_header_that_came_twice_is_two_headers() {
        let Value::Object(told) = json!({ "Set-Cookie": "a=1\nb=2", "X": "y" }) else { panic!() };
        let named = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(headers(&told), [named("Set-Cookie", "a=1"), named("Set-Cookie", "b=2"), named("X", "y")]);
    }
}
