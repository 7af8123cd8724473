//! The spare: an agent process that was started before it has a message.
//!
//! Owns the decision when it ends without a message. A daemon has at most one; it lives while a panel shows its
//! conversation and ends when a setting changes. `agents` records which conversation has it; `conversation_task::ahead`
//! starts and ends the process.

use crate::agents::AgentPool;
use crate::conversations::Conversations;
use crate::ports::PortId;
use gstack_protocol::ids::{ConversationId, PanelId};

/// A handle to the spare. Cheap to clone.
#[derive(Clone)]
pub struct Spare {
    agents: AgentPool,
    conversations: Conversations,
}

impl Spare {
    pub(crate) fn new(agents: AgentPool, conversations: Conversations) -> Self {
        Self { agents, conversations }
    }

    /// Starts the agent in advance, because the person is about to write in the conversation that their panel shows.
    pub fn prepare(&self, port: PortId, client: Option<PanelId>, id: &ConversationId) {
        if !self.conversations.shows(port, client, id) {
            return;
        }
        match self.conversations.get(id) {
            Ok(conversation) => self.conversations.gate(&conversation).warm(),
            Err(fault) => tracing::debug!(%fault, "no agent is made ready"),
        }
    }

    /// Makes the conversation's agent the spare, and ends the previous spare.
    pub(crate) fn set(&self, id: &ConversationId) {
        if let Some(before) = self.agents.mark_spare(id) {
            self.end_of(&before);
        }
    }

    /// Ends the spare if no panel shows its conversation.
    pub(crate) fn end_unshown(&self) {
        if let Some(spare) = self.agents.spare().filter(|spare| !self.conversations.is_shown(spare)) {
            self.end_of(&spare);
        }
    }

    /// Ends the spare, because its settings may have changed.
    pub(crate) fn end(&self) {
        if let Some(spare) = self.agents.spare() {
            self.end_of(&spare);
        }
    }

    /// Ends the spare of a conversation for which another agent or folder was chosen, and starts the chosen agent in
    /// advance.
    pub(crate) fn renew(&self, id: &ConversationId) {
        let is_spare = self.agents.spare().as_ref() == Some(id);
        if is_spare && let Some(gate) = self.conversations.known_gate(id) {
            gate.drop_spare();
            gate.warm();
        }
    }

    fn end_of(&self, id: &ConversationId) {
        let gate = self.conversations.known_gate(id);
        match gate {
            Some(gate) => gate.drop_spare(),
            None => self.agents.unmark_spare(id),
        }
    }
}
