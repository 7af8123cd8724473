//! The spare: the agent's process that was started before there is a message for it.
//!
//! Owns when it ends without a message. There is one at most in a daemon, it lives while a panel shows its conversation, and
//! it ends if a setting changes. `agents` knows which conversation has it; `runner::ahead` starts it.

use super::Engine;
use super::ports::PortId;
use crate::protocol::ids::{ConversationId, PanelId};

impl Engine {
    /// A person begins to write in the conversation that their panel shows: its agent is made ready meanwhile.
    pub fn chat_prepare(&self, port: PortId, client: Option<PanelId>, id: &ConversationId) {
        if !self.conversations().shows(port, client, id) {
            return;
        }
        match self.conversation(id) {
            Ok(conversation) => self.runner(&conversation).warm(),
            Err(fault) => tracing::debug!(%fault, "no agent is made ready"),
        }
    }

    /// The conversation's agent is the spare from here on, and the one before ends.
    pub(super) fn becomes_spare(&self, id: &ConversationId) {
        if let Some(before) = self.agents().mark_spare(id) {
            self.drop_spare(&before);
        }
    }

    /// Ends the spare if no panel shows its conversation any more.
    pub(super) fn end_unshown_spare(&self) {
        if let Some(spare) = self.agents().spare().filter(|spare| !self.conversations().is_shown(spare)) {
            self.drop_spare(&spare);
        }
    }

    /// Ends the spare, because it was started with settings that may have changed.
    pub(super) fn end_spare(&self) {
        if let Some(spare) = self.agents().spare() {
            self.drop_spare(&spare);
        }
    }

    /// Another agent or folder was chosen for a conversation: ends its spare and makes the chosen agent ready.
    pub(super) fn renew_spare(&self, id: &ConversationId) {
        let is_spare = self.agents().spare().as_ref() == Some(id);
        if is_spare && let Some(runner) = self.conversations().known_runner(id) {
            runner.drop_spare();
            runner.warm();
        }
    }

    fn drop_spare(&self, id: &ConversationId) {
        let runner = self.conversations().known_runner(id);
        match runner {
            Some(runner) => runner.drop_spare(),
            None => self.agents().unmark_spare(id),
        }
    }
}
