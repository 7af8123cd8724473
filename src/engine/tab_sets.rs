//! Which tabs a conversation's agent may use, in which of them it works, and what a conversation shows of its tab.
//!
//! Owns the tabs that were added: by the person, by the agent's `newtab`, or because a page of the set opened them. The own
//! tab is always among them. A closed tab leaves the set. Never decides what may be done in a tab: the policy does.

use super::Engine;
use super::ports::PortId;
use crate::base::mutex::lock;
use crate::browser::tabs::TabInfo;
use crate::chat::Conversation;
use crate::protocol::chat::{AllowedTab, ConversationInfo, ConversationState, PageContext};
use crate::protocol::fault::{Fault, FaultCode};
use crate::protocol::history::ConversationTab;
use crate::protocol::ids::{ConversationId, TabId};
use crate::protocol::told;
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

/// What belongs to each conversation beside its own tab.
pub(super) type TabSets = HashMap<ConversationId, TabSet>;

/// More would not be looked through in the panel.
const MOST_TABS: usize = 32;

/// How long a command's answer waits for a tab that is being opened.
const TOLD_LIMIT: Duration = Duration::from_secs(1);

#[derive(Debug, Default)]
pub(super) struct TabSet {
    added: BTreeMap<TabId, How>,
    /// Where the agent works; none: in the conversation's own tab.
    working: Option<TabId>,
    /// Came into the set since the agent was last told.
    news: Vec<(TabId, How)>,
}

/// By whom a tab came into a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    Person,
    Agent,
    /// A page of the set opened it while the agent worked.
    Page,
}

impl Engine {
    /// Adds a tab to those that the agent may use, or takes it out.
    pub fn conversation_tab(&self, port: PortId, request: &ConversationTab) -> Result<ConversationInfo, Fault> {
        let conversation = self.conversation(&request.conversation_id)?;
        let place = self.place_of(port, request.chrome_tab_id)?;
        if conversation.info().tab_id == Some(place.tab_id) && !request.allowed {
            return Err(Fault::new(FaultCode::Conflict, told::OWN_TAB).hint(told::OWN_TAB_NEXT));
        }
        if request.allowed {
            self.add_to_tab_set(&conversation, place.tab_id, How::Person)?;
        } else if let Some(set) = lock(&self.inner.tab_sets).get_mut(conversation.id()) {
            set.added.remove(&place.tab_id);
        }
        self.refresh(&conversation);
        Ok(conversation.info())
    }

    pub(super) fn add_to_tab_set(&self, conversation: &Conversation, tab: TabId, how: How) -> Result<(), Fault> {
        if conversation.info().tab_id == Some(tab) {
            return Ok(());
        }
        let mut sets = lock(&self.inner.tab_sets);
        let TabSet { added, news, .. } = sets.entry(conversation.id().clone()).or_default();
        if added.contains_key(&tab) {
            return Ok(());
        }
        if added.len() >= MOST_TABS {
            return Err(Fault::new(FaultCode::TooLarge, told::TAB_SET_FULL.with([&MOST_TABS.to_string()]))
                .hint(told::TAB_SET_FULL_NEXT));
        }
        added.insert(tab, how);
        if how != How::Agent {
            news.push((tab, how));
        }
        Ok(())
    }

    /// The tabs that a conversation's agent may use now, its own first.
    pub(super) fn tab_set(&self, conversation: &Conversation) -> Vec<TabId> {
        let own = conversation.info().tab_id;
        let sets = lock(&self.inner.tab_sets);
        let added = sets.get(conversation.id()).into_iter().flat_map(|set| set.added.keys().copied());
        own.into_iter().chain(added.filter(|tab| Some(*tab) != own)).collect()
    }

    /// The tab that the agent's next command is about. It may be closed by now: then that is told, rather than something
    /// done in another one.
    pub(super) fn working_tab(&self, conversation: &Conversation) -> Option<TabId> {
        let working = lock(&self.inner.tab_sets).get(conversation.id()).and_then(|set| set.working);
        working.or(conversation.info().tab_id)
    }

    /// The agent goes on in this tab of its set.
    pub(super) fn work_in(&self, conversation: &Conversation, tab: TabId) {
        let own = conversation.info().tab_id == Some(tab);
        lock(&self.inner.tab_sets).entry(conversation.id().clone()).or_default().working = Some(tab).filter(|_| !own);
        self.refresh(conversation);
        self.working(conversation, |working| working.tab = Some(tab));
    }

    /// Where the agent goes on in a new turn: in the own tab, where it may no longer use the one that it worked in.
    pub(super) fn settle_working_tab(&self, conversation: &Conversation) -> Option<TabId> {
        let set = self.tab_set(conversation);
        if let Some(known) = lock(&self.inner.tab_sets).get_mut(conversation.id()) {
            known.working = known.working.filter(|tab| set.contains(tab));
        }
        self.working_tab(conversation)
    }

    /// The agent made the tab, or its pages did: closing it takes nothing of the person's away.
    pub(super) fn is_made_by_agent(&self, conversation: &Conversation, tab: TabId) -> bool {
        let sets = lock(&self.inner.tab_sets);
        let how = sets.get(conversation.id()).and_then(|set| set.added.get(&tab));
        matches!(how, Some(How::Agent | How::Page))
    }

    /// The tabs that came into the set since this was last asked, in words for the agent.
    pub(super) fn tab_news(&self, conversation: &Conversation) -> Option<String> {
        let news = {
            let mut sets = lock(&self.inner.tab_sets);
            let set = sets.get_mut(conversation.id())?;
            std::mem::take(&mut set.news).into_iter().filter(|(tab, _)| set.added.contains_key(tab)).collect::<Vec<_>>()
        };
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
            if conversation.state() != ConversationState::Idle && self.tab_set(&conversation).contains(&opener) {
                self.join_opened(&conversation, tab);
            }
        }
    }

    /// The tabs that are there now beside this one, for [`Self::tabs_opened_since`].
    pub(super) fn tabs_now(&self, beside: TabId) -> Vec<TabId> {
        self.pages_with(Some(beside))
            .map(|(browser, _)| browser.tabs().iter().map(|tab| tab.id).collect())
            .unwrap_or_default()
    }

    /// The same for what a command has made its page open, before the browser's events have told of it here.
    /// `before`: the tabs that were there before the command.
    pub(super) async fn tabs_opened_since(&self, conversation: &Conversation, beside: TabId, before: &[TabId]) {
        let Some((browser, _)) = self.pages_with(Some(beside)) else { return };
        if let Err(error) = browser.all_told(TOLD_LIMIT).await {
            tracing::debug!(%error, "a tab that is being opened is told of later");
        }
        for TabInfo { id, opener, .. } in browser.tabs() {
            let opened = opener.filter(|_| !before.contains(&id));
            if opened.is_some_and(|opener| self.tab_set(conversation).contains(&opener)) {
                self.join_opened(conversation, id);
            }
        }
    }

    fn join_opened(&self, conversation: &Conversation, tab: TabId) {
        match self.add_to_tab_set(conversation, tab, How::Page) {
            Ok(()) => self.refresh(conversation),
            Err(fault) => tracing::info!(%fault, "a tab that a page opened is not in the agent's set"),
        }
    }

    pub(super) fn leave_tab_sets(&self, tab: TabId) {
        lock(&self.inner.tab_sets).retain(|_, set| {
            set.added.remove(&tab);
            !set.added.is_empty() || set.working.is_some()
        });
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
            self.tab_set(conversation).into_iter().filter_map(|tab| self.allowed_tab(tab)).collect();
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
