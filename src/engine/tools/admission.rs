//! Which token opens the tools of which conversation.
//!
//! Owns when a token begins and ends: with its agent. The table of tokens is in `agents`.

use super::ConversationTools;
use crate::engine::Engine;
use crate::protocol::ids::ConversationId;
use std::sync::Arc;

impl Engine {
    /// The tools' token opens them from now on.
    pub(in crate::engine) fn admit(&self, tools: &Arc<ConversationTools>) {
        self.inner.tokens.admit(tools.token(), tools.clone());
    }

    /// The agent has ended: its token opens nothing any more.
    pub(in crate::engine) fn revoke(&self, tools: &ConversationTools) {
        self.inner.tokens.revoke(tools.token());
        tools.ended().cancel();
    }

    /// The tools that a token opens. The comparison takes the same time for every token.
    pub fn tools_of_token(&self, presented: &str) -> Option<Arc<ConversationTools>> {
        self.inner.tokens.opened_by(presented)
    }

    /// The tools of a conversation whose agent runs.
    pub fn tools_of_conversation(&self, id: &ConversationId) -> Option<Arc<ConversationTools>> {
        self.inner.tokens.find(|tools| tools.conversation().id() == id)
    }
}
