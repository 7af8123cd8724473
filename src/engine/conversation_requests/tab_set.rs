//! The tab set of a conversation, as the person changes it in the panel.
//!
//! Owns the rule that a conversation keeps its own tab. `tabs` has the sets.

use super::ConversationRequests;
use crate::ports::PortId;
use crate::tabs::{JoinedBy, TabsError};
use gstack_protocol::chat::ConversationInfo;
use gstack_protocol::fault::Fault;
use gstack_protocol::history::ConversationTab;

impl ConversationRequests {
    /// Adds a tab to the tab set of the conversation, or removes it.
    pub async fn change_tab_set(&self, port: PortId, request: &ConversationTab) -> Result<ConversationInfo, Fault> {
        let conversation = self.conversations.get(&request.conversation_id)?;
        let place = self.tabs.place_of(port, request.chrome_tab_id).await?;
        if conversation.info().tab_id == Some(place.tab_id) && !request.allowed {
            return Err(TabsError::OwnTab.into());
        }
        if request.allowed {
            self.tabs.sets().add(&conversation, place.tab_id, JoinedBy::Person)?;
        } else {
            self.tabs.sets().take_out(&conversation, place.tab_id);
        }
        self.tabs.refresh(&conversation);
        Ok(conversation.info())
    }
}
