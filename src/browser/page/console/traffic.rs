//! The details of each request of a tab: headers, timing, request body, socket messages.
//!
//! Owns the store and the count of its bytes; `page::budget` limits them. Keeps the browser's events unparsed;
//! `exchange` parses them on demand. Never holds response bodies: those stay in the browser.

use crate::devtools::target::SessionId;
use crate::events::Event;
use gstack_base::clock::now_millis;
use serde::Deserialize;
use std::collections::{HashMap, VecDeque};

/// The size of an event besides its parameters, in bytes: its session, its method and their headers.
const EVENT_OVERHEAD: usize = 200;
/// The size of a request's details besides its events, in bytes.
const REQUEST_OVERHEAD: usize = 500;
/// In bytes: a larger event (a `data:` address may contain a whole file) is not kept.
const LARGEST_EVENT: usize = 256 * 1024;
/// The limit per socket.
const MOST_MESSAGES: usize = 200;
/// In bytes: a longer message is cut.
const LONGEST_MESSAGE: usize = 4096;
/// The limit of events that arrived before their request.
const MOST_EARLY: usize = 64;
/// Of these, the newest, whose request probably follows.
const EXPECTED_EARLY: usize = 8;

/// The part of a request that an event reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Sent,
    /// The headers as sent over the wire.
    SentInFact,
    Received,
    /// The headers as received over the wire.
    ReceivedInFact,
    Ended,
    Message,
}

impl Part {
    /// Returns the part that an event reports; `None` if it adds nothing.
    pub(super) fn of(method: &str) -> Option<Self> {
        Some(match method {
            "Network.webSocketWillSendHandshakeRequest" => Self::Sent,
            "Network.requestWillBeSentExtraInfo" => Self::SentInFact,
            "Network.responseReceived" | "Network.webSocketHandshakeResponseReceived" => Self::Received,
            "Network.responseReceivedExtraInfo" => Self::ReceivedInFact,
            "Network.loadingFinished" => Self::Ended,
            "Network.webSocketFrameSent" | "Network.webSocketFrameReceived" | "Network.eventSourceMessageReceived" => {
                Self::Message
            }
            _ => return None,
        })
    }
}

/// One message of a WebSocket or of server-sent events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SocketMessage {
    /// In milliseconds since 1970.
    pub at: u64,
    pub sent: bool,
    /// `text`, `binary`, `ping`, `pong`, `close`; for server-sent events, the event's name.
    pub kind: String,
    /// Cut to 4 KiB; binary data is in base64.
    pub text: String,
    /// The full length as reported, in bytes.
    pub length: usize,
}

impl SocketMessage {
    fn weight(&self) -> usize {
        size_of::<Self>() + self.text.len() + self.kind.len()
    }
}

/// The details of one request.
#[derive(Clone, Debug, Default)]
pub(super) struct Kept {
    pub(super) sent: Option<Event>,
    pub(super) sent_in_fact: Option<Event>,
    /// For a redirect, the next hop's event, which contains the response.
    pub(super) received: Option<Event>,
    pub(super) received_in_fact: Option<Event>,
    pub(super) ended: Option<Event>,
    pub(super) messages: VecDeque<SocketMessage>,
    pub(super) messages_left_out: u64,
    id: String,
    bytes: usize,
}

impl Kept {
    /// Returns the session that can return its body.
    pub(super) fn session(&self) -> Option<&SessionId> {
        self.sent.as_ref().and_then(Event::session)
    }

    fn place(&mut self, part: Part) -> Option<&mut Option<Event>> {
        Some(match part {
            Part::Sent => &mut self.sent,
            Part::SentInFact => &mut self.sent_in_fact,
            Part::Received => &mut self.received,
            Part::ReceivedInFact => &mut self.received_in_fact,
            Part::Ended => &mut self.ended,
            Part::Message => return None,
        })
    }
}

#[derive(Debug, Default)]
pub(super) struct Traffic {
    kept: HashMap<u64, Kept>,
    /// The oldest first.
    order: VecDeque<u64>,
    /// The requests with one id: a redirect has several.
    by_id: HashMap<String, Vec<u64>>,
    /// All of it, with what its entries take besides their contents.
    bytes: usize,
    early: VecDeque<(String, Part, Event)>,
}

fn weight(event: &Event) -> usize {
    event.params().len() + EVENT_OVERHEAD
}

