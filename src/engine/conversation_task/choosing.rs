//! The parts of choosing a turn's agent that need the configuration file and the folder.
//!
//! Owns the order of the steps. `agents` makes the choice.

use super::TaskServices;
use crate::agents::Choice;
use gstack_agent::agent_list::Look;
use gstack_chat::{Conversation, Message};
use std::sync::Arc;

impl TaskServices {
    /// Returns the agent that answers a message. If that agent has a fault, reads the configuration, looks for agents
    /// and chooses again: the person may have installed it, signed in or set its program since.
    pub(super) async fn choose(&self, conversation: &Conversation, message: &Message) -> Choice {
        let choice = self.agents.choose(conversation, Some(message)).await;
        if choice.fault.is_none() {
            return choice;
        }
        if let Err(fault) = self.settings.read_again().await {
            tracing::warn!(%fault, "the configuration stays as it was");
        }
        self.agents.list(Look::Again).await;
        self.agents.choose(conversation, Some(message)).await
    }

    /// Returns the agent that answers a message, with its folder prepared.
    pub(super) async fn choose_and_settle(&self, conversation: &Arc<Conversation>, message: &Message) -> Choice {
        let mut choice = self.choose(conversation, message).await;
        if choice.is_model && choice.fault.is_none() {
            match self.worktrees.settle(conversation).await {
                Ok(notices) => choice.notices = notices,
                Err(fault) => choice.fault = Some(fault),
            }
        }
        choice
    }

    /// Ends the agent that has been idle the longest if another conversation waits for its slot.
    pub(super) fn make_room(&self) {
        let idle = self.agents.slots().to_end().and_then(|id| self.conversations.known_gate(&id));
        if let Some(gate) = idle {
            gate.sleep();
        }
    }
}
