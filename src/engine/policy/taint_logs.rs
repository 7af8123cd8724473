//! The taint logs of all conversations.
//!
//! Owns their creation. `taint_log` owns their contents.

use super::service::PolicyService;
use super::taint_log::TaintLog;
use gstack_base::mutex::lock;
use gstack_chat::Conversation;
use gstack_chat::turn::Message;
use gstack_protocol::ids::ConversationId;

impl PolicyService {
    /// Runs `work` on a conversation's taint log. An unknown conversation counts as one that has read.
    pub(crate) fn with_taint_log<T>(&self, id: &ConversationId, work: impl FnOnce(&mut TaintLog) -> T) -> T {
        work(lock(&self.0.taint_logs).entry(id.clone()).or_insert_with(|| TaintLog::new(true)))
    }

    /// Records the message that starts a turn. The first message of a conversation creates its taint log.
    pub(crate) fn person_said(&self, conversation: &Conversation, message: &Message) {
        let page = message.page.as_ref().map(|page| page.url.as_str());
        lock(&self.0.taint_logs)
            .entry(conversation.id().clone())
            .or_insert_with(|| TaintLog::new(conversation.has_resume()))
            .person_said(&message.text, page);
    }
}