impl Traffic {
    /// Adds a request, or the next hop of one.
    pub(super) fn begin(&mut self, id: &str, number: u64) {
        self.kept.insert(number, Kept { id: id.to_owned(), bytes: REQUEST_OVERHEAD, ..Kept::default() });
        self.bytes += REQUEST_OVERHEAD;
        self.order.push_back(number);
        self.by_id.entry(id.to_owned()).or_default().push(number);
        let (of_it, others) = std::mem::take(&mut self.early).into_iter().partition(|(early, ..)| early == id);
        self.early = others;
        let of_it: VecDeque<(String, Part, Event)> = of_it;
        for (id, part, event) in of_it {
            self.bytes -= weight(&event);
            self.note(&id, part, &event);
        }
    }

    /// Records the redirect of the newest hop, which the event of the next hop reports.
    pub(super) fn redirected(&mut self, id: &str, event: &Event) {
        self.note(id, Part::Received, event);
    }

    pub(super) fn note(&mut self, id: &str, part: Part, event: &Event) {
        let Some(numbers) = self.by_id.get(id) else {
            // Another process reports the headers on the wire, possibly before the request.
            if matches!(part, Part::SentInFact | Part::ReceivedInFact) && event.params().len() <= LARGEST_EVENT {
                if self.early.len() == MOST_EARLY {
                    self.forget_early();
                }
                self.bytes += weight(event);
                self.early.push_back((id.to_owned(), part, event.clone()));
            }
            return;
        };
        // These come once per hop, in the order of the hops.
        let in_order = matches!(part, Part::SentInFact | Part::ReceivedInFact);
        let lacks = |number: &&u64| {
            self.kept.get(number).is_some_and(|kept| match part {
                Part::SentInFact => kept.sent_in_fact.is_none(),
                _ => kept.received_in_fact.is_none(),
            })
        };
        let number = if in_order { numbers.iter().find(lacks) } else { numbers.last() };
        let Some(number) = number.copied() else { return };
        let Some(kept) = self.kept.get_mut(&number) else { return };
        let before = kept.bytes;
        match kept.place(part) {
            Some(_) if event.params().len() > LARGEST_EVENT => {}
            Some(place) => {
                let instead = place.replace(event.clone()).map_or(0, |event| weight(&event));
                kept.bytes = kept.bytes + weight(event) - instead;
            }
            None => kept.message(event),
        }
        self.bytes = self.bytes + kept.bytes - before;
    }

    fn forget_early(&mut self) -> bool {
        let oldest = self.early.pop_front();
        self.bytes -= oldest.as_ref().map_or(0, |(_, _, event)| weight(event));
        oldest.is_some()
    }

    /// Drops an event whose request did not follow, else the details of the oldest request. Returns false if there is
    /// nothing left.
    pub(super) fn forget_oldest(&mut self) -> bool {
        if self.early.len() > EXPECTED_EARLY {
            return self.forget_early();
        }
        let Some(number) = self.order.pop_front() else { return self.forget_early() };
        self.forget(number);
        true
    }

    /// Drops the details of all requests but these. `listed` is sorted.
    pub(super) fn keep(&mut self, listed: &[u64]) {
        let gone: Vec<u64> =
            self.order.iter().copied().filter(|number| listed.binary_search(number).is_err()).collect();
        self.order.retain(|number| listed.binary_search(number).is_ok());
        for number in gone {
            self.forget(number);
        }
    }

    fn forget(&mut self, number: u64) {
        let Some(kept) = self.kept.remove(&number) else { return };
        self.bytes -= kept.bytes;
        if let Some(numbers) = self.by_id.get_mut(&kept.id) {
            numbers.retain(|known| *known != number);
            if numbers.is_empty() {
                self.by_id.remove(&kept.id);
            }
        }
    }

    /// Returns the memory of dropped entries to the allocator.
    pub(super) fn tidy(&mut self) {
        self.kept.shrink_to(self.kept.len() * 2);
        self.by_id.shrink_to(self.by_id.len() * 2);
        self.order.shrink_to(self.order.len() * 2);
    }

    /// Returns the bytes that it holds.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the details; `None` if they were dropped.
    pub(super) fn get(&self, number: u64) -> Option<&Kept> {
        self.kept.get(&number)
    }
}

impl Kept {
    fn message(&mut self, event: &Event) {
        let Some(told) = event.read::<MessageTold>() else { return };
        let (kind, text) = match told.response {
            Some(frame) => (opcode(frame.opcode), frame.payload_data),
            None => (told.event_name, told.data),
        };
        let sent = event.method() == "Network.webSocketFrameSent";
        let length = text.len();
        let message = SocketMessage { at: now_millis(), sent, kind, text: cut(text), length };
        self.bytes += message.weight();
        self.messages.push_back(message);
        if self.messages.len() > MOST_MESSAGES
            && let Some(oldest) = self.messages.pop_front()
        {
            self.bytes -= oldest.weight();
            self.messages_left_out += 1;
        }
    }
}

