//! The details of each request of a tab: headers, timing, request body, socket messages.
//!
//! Owns a store of bounded size. It keeps the browser's events unparsed; `exchange` parses them on demand. Never holds
//! response bodies: those stay in the browser.

use crate::devtools::target::SessionId;
use crate::events::Event;
use gstack_base::clock::now_millis;
use serde::Deserialize;
use std::collections::{HashMap, VecDeque};

/// The limit per tab, in bytes: beyond it the oldest are dropped.
const MOST_BYTES: usize = 4 * 1024 * 1024;
/// The limit while the tab's requests are recorded.
const MOST_BYTES_RECORDED: usize = 32 * 1024 * 1024;
/// In bytes: a larger event (a `data:` address may contain a whole file) is not kept.
const LARGEST_EVENT: usize = 256 * 1024;
/// The limit per socket.
const MOST_MESSAGES: usize = 200;
/// In bytes: a longer message is cut.
const LONGEST_MESSAGE: usize = 4096;
/// The limit of events that arrived before their request.
const MOST_EARLY: usize = 64;

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
    bytes: usize,
    is_recorded: bool,
    early: VecDeque<(String, Part, Event)>,
}

impl Traffic {
    /// Adds a request, or the next hop of one.
    pub(super) fn begin(&mut self, id: &str, number: u64) {
        self.kept.insert(number, Kept { id: id.to_owned(), ..Kept::default() });
        self.order.push_back(number);
        self.by_id.entry(id.to_owned()).or_default().push(number);
        let (of_it, others) = std::mem::take(&mut self.early).into_iter().partition(|(early, ..)| early == id);
        self.early = others;
        let of_it: VecDeque<(String, Part, Event)> = of_it;
        for (id, part, event) in of_it {
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
                    self.early.pop_front();
                }
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
                let instead = place.replace(event.clone()).map_or(0, |event| event.params().len());
                kept.bytes += event.params().len() - instead.min(event.params().len());
            }
            None => kept.message(event),
        }
        self.bytes = self.bytes + kept.bytes - before;
        self.forget_oldest();
    }

    /// Sets whether the tab's requests are recorded, which raises the limit.
    pub(super) fn keep_more(&mut self, is_recorded: bool) {
        self.is_recorded = is_recorded;
        self.forget_oldest();
    }

    fn forget_oldest(&mut self) {
        let most = if self.is_recorded { MOST_BYTES_RECORDED } else { MOST_BYTES };
        while self.bytes > most && self.order.len() > 1 {
            let Some(number) = self.order.pop_front() else { return };
            let Some(kept) = self.kept.remove(&number) else { continue };
            self.bytes -= kept.bytes.min(self.bytes);
            if let Some(numbers) = self.by_id.get_mut(&kept.id) {
                numbers.retain(|known| *known != number);
                if numbers.is_empty() {
                    self.by_id.remove(&kept.id);
                }
            }
        }
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
        self.bytes += message.text.len();
        self.messages.push_back(message);
        if self.messages.len() > MOST_MESSAGES
            && let Some(oldest) = self.messages.pop_front()
        {
            self.bytes -= oldest.text.len();
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

    fn event(method: &str, params: &serde_json::Value) -> Event {
        Event::new(None, method, Some(&to_raw_value(params).unwrap()))
    }

    #[test]
    fn what_was_said_takes_no_more_memory_than_is_kept_of_it() {
        let mut traffic = Traffic::default();
        let large = event("Network.responseReceived", &json!({ "requestId": "1", "x": "a".repeat(LARGEST_EVENT) }));
        traffic.begin("1", 1);
        traffic.note("1", Part::Received, &large);
        assert!(traffic.get(1).unwrap().received.is_none() && traffic.bytes == 0, "one that is too large");
        let some = json!({ "requestId": "x", "x": "a".repeat(100_000) });
        for number in 2..200 {
            traffic.begin(&number.to_string(), number);
            traffic.note(&number.to_string(), Part::Received, &event("Network.responseReceived", &some));
        }
        let held: usize = traffic.kept.values().map(|kept| kept.bytes).sum();
        assert!(held <= MOST_BYTES && held == traffic.bytes, "{held} {}", traffic.bytes);
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
