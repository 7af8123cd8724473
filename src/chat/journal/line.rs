//! The journal's lines: a header, events, and text that grows an event. Owns their spelling; never touches a file.

use crate::protocol::chat::{ChatBody, ChatEvent, Seq};
use crate::protocol::ids::ConversationId;
use serde::{Deserialize, Serialize};

/// Counted up when a line's meaning changes. A newer file is refused, never guessed at.
pub(super) const FORMAT: u32 = 1;

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Header {
    /// The format's number.
    pub(super) gstack_chat: u32,
    pub(super) conversation_id: ConversationId,
}

/// `{"delta":SEQ,"offset":N,"text":"…"}`: grows the event `delta` at `offset` UTF-16 units.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::chat) struct Delta {
    pub(in crate::chat) delta: Seq,
    pub(in crate::chat) offset: u64,
    pub(in crate::chat) text: String,
}

/// One line, understood.
#[derive(Debug, PartialEq)]
pub(in crate::chat) enum Line {
    Header,
    Event(Box<ChatEvent>),
    Delta(Delta),
    /// An event of a type that this version does not know: it has its number and is passed over.
    Foreign(Seq),
    Garbage,
}

#[derive(Deserialize)]
struct Numbered {
    seq: Seq,
}

impl Line {
    /// `bytes` without the line's end.
    pub(in crate::chat) fn parse(bytes: &[u8]) -> Self {
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

    /// The number of the event that the line is.
    pub(super) fn seq(&self) -> Option<Seq> {
        match self {
            Self::Event(event) => Some(event.seq),
            Self::Foreign(seq) => Some(*seq),
            Self::Header | Self::Delta(_) | Self::Garbage => None,
        }
    }
}

/// One whole line with its end, ready for one write.
pub(in crate::chat) fn encode(line: &impl Serialize) -> Vec<u8> {
    // Types of ours with string keys and no failing serializer: this can't fail.
    #[allow(clippy::expect_used)]
    let mut bytes = serde_json::to_vec(line).expect("a journal line is plain data");
    bytes.push(b'\n');
    bytes
}

/// True for the events that may come while a text block grows: a person writes or takes back at any time.
/// Every other event ends the block, so no text of an earlier event ever lies behind it.
pub(in crate::chat) fn leaves_block_open(body: &ChatBody) -> bool {
    matches!(body, ChatBody::Message { .. } | ChatBody::MessageRemoved { .. })
}

/// True for what a person was told is safe as soon as it is written: it has to survive the machine's end too.
pub(in crate::chat) fn is_promised(body: &ChatBody) -> bool {
    matches!(body, ChatBody::Message { .. } | ChatBody::MessageRemoved { .. })
}

/// The text of a block that grows.
pub(in crate::chat) fn block_text(body: &mut ChatBody) -> Option<&mut String> {
    match body {
        ChatBody::Text { text, .. } | ChatBody::Thinking { text, .. } => Some(text),
        _ => None,
    }
}

/// The length as JavaScript counts.
pub(in crate::chat) fn utf16_length(text: &str) -> u64 {
    text.chars().map(|c| c.len_utf16() as u64).sum()
}

/// A block's text while it is put together. Its length is counted once: an answer may come in tens of thousands of
/// pieces.
pub(in crate::chat) struct Growth {
    pub(in crate::chat) text: String,
    length: u64,
}

impl Growth {
    pub(in crate::chat) fn of(text: String) -> Self {
        let length = utf16_length(&text);
        Self { text, length }
    }

    /// Joins a piece; what the block already holds at its offset is left out.
    pub(in crate::chat) fn take(&mut self, delta: &Delta) {
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
