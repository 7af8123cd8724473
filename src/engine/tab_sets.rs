//! What comes into a conversation's set of tabs, and what a conversation shows of its tabs.
//!
//! Owns when that is brought up to date. The sets themselves are kept in `tabs`.

use super::Engine;
use super::ports::PortId;
use super::tabs::How;
use crate::base::mutex::lock;
use crate::browser::tabs::TabInfo;
use crate::chat::Conversation;
use crate::protocol::chat::{AllowedTab, ConversationInfo, ConversationState, PageContext};
use crate::protocol::fault::{Fault, FaultCode};
use crate::protocol::history::ConversationTab;
use crate::protocol::ids::TabId;
use crate::protocol::told;
use std::time::Duration;

/// How long a command's answer waits for a tab that is being opened.
const TOLD_LIMIT: Duration = Duration::from_secs(1);

impl Engine {
    /// Adds a tab to those that the agent may use, or takes it out.
    pub fn conversation_tab(&self, port: PortId, request: &ConversationTab) -> Result<ConversationInfo, Fault> {
        let conversation = self.conversation(&request.conversation_id)?;
        let place = self.place_of(port, request.chrome_tab_id)?;
        if conversation.info().tab_id == Some(place.tab_id) && !request.allowed {
            return Err(Fault::new(FaultCode::Conflict, told::OWN_TAB).hint(told::OWN_TAB_NEXT));
        }
        if request.allowed {
            self.tab_sets().add(&conversation, place.tab_id, How::Person)?;
        } else {
            self.tab_sets().take_out(&conversation, place.tab_id);
        }
        self.refresh(&conversation);
        Ok(conversation.info())
    }

    /// The agent goes on in this tab of its set.
    pub(super) fn work_in(&self, conversation: &Conversation, tab: TabId) {
        self.tab_sets().work_in(conversation, tab);
        self.refresh(conversation);
        self.working(conversation, |working| working.tab = Some(tab));
    }

    /// The tabs that came into the set since this was last asked, in words for the agent.
    pub(super) fn tab_news(&self, conversation: &Conversation) -> Option<String> {
        let news = self.tab_sets().take_news(conversation);
        let line = |(tab, how): &(TabId, How)| {
            let site = self.site_of(*tab).map(|site| format!(" ({site})")).unwrap_or_default();
            let who = if *how == How::Person { "The person gave you" } else { "The page opened" };
            format!("{who} tab {tab}{site}: `tab` with {tab} goes there.")
        };
        (!news.is_empty()).then(|| news.iter().map(line).collect::<Vec<_>>().join("\n"))
    }

    /// A page of one tab opened another: where an agent works with the first, it may use the second.
    pub(super) fn tab_opened_by(&self, opener: TabId, tab: TabId) {
        for conversation in self.store().opened() {
            if conversation.state() != ConversationState::Idle && self.tab_sets().of(&conversation).contains(&opener) {
                self.join_opened(&conversation, tab);
            }
        }
    }

    /// The tabs that are there now beside this one, for [`Self::tabs_opened_since`].
    pub(super) fn tabs_now(&self, beside: TabId) -> Vec<TabId> {
        self.browsers()
            .pages_with(Some(beside))
            .map(|(browser, _)| browser.tabs().iter().map(|tab| tab.id).collect())
            .unwrap_or_default()
    }

    /// The same for what a command has made its page open, before the browser's events have told of it here.
    /// `before`: the tabs that were there before the command.
    pub(super) async fn tabs_opened_since(&self, conversation: &Conversation, beside: TabId, before: &[TabId]) {
        let Some((browser, _)) = self.browsers().pages_with(Some(beside)) else { return };
        if let Err(error) = browser.all_told(TOLD_LIMIT).await {
            tracing::debug!(%error, "a tab that is being opened is told of later");
        }
        for TabInfo { id, opener, .. } in browser.tabs() {
            let opened = opener.filter(|_| !before.contains(&id));
            if opened.is_some_and(|opener| self.tab_sets().of(conversation).contains(&opener)) {
                self.join_opened(conversation, id);
            }
        }
    }

    fn join_opened(&self, conversation: &Conversation, tab: TabId) {
        match self.tab_sets().add(conversation, tab, How::Page) {
            Ok(()) => self.refresh(conversation),
            Err(fault) => tracing::info!(%fault, "a tab that a page opened is not in the agent's set"),
        }
    }

    /// Brings what every open conversation shows of its tabs up to date.
    pub(super) fn refresh_all(&self) {
        for conversation in self.store().opened() {
            self.refresh(&conversation);
        }
    }

    pub(super) fn refresh(&self, conversation: &Conversation) {
        let _turn = lock(&self.inner.refreshing);
        let info = conversation.info();
        let tabs: Vec<AllowedTab> =
            self.tab_sets().of(conversation).into_iter().filter_map(|tab| self.allowed_tab(tab)).collect();
        if tabs != info.tabs {
            conversation.set_tabs(tabs);
        }
        if info.head > 0 || info.tab_id.is_none() {
            return;
        }
        // Nothing was said here: it is about whatever page its tab shows.
        let Some(page) = self.page_of(conversation) else { return };
        let moved = info.page.as_ref().is_none_or(|known| known.url != page.url);
        if moved || info.earlier.is_none() {
            let earlier = self.store().earlier_about(&page.url, conversation.id());
            if earlier != info.earlier {
                conversation.set_earlier(earlier);
            }
        }
        if info.page.as_ref() != Some(&page) {
            conversation.set_page(page);
        }
    }

    fn allowed_tab(&self, tab_id: TabId) -> Option<AllowedTab> {
        let (chrome_tab_id, PageContext { url, title, .. }) = self.shown_tab(tab_id)?;
        Some(AllowedTab { tab_id, chrome_tab_id, title, url })
    }
}
