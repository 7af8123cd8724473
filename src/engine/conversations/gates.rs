//! The gates of all conversations.

use super::gate::{ConversationGate, Shared, Start};
use gstack_chat::Conversation;
use gstack_protocol::ids::ConversationId;
use std::collections::HashMap;
use std::sync::{Arc, Weak};

/// The gates that are still referenced. A task holds its own gate while it has work.
#[derive(Default)]
pub(super) struct ConversationGates {
    known: HashMap<ConversationId, Weak<Shared>>,
    /// The number of entries at which dead ones are removed.
    tidy_at: usize,
}

impl ConversationGates {
    /// The number of entries before dead ones are removed for the first time.
    const FEW: usize = 64;

    /// Returns the gate of a conversation. Creates it if no one holds it.
    pub(super) fn of(&mut self, start: &Start, conversation: &Arc<Conversation>) -> ConversationGate {
        let known = self.get(conversation.id());
        // After a delete and a restore, the gate still belongs to the old conversation object.
        if let Some(gate) = known.filter(|gate| Arc::ptr_eq(gate.conversation(), conversation)) {
            return gate;
        }
        if self.known.len() >= self.tidy_at.max(Self::FEW) {
            self.known.retain(|_, gate| gate.strong_count() > 0);
            self.tidy_at = self.known.len() * 2;
        }
        let gate = ConversationGate::new(start.clone(), conversation.clone());
        self.known.insert(conversation.id().clone(), Arc::downgrade(&gate.0));
        gate
    }

    pub(super) fn get(&self, id: &ConversationId) -> Option<ConversationGate> {
        self.known.get(id).and_then(Weak::upgrade).map(ConversationGate)
    }
}
