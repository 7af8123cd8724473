//! The runners of all conversations.

use super::runner::{Runner, Shared, Start};
use crate::chat::Conversation;
use crate::protocol::ids::ConversationId;
use std::collections::HashMap;
use std::sync::{Arc, Weak};

/// The runners that are still referenced. A task holds its own runner while it has work.
#[derive(Default)]
pub(super) struct Runners {
    known: HashMap<ConversationId, Weak<Shared>>,
    /// The number of entries at which dead ones are removed.
    tidy_at: usize,
}

impl Runners {
    /// The number of entries before dead ones are removed for the first time.
    const FEW: usize = 64;

    /// Returns the runner of a conversation. Creates it if no one holds it.
    pub(super) fn of(&mut self, start: &Start, conversation: &Arc<Conversation>) -> Runner {
        let known = self.get(conversation.id());
        // After a delete and a restore, the runner still belongs to the old conversation object.
        if let Some(runner) = known.filter(|runner| Arc::ptr_eq(runner.conversation(), conversation)) {
            return runner;
        }
        if self.known.len() >= self.tidy_at.max(Self::FEW) {
            self.known.retain(|_, runner| runner.strong_count() > 0);
            self.tidy_at = self.known.len() * 2;
        }
        let runner = Runner::new(start.clone(), conversation.clone());
        self.known.insert(conversation.id().clone(), Arc::downgrade(&runner.0));
        runner
    }

    pub(super) fn get(&self, id: &ConversationId) -> Option<Runner> {
        self.known.get(id).and_then(Weak::upgrade).map(Runner)
    }
}
