//! The beginning and the end of a turn, as the rest of the daemon learns of them.
//!
//! Owns the reports and records of these moments. Never decides when a turn begins or ends.

use super::TaskServices;
use crate::conversations::persist;
use crate::tasks::off_thread;
use gstack_chat::Conversation;
use std::sync::Arc;

impl TaskServices {
    /// Handles the start of a turn.
    pub(super) fn turn_began(&self, conversation: &Arc<Conversation>, agent_label: String) {
        self.tabs.turn_began(conversation, agent_label);
        self.tabs.tell_work();
        self.tabs.tell();
        self.usage.update();
    }

    /// Shows the turn as over and saves the conversation. Called after the end of the turn is in the journal.
    pub(super) fn turn_ended(&self, conversation: &Arc<Conversation>) {
        self.tabs.turn_ended(conversation.id());
        self.pauses.end(conversation.id());
        self.drivers.changed();
        self.browsers.leave_after_turn(conversation.id());
        self.upgrade.turn_ended();
        self.tabs.tell_work();
        self.tabs.tell();
        self.usage.update();
        let ports = self.ports.clone();
        let conversation = conversation.clone();
        self.tasks.spawn(async move {
            if let Err(fault) = persist(conversation.clone()).await {
                ports.tell_fault(&fault);
            }
            if conversation.is_to_compact()
                && let Err(fault) = off_thread(move || conversation.compact().map_err(|e| e.fault())).await
            {
                // The end of the next turn tries again.
                tracing::debug!(%fault, "a journal stays as long as it is");
            }
        });
    }
}
