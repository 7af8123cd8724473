//! The spare: an agent process that was started before it has a message.
//!
//! Owns when it ends without a message. A daemon has at most one; it lives while a panel shows its conversation and
//! ends when a setting changes. `agents` records which conversation has it; `conversation_task::ahead` starts it.

use super::Engine;
use super::ports::PortId;
use crate::protocol::ids::{ConversationId, PanelId};

impl Engine {
    /// Starts the agent in advance, because the person is about to write in the conversation that their panel shows.
    pub(crate) fn chat_prepare(&self, port: PortId, client: Option<PanelId>, id: &ConversationId) {
        if !self.conversations().shows(port, client, id) {
            return;
        }
        match self.conversation(id) {
            Ok(conversation) => self.gate(&conversation).warm(),
            Err(fault) => tracing::debug!(%fault, "no agent is made ready"),
        }
    }

    /// Makes the conversation's agent the spare, and ends the previous spare.
    pub(super) fn becomes_spare(&self, id: &ConversationId) {
        if let Some(before) = self.agents().mark_spare(id) {
            self.drop_spare(&before);
        }
    }

    /// Ends the spare if no panel shows its conversation.
    pub(super) fn end_unshown_spare(&self) {
        if let Some(spare) = self.agents().spare().filter(|spare| !self.conversations().is_shown(spare)) {
            self.drop_spare(&spare);
        }
    }

    /// Ends the spare, because its settings may have changed.
    pub(super) fn end_spare(&self) {
        if let Some(spare) = self.agents().spare() {
            self.drop_spare(&spare);
        }
    }

    /// Ends the spare of a conversation for which another agent or folder was chosen, and starts the chosen agent in
    /// advance.
    pub(super) fn renew_spare(&self, id: &ConversationId) {
        let is_spare = self.agents().spare().as_ref() == Some(id);
        if is_spare && let Some(gate) = self.conversations().known_gate(id) {
            gate.drop_spare();
            gate.warm();
        }
    }

    fn drop_spare(&self, id: &ConversationId) {
        let gate = self.conversations().known_gate(id);
        match gate {
            Some(gate) => gate.drop_spare(),
            None => self.agents().unmark_spare(id),
        }
    }
}
