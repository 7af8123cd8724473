//! `chat.jsonl`, a conversation's journal: written, read from its end, recovered, compacted.
//!
//! Owns the file and its lines. Never decides what an event means for a turn.

pub(super) mod compact;
pub(super) mod file;
pub(super) mod line;
pub(crate) mod read;
mod sent_index;
pub(crate) mod unfinished;

pub(crate) use file::{JOURNAL_FILE, Journal};
pub(in crate::chat) use line::{Delta, Growth, Line};
pub(super) use read::{Limits, Page};
pub(in crate::chat) use sent_index::SentIndex;
pub(super) use unfinished::Tail;
