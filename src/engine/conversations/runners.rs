//! The runners of all conversations.

use super::runner::{Runner, Shared, Start};
use crate::chat::Conversation;
use crate::protocol::ids::ConversationId;
use std::collections::HashMap;
use std::sync::{Arc, Weak};

/// The runners that somebody holds. A task holds its own as long as it has something to do.
#[derive(Default)]
pub(super) struct Runners {
    known: HashMap<ConversationId, Weak<Shared>>,
    /// Entries of runners that are gone are looked for at this many.
    tidy_at: usize,
}

impl Runners {
    /// How many entries are kept before they are looked through for the first time.
    const FEW: usize = 64;

    /// The runner of a conversation. Makes one if nobody holds it.
    pub(super) fn of(&mut self, start: &Start, conversation: &Arc<Conversation>) -> Runner {
        let known = self.get(conversation.id());
        // A conversation that was deleted and brought back is another one than its runner's.
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
