//! `chat.jsonl`, a conversation's journal: written, read from its end, recovered, compacted.
//!
//! Owns the file and its lines. Never decides what an event means for a turn.

pub(crate) mod before;
pub(super) mod compact;
pub(super) mod file;
pub(super) mod line;
pub mod read;
mod sent_index;
pub mod unfinished;

pub use file::{JOURNAL_FILE, Journal};
pub(crate) use line::{Delta, Growth, Line};
pub(super) use read::{Limits, Page};
pub(crate) use sent_index::SentIndex;
pub(super) use unfinished::Tail;
