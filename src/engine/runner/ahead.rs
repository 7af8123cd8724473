//! An agent that is made ready before there is a message for it.
//!
//! Owns when it is started, and its end without a message. Nothing of it is written down and nothing is said to it:
//! until a message comes, it is as if it had never been started.

use super::task::Task;
use crate::engine::agents::Choice;
use crate::engine::conversations::Input;
use crate::protocol::chat::ConversationState;
use std::time::Duration;

/// How long it waits for a message. Anyone who opened a panel or began to write has sent one by then, or does something else.
pub(super) const SPARE_IDLE: Duration = Duration::from_secs(5 * 60);

impl Task {
    /// Looks which agent would answer here, beside this task: what comes meanwhile is heard.
    pub(super) fn look_ahead(&self) {
        if !self.may_start_ahead() {
            return;
        }
        let (engine, runner, shutdown) = (self.engine.clone(), self.runner.clone(), self.engine.shutdown());
        self.engine.spawn(async move {
            tokio::select! {
                choice = engine.agents().choose(runner.conversation(), None) => runner.input(Input::Ahead(choice)),
                () = shutdown.cancelled() => {}
            }
        });
    }

    /// Starts it where there is a free place.
    pub(super) fn start_ahead(&mut self, choice: Choice) {
        if !self.may_start_ahead() || !choice.is_model || choice.fault.is_some() {
            return;
        }
        let id = self.conversation.id();
        if let Some(slot) = self.engine.agents().slots().take_free(id) {
            // Another conversation's turn comes first, also while it starts.
            self.engine.agents().slots().set_idle(id, true);
            self.engine.becomes_spare(id);
            self.start(None, choice, Some(slot));
        }
    }

    /// Ends an agent that was given no message yet.
    pub(super) fn end_spare(&mut self) {
        let had_a_message = self.session.as_ref().is_some_and(|session| session.had_a_message);
        if self.turn.is_none() && !had_a_message {
            self.end_present();
        }
    }

    fn may_start_ahead(&self) -> bool {
        let id = self.conversation.id();
        self.turn.is_none()
            && self.session.is_none()
            && self.starting.is_none()
            && self.conversation.state() == ConversationState::Idle
            && self.conversation.info().tab_id.is_some()
            && self.engine.conversations().is_shown(id)
            && !self.engine.is_handing_over()
            // Its folder is made with its first turn.
            && !self.engine.worktrees().wants_tree(&self.conversation)
    }
}
