//! The lines of a journal: a header, events, and deltas that append text to an event. Owns their format; never touches
//! a file.

use gstack_base::filled_secrets;
use gstack_protocol::chat::{ChatBody, ChatEvent, Seq};
use gstack_protocol::ids::ConversationId;
use serde::{Deserialize, Serialize};

/// Incremented if the meaning of a line changes. A file of a newer format is rejected.
pub(super) const FORMAT: u32 = 1;

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Header {
    /// The number of the format.
    pub(super) gstack_chat: u32,
    pub(super) conversation_id: ConversationId,
}

/// `{"delta":SEQ,"offset":N,"text":"…"}`: appends text to the event `delta` at `offset` UTF-16 units.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Delta {
    pub(crate) delta: Seq,
    pub(crate) offset: u64,
    pub(crate) text: String,
}

/// One parsed line.
#[derive(Debug, PartialEq)]
pub(crate) enum Line {
    Header,
    Event(Box<ChatEvent>),
    Delta(Delta),
    /// An event of a type unknown to this version. It has its number and is skipped.
    Foreign(Seq),
    Garbage,
}

#[derive(Deserialize)]
struct Numbered {
    seq: Seq,
}

impl Line {
    /// Parses `bytes`, a line without its line break.
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        if bytes.starts_with(br#"{"delta":"#) {
            return serde_json::from_slice(bytes).map_or(Self::Garbage, Self::Delta);
        }
        if bytes.starts_with(br#"{"gstackChat":"#) {
            return serde_json::from_slice::<Header>(bytes).map_or(Self::Garbage, |_| Self::Header);
        }
        match serde_json::from_slice::<ChatEvent>(bytes) {
            Ok(event) => Self::Event(Box::new(event)),
            Err(_) => {
                serde_json::from_slice::<Numbered>(bytes).map_or(Self::Garbage, |numbered| Self::Foreign(numbered.seq))
            }
        }
    }

    /// Returns the number of the event on this line.
    pub(super) fn seq(&self) -> Option<Seq> {
        match self {
            Self::Event(event) => Some(event.seq),
            Self::Foreign(seq) => Some(*seq),
            Self::Header | Self::Delta(_) | Self::Garbage => None,
        }
    }
}

/// Encodes one complete line with its line break, for a single write, without secrets that gstack filled in.
pub(crate) fn encode(line: &impl Serialize) -> Vec<u8> {
    // Our types have string keys and no failing serializers, so this cannot fail.
    #[allow(clippy::expect_used)]
    let text = serde_json::to_string(line).expect("a journal line is plain data");
    let mut bytes = filled_secrets::without_in_json(&text).into_owned().into_bytes();
    bytes.push(b'\n');
    bytes
}

/// Returns true for the events that may come while a text block grows: a person can send, remove or reorder messages at any
/// time. Every other event ends the block, so no text of an earlier event ever follows it.
pub(crate) fn leaves_block_open(body: &ChatBody) -> bool {
    matches!(body, ChatBody::Message { .. } | ChatBody::MessageRemoved { .. } | ChatBody::QueueOrdered { .. })
}

/// Returns true for events that the person is told are safe once they are written. They must survive a power loss too.
pub(crate) fn is_promised(body: &ChatBody) -> bool {
    matches!(body, ChatBody::Message { .. } | ChatBody::MessageRemoved { .. })
}

/// Returns the text of a block.
pub(crate) fn block_text(body: &mut ChatBody) -> Option<&mut String> {
    match body {
        ChatBody::Text { text, .. } | ChatBody::Thinking { text, .. } => Some(text),
        _ => None,
    }
}

/// Returns the length as JavaScript counts it.
pub(crate) fn utf16_length(text: &str) -> u64 {
    text.chars().map(|c| c.len_utf16() as u64).sum()
}

/// The text of a block during assembly. Counts its length only once, because an answer may have tens of thousands of
/// deltas.
pub(crate) struct Growth {
    pub(crate) text: String,
    length: u64,
}

impl Growth {
    pub(crate) fn of(text: String) -> Self {
        let length = utf16_length(&text);
        Self { text, length }
    }

    /// Appends a delta, without the part that the block already has.
    pub(crate) fn take(&mut self, delta: &Delta) {
        let held = self.length.saturating_sub(delta.offset);
        let mut passed = 0;
        for c in delta.text.chars() {
            let length = c.len_utf16() as u64;
            if passed >= held {
                self.text.push(c);
                self.length += length;
            }
            passed += length;
        }
    }
}
