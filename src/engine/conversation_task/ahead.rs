//! An agent that is started before it has a message.
//!
//! Owns its start, and carries out its end without a message, which `spare` decides. Nothing about it is recorded and nothing is sent to it:
//! until a message comes, it leaves no trace.

use super::task::Task;
use crate::agents::Choice;
use crate::conversations::Input;
use gstack_protocol::chat::ConversationState;
use std::time::Duration;

/// How long it waits for a message. A person who opened the panel or began to write has sent one by then, or has moved
/// on.
pub(super) const SPARE_IDLE: Duration = Duration::from_secs(5 * 60);

impl Task {
    /// Determines which agent would answer, outside this task, so that the task keeps handling inputs.
    pub(super) fn look_ahead(&self) {
        if !self.may_start_ahead() {
            return;
        }
        let (services, gate, shutdown) = (self.services.clone(), self.gate.clone(), self.services.tasks.shutdown());
        self.services.tasks.spawn(async move {
            tokio::select! {
                choice = services.agents.choose(gate.conversation(), None) => gate.input(Input::Ahead(choice)),
                () = shutdown.cancelled() => {}
            }
        });
    }

    /// Starts the agent if a slot is free.
    pub(super) fn start_ahead(&mut self, choice: Choice) {
        if !self.may_start_ahead() || !choice.is_model || choice.fault.is_some() {
            return;
        }
        let id = self.conversation.id();
        if let Some(slot) = self.services.agents.slots().take_free(id) {
            // Another conversation's turn takes precedence, even during the start.
            self.services.agents.slots().set_idle(id, true);
            self.services.spare.set(id);
            self.start(None, choice, Some(slot));
        }
    }

    /// Ends an agent that has no message yet.
    pub(super) fn end_spare(&mut self) {
        let had_a_message = self.session.as_ref().is_some_and(|session| session.had_a_message);
        if self.turn.is_none() && !had_a_message {
            self.end_current();
        }
    }

    fn may_start_ahead(&self) -> bool {
        let id = self.conversation.id();
        self.turn.is_none()
            && self.session.is_none()
            && self.starting.is_none()
            && self.conversation.state() == ConversationState::Idle
            && self.conversation.info().tab_id.is_some()
            && self.services.conversations.is_shown(id)
            && !self.services.upgrade.is_under_way()
            // Its worktree is created with its first turn.
            && !self.services.worktrees.wants_tree(&self.conversation)
    }
}
