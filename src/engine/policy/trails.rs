//! The trails of all conversations, and the questions about a page that a decision needs.

use super::trail::Trail;
use crate::browser::page::{Leading, Page, Target};
use crate::chat::Conversation;
use crate::chat::turn::Message;
use crate::command::{Arguments, Spec};
use crate::engine::{Engine, lock};
use crate::protocol::ids::{ConversationId, TabId};

impl Engine {
    /// Works on a conversation's trail. One that is not known here is taken for one that has read.
    pub(in crate::engine) fn with_trail<T>(&self, id: &ConversationId, work: impl FnOnce(&mut Trail) -> T) -> T {
        work(lock(&self.inner.trails).entry(id.clone()).or_insert_with(|| Trail::new(true)))
    }

    /// A turn begins by this message. A conversation's first one begins its trail.
    pub(in crate::engine) fn person_said(&self, conversation: &Conversation, message: &Message) {
        let page = message.page.as_ref().map(|page| page.url.as_str());
        lock(&self.inner.trails)
            .entry(conversation.id().clone())
            .or_insert_with(|| Trail::new(conversation.has_resume()))
            .person_said(&message.text, page);
    }

    /// Whether a command that types would type into a password field.
    pub(in crate::engine) async fn types_into_password(&self, tab: TabId, spec: &Spec, args: &[String]) -> bool {
        // A page that can't be asked can't be typed into either.
        let Some((page, target)) = self.page_and_target(tab, spec, args).await else { return false };
        page.is_password(target.as_ref()).await
    }

    /// Where a command that clicks, or presses Enter, would lead by the page's markup.
    pub(in crate::engine) async fn leads_to(&self, tab: TabId, spec: &Spec, args: &[String]) -> Option<Leading> {
        let (page, target) = self.page_and_target(tab, spec, args).await?;
        page.leads_to(target.as_ref()).await
    }

    async fn page_and_target(&self, tab: TabId, spec: &Spec, args: &[String]) -> Option<(Page, Option<Target>)> {
        let (browser, pages) = self.pages_with(Some(tab))?;
        let page = pages.open(&browser.tab(tab).ok()?).await.ok()?;
        let target = Arguments::parse(spec, args).ok().and_then(|arguments| arguments.target("sel"));
        Some((page, target))
    }
}
