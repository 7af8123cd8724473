//! The taint logs of all conversations, and the questions about a page that a decision needs.

use super::taint_log::TaintLog;
use crate::base::mutex::lock;
use crate::browser::page::{Leading, Page, Target};
use crate::chat::Conversation;
use crate::chat::turn::Message;
use crate::command::Call;
use crate::engine::Engine;
use crate::protocol::ids::{ConversationId, TabId};

impl Engine {
    /// Works on a conversation's taint log. An unknown conversation counts as one that has read.
    pub(in crate::engine) fn with_taint_log<T>(&self, id: &ConversationId, work: impl FnOnce(&mut TaintLog) -> T) -> T {
        work(lock(&self.inner.taint_logs).entry(id.clone()).or_insert_with(|| TaintLog::new(true)))
    }

    /// Records the message that starts a turn. The first message of a conversation creates its taint log.
    pub(in crate::engine) fn person_said(&self, conversation: &Conversation, message: &Message) {
        let page = message.page.as_ref().map(|page| page.url.as_str());
        lock(&self.inner.taint_logs)
            .entry(conversation.id().clone())
            .or_insert_with(|| TaintLog::new(conversation.has_resume()))
            .person_said(&message.text, page);
    }

    /// Whether a command that types would type into a password field.
    pub(in crate::engine) async fn types_into_password(&self, tab: TabId, call: &Call) -> bool {
        // A page that can't be asked can't be typed into either.
        let Some((page, target)) = self.page_and_target(tab, call).await else { return false };
        page.is_password(target.as_ref()).await
    }

    /// Where a command that clicks, or presses Enter, would lead by the page's markup.
    pub(in crate::engine) async fn leads_to(&self, tab: TabId, call: &Call) -> Option<Leading> {
        let (page, target) = self.page_and_target(tab, call).await?;
        page.leads_to(target.as_ref()).await
    }

    async fn page_and_target(&self, tab: TabId, call: &Call) -> Option<(Page, Option<Target>)> {
        let (browser, pages) = self.pages_with(Some(tab))?;
        let page = pages.open(&browser.tab(tab).ok()?).await.ok()?;
        Some((page, call.target()))
    }
}
