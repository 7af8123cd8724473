//! The mark of the spare: the conversation whose agent was started before there was a message for it.
//!
//! Owns the mark alone. How a spare is started and ended is in `runner::ahead`.

use super::pool::AgentPool;
use crate::base::mutex::lock;
use crate::protocol::ids::ConversationId;

impl AgentPool {
    /// The conversation's agent is the spare from now on. Returns the conversation that had it before, if another one.
    pub(in crate::engine) fn mark_spare(&self, id: &ConversationId) -> Option<ConversationId> {
        lock(&self.0.spare).replace(id.clone()).filter(|before| before != id)
    }

    /// The spare was given a message, or has ended. Does nothing if it is another conversation's.
    pub(in crate::engine) fn unmark_spare(&self, id: &ConversationId) {
        lock(&self.0.spare).take_if(|spare| spare == id);
    }

    /// The conversation that has the spare.
    pub(in crate::engine) fn spare(&self) -> Option<ConversationId> {
        lock(&self.0.spare).clone()
    }
}
