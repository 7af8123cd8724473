//! Compacts the journal of one conversation.
//!
//! Owns when a journal is large enough, and the order in which the new file replaces it. `journal::compact` writes that
//! file.

use super::conversation::Conversation;
use super::error::ChatError;
use super::state::Inner;
use crate::journal::compact;
use gstack_protocol::chat::ConversationState;

/// A journal larger than this is compacted automatically, once it has doubled in size since its last compaction.
const LARGE: u64 = 4 * 1024 * 1024;

/// A journal's length before and after a compaction, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compacted {
    /// Before the compaction.
    pub before: u64,
    /// After the compaction.
    pub after: u64,
}

impl Conversation {
    /// Returns whether the journal has grown enough for a compaction.
    pub fn is_to_compact(&self) -> bool {
        let inner = self.lock();
        inner.journal.length() > LARGE.max(2 * inner.record.compacted)
    }

    /// Rewrites the journal with each answer in one line instead of many deltas. Blocks on disk I/O; only the last step
    /// holds the conversation's lock.
    ///
    /// # Errors
    ///
    /// Fails with `ChatError::Busy` while a turn runs, and if a file cannot be read or written.
    pub fn compact(&self) -> Result<Compacted, ChatError> {
        let idle = |inner: &Inner| match inner.machine.state() {
            ConversationState::Idle => Ok(()),
            _ => Err(ChatError::Busy(self.id.clone())),
        };
        let found = {
            let mut inner = self.lock();
            idle(&inner)?;
            inner.finish_block();
            inner.journal.to_copy()
        };
        let Some((reader, before)) = found else { return Ok(Compacted::default()) };
        let rewritten = compact::rewrite(&reader, before)?;
        let after = rewritten.length;
        let mut inner = self.lock();
        if !inner.journal.replace(rewritten, before)? {
            return Err(ChatError::Busy(self.id.clone()));
        }
        inner.record.compacted = after;
        drop(inner);
        self.persist()?;
        Ok(Compacted { before, after })
    }
}
