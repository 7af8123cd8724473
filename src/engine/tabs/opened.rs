//! Changes of a conversation's tab set, and the tab state that a conversation shows.

use super::service::Tabs;
use super::sets::JoinedBy;
use gstack_base::mutex::lock;
use gstack_browser::tabs::TabInfo;
use gstack_chat::Conversation;
use gstack_protocol::chat::{AllowedTab, ConversationState, PageContext};
use gstack_protocol::ids::TabId;
use std::time::Duration;

/// How long a command's answer waits for a tab that is opening.
const TOLD_LIMIT: Duration = Duration::from_secs(1);

impl Tabs {
    /// Moves the agent to this tab of its set.
    pub(crate) fn work_in(&self, conversation: &Conversation, tab: TabId) {
        self.sets().work_in(conversation, tab);
        self.refresh(conversation);
        self.change_work(conversation, |working| working.tab = Some(tab));
    }

    /// Describes for the agent the tabs that joined the set since the last call.
    pub(crate) fn news(&self, conversation: &Conversation) -> Option<String> {
        let news = self.sets().take_news(conversation);
        let line = |(tab, by): &(TabId, JoinedBy)| {
            let site = self.site_of(*tab).map(|site| format!(" ({site})")).unwrap_or_default();
            let who = if *by == JoinedBy::Person { "The person gave you" } else { "The page opened" };
            format!("{who} tab {tab}{site}: `tab` with {tab} goes there.")
        };
        (!news.is_empty()).then(|| news.iter().map(line).collect::<Vec<_>>().join("\n"))
    }

    /// Adds a tab that a page of another tab opened: an agent that works with the first may use the second.
    pub(crate) fn opened_by(&self, opener: TabId, tab: TabId) {
        for conversation in self.0.store.opened() {
            if conversation.state() != ConversationState::Idle && self.sets().of(&conversation).contains(&opener) {
                self.join_opened(&conversation, tab);
            }
        }
    }

    /// Returns the current tabs of the same browser, for [`Self::opened_since`].
    pub(crate) fn now(&self, beside: TabId) -> Vec<TabId> {
        self.0
            .browsers
            .pages_with(Some(beside))
            .map(|(browser, _)| browser.tabs().iter().map(|tab| tab.id).collect())
            .unwrap_or_default()
    }

    /// Adds the tabs that a command's page has opened, without waiting for the browser's events about them. `before`
    /// holds the tabs before the command.
    pub(crate) async fn opened_since(&self, conversation: &Conversation, beside: TabId, before: &[TabId]) {
        let Some((browser, _)) = self.0.browsers.pages_with(Some(beside)) else { return };
        if let Err(error) = browser.all_told(TOLD_LIMIT).await {
            tracing::debug!(%error, "a tab that is being opened is told of later");
        }
        for TabInfo { id, opener, .. } in browser.tabs() {
            let opened = opener.filter(|_| !before.contains(&id));
            if opened.is_some_and(|opener| self.sets().of(conversation).contains(&opener)) {
                self.join_opened(conversation, id);
            }
        }
    }

    fn join_opened(&self, conversation: &Conversation, tab: TabId) {
        match self.sets().add(conversation, tab, JoinedBy::Page) {
            Ok(()) => self.refresh(conversation),
            Err(fault) => tracing::info!(%fault, "a tab that a page opened is not in the agent's set"),
        }
    }

    /// Updates the tab state that every open conversation shows.
    pub(crate) fn refresh_all(&self) {
        for conversation in self.0.store.opened() {
            self.refresh(&conversation);
        }
    }

    pub(crate) fn refresh(&self, conversation: &Conversation) {
        let _guard = lock(&self.0.refreshing);
        let info = conversation.info();
        let tabs: Vec<AllowedTab> =
            self.sets().of(conversation).into_iter().filter_map(|tab| self.allowed_tab(tab)).collect();
        if tabs != info.tabs {
            conversation.set_tabs(tabs);
        }
        if info.head > 0 || info.tab_id.is_none() {
            return;
        }
        // An empty conversation is about the page that its tab currently shows.
        let Some(page) = self.page_of(conversation) else { return };
        let moved = info.page.as_ref().is_none_or(|known| known.url != page.url);
        if moved || info.earlier.is_none() {
            let earlier = self.0.store.earlier_about(&page.url, conversation.id());
            if earlier.as_ref() != info.earlier.as_deref() {
                conversation.set_earlier(earlier);
            }
        }
        if info.page.as_ref() != Some(&page) {
            conversation.set_page(page);
        }
    }

    fn allowed_tab(&self, tab_id: TabId) -> Option<AllowedTab> {
        let (chrome_tab_id, PageContext { url, title, .. }) = self.shown(tab_id)?;
        Some(AllowedTab { tab_id, chrome_tab_id, title, url })
    }
}
