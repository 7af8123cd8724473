//! The spare: the agent's process that was started before there is a message for it.
//!
//! Owns which conversation has it. There is one at most in a daemon, it lives while a panel shows its conversation, and it
//! ends with any setting that changes. How it is started and ended is in `runner::ahead`.

use super::ports::PortId;
use super::{Engine, lock};
use crate::protocol::ids::{ConversationId, PanelId};

impl Engine {
    /// A person begins to write in the conversation that their panel shows: its agent is made ready meanwhile.
    pub fn chat_prepare(&self, port: PortId, client: Option<PanelId>, id: &ConversationId) {
        let shown = self.subscriptions().contains_key(&(port, client, id.clone()));
        if !shown {
            return;
        }
        match self.conversation(id) {
            Ok(conversation) => self.runner(&conversation).warm(),
            Err(fault) => tracing::debug!(%fault, "no agent is made ready"),
        }
    }

    /// Whether a panel shows the conversation.
    pub(super) fn is_shown(&self, id: &ConversationId) -> bool {
        self.subscriptions().keys().any(|(_, _, shown)| shown == id)
    }

    /// The conversation's agent is the spare from here on, and the one before ends.
    pub(super) fn becomes_spare(&self, id: &ConversationId) {
        let before = lock(&self.inner.spare).replace(id.clone());
        if let Some(before) = before.filter(|before| before != id) {
            self.drop_spare(&before);
        }
    }

    /// It was given a message, or has ended.
    pub(super) fn is_no_spare(&self, id: &ConversationId) {
        lock(&self.inner.spare).take_if(|spare| spare == id);
    }

    /// Ends the spare if no panel shows its conversation any more.
    pub(super) fn end_unshown_spare(&self) {
        let spare = lock(&self.inner.spare).clone();
        if let Some(spare) = spare.filter(|spare| !self.is_shown(spare)) {
            self.drop_spare(&spare);
        }
    }

    /// Ends the spare: it was started by settings that may hold no more.
    pub(super) fn end_spare(&self) {
        let spare = lock(&self.inner.spare).clone();
        if let Some(spare) = spare {
            self.drop_spare(&spare);
        }
    }

    /// Another agent or folder was chosen for a conversation: a spare of before is ended, and the chosen one made ready.
    pub(super) fn renew_spare(&self, id: &ConversationId) {
        let is_spare = lock(&self.inner.spare).as_ref() == Some(id);
        if is_spare && let Some(runner) = self.runners().get(id) {
            runner.drop_spare();
            runner.warm();
        }
    }

    fn drop_spare(&self, id: &ConversationId) {
        let runner = self.runners().get(id);
        match runner {
            Some(runner) => runner.drop_spare(),
            None => self.is_no_spare(id),
        }
    }
}