/// Cuts a text. Returns a new string, to free the old one's memory, which may be megabytes.
fn cut(text: String) -> String {
    if text.len() <= LONGEST_MESSAGE {
        return text;
    }
    let end = (0..=LONGEST_MESSAGE).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    format!("{}…", &text[..end])
}

/// Names an opcode (RFC 6455, section 5.2).
fn opcode(code: f64) -> String {
    let name = match code as u8 {
        1 => "text",
        8 => "close",
        9 => "ping",
        10 => "pong",
        _ => "binary",
    };
    name.to_owned()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MessageTold {
    #[serde(default)]
    response: Option<FrameTold>,
    #[serde(default)]
    event_name: String,
    #[serde(default)]
    data: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FrameTold {
    #[serde(default)]
    opcode: f64,
    #[serde(default)]
    payload_data: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use serde_json::value::to_raw_value;

    const MEBIBYTE: usize = 1024 * 1024;

    fn event(method: &str, params: &serde_json::Value) -> Event {
        Event::new(None, method, Some(&to_raw_value(params).unwrap()))
    }

    #[test]
    fn what_was_said_takes_no_more_memory_than_is_kept_of_it() {
        let mut traffic = Traffic::default();
        let large = event("Network.responseReceived", &json!({ "requestId": "1", "x": "a".repeat(LARGEST_EVENT) }));
        traffic.begin("1", 1);
        traffic.note("1", Part::Received, &large);
        assert!(
            traffic.get(1).unwrap().received.is_none() && traffic.bytes == REQUEST_OVERHEAD,
            "one that is too large"
        );
        let some = json!({ "requestId": "x", "x": "a".repeat(100_000) });
        for number in 2..200 {
            traffic.begin(&number.to_string(), number);
            traffic.note(&number.to_string(), Part::Received, &event("Network.responseReceived", &some));
        }
        while traffic.bytes() > MEBIBYTE {
            assert!(traffic.forget_oldest());
        }
        let held: usize = traffic.kept.values().map(|kept| kept.bytes).sum();
        assert!(held <= MEBIBYTE && held == traffic.bytes, "{held} {}", traffic.bytes);
        assert!(traffic.get(199).is_some() && traffic.get(1).is_none(), "the newest are kept");
        assert_eq!((traffic.by_id.len(), traffic.order.len()), (traffic.kept.len(), traffic.kept.len()));
        let frame = json!({ "requestId": "199", "response": { "opcode": 1, "payloadData": "ä".repeat(100_000) } });
        for _ in 0..1000 {
            traffic.note("199", Part::Message, &event("Network.webSocketFrameReceived", &frame));
        }
        let kept = traffic.get(199).unwrap();
        assert_eq!((kept.messages.len(), kept.messages_left_out), (MOST_MESSAGES, 1000 - MOST_MESSAGES as u64));
        assert!(kept.messages[0].text.len() <= LONGEST_MESSAGE + 3 && kept.messages[0].length == 200_000);
    }

    #[test]
    fn headers_that_come_before_their_request_are_counted_and_dropped_first() {
        let mut traffic = Traffic::default();
        traffic.begin("known", 1);
        let before = traffic.bytes();
        let early = event("Network.requestWillBeSentExtraInfo", &json!({ "x": "a".repeat(1000) }));
        for number in 0..2 * MOST_EARLY {
            traffic.note(&format!("unknown {number}"), Part::SentInFact, &early);
        }
        assert_eq!(traffic.bytes() - before, MOST_EARLY * weight(&early));
        while traffic.early.len() > EXPECTED_EARLY {
            assert!(traffic.forget_oldest() && traffic.get(1).is_some());
        }
        assert_eq!(traffic.bytes() - before, EXPECTED_EARLY * weight(&early));
        traffic.keep(&[]);
        assert!(traffic.get(1).is_none() && traffic.order.is_empty() && traffic.by_id.is_empty());
        while traffic.forget_oldest() {}
        assert_eq!(traffic.bytes(), 0);
    }

    #[test]
    fn headers_of_the_wire_go_to_the_hop_that_they_are_of_also_when_they_come_first() {
        let mut traffic = Traffic::default();
        let sent = |hop: &str| event("Network.requestWillBeSentExtraInfo", &json!({ "requestId": "r", "hop": hop }));
        traffic.note("r", Part::SentInFact, &sent("one"));
        traffic.begin("r", 1);
        traffic.begin("r", 2);
        traffic.note("r", Part::SentInFact, &sent("two"));
        for (number, hop) in [(1, "one"), (2, "two")] {
            let kept = traffic.get(number).unwrap().sent_in_fact.clone().unwrap();
            assert!(kept.params().contains(hop), "{number}: {}", kept.params());
        }
    }
}
