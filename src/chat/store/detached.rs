//! Conversations outside the store's list: the tab set and the name of a driver that is not an agent of the panel.
//!
//! Owns their creation. They take no messages, and nothing of them is on disk.

use super::conversations::Store;
use super::session_file::Record;
use crate::conversation::Conversation;
use gstack_base::clock;
use gstack_protocol::ids::{AgentName, ConversationId};
use std::sync::Arc;

impl Store {
    /// Creates a conversation that no tab, list or file ever shows.
    pub fn detached(&self, folder: String, agent: AgentName) -> Arc<Conversation> {
        let id = ConversationId::random();
        let place = self.place(&id);
        let record = Record { agent: Some(agent), ..Record::new(id, folder, None, clock::now_millis()) };
        Arc::new(Conversation::new(record, place, self.epoch().clone(), self.reserve.clone()))
    }
}
