//! The mark of the spare: the conversation whose agent was started before it had a message.
//!
//! Owns only the mark. `spare` decides when the spare ends; `conversation_task::ahead` starts and ends its process.

use super::pool::AgentPool;
use gstack_base::mutex::lock;
use gstack_protocol::ids::ConversationId;

impl AgentPool {
    /// Marks the conversation's agent as the spare. Returns the conversation that was marked before, if it was another
    /// one.
    pub(crate) fn mark_spare(&self, id: &ConversationId) -> Option<ConversationId> {
        lock(&self.0.spare).replace(id.clone()).filter(|before| before != id)
    }

    /// Removes the mark, because the spare got a message or has ended. Does nothing if another conversation has the
    /// spare.
    pub(crate) fn unmark_spare(&self, id: &ConversationId) {
        lock(&self.0.spare).take_if(|spare| spare == id);
    }

    /// Returns the conversation that has the spare.
    pub(crate) fn spare(&self) -> Option<ConversationId> {
        lock(&self.0.spare).clone()
    }
}
