//! Which tabs a conversation's agent may use, and what a conversation shows of its tab.
//!
//! Owns the tabs that were added: by the person, or because a page of the set opened them. The own tab is always among
//! them. A closed tab leaves the set. Never decides what may be done in a tab: the policy does.

use super::ports::PortId;
use super::{Engine, lock};
use crate::chat::Conversation;
use crate::protocol::chat::{AllowedTab, ConversationInfo, ConversationState, PageContext};
use crate::protocol::fault::{Fault, FaultCode};
use crate::protocol::history::ConversationTab;
use crate::protocol::ids::{ConversationId, TabId};
use std::collections::{BTreeSet, HashMap};

/// The tabs that were added to each conversation's own.
pub(super) type TabSets = HashMap<ConversationId, BTreeSet<TabId>>;

/// More would not be looked through in the panel.
const MOST_TABS: usize = 32;

impl Engine {
    /// Adds a tab to those that the agent may use, or takes it out.
    pub fn conversation_tab(&self, port: PortId, request: &ConversationTab) -> Result<ConversationInfo, Fault> {
        let conversation = self.conversation(&request.conversation_id)?;
        let place = self.place_of(port, request.chrome_tab_id)?;
        if conversation.info().tab_id == Some(place.tab_id) && !request.allowed {
            return Err(Fault::new(FaultCode::Conflict, "this is the conversation's own tab")
                .hint("Open the conversation in another tab, or close the tab."));
        }
        if request.allowed {
            self.add_to_tab_set(&conversation, place.tab_id)?;
        } else {
            let mut sets = lock(&self.inner.tab_sets);
            if let Some(set) = sets.get_mut(conversation.id()) {
                set.remove(&place.tab_id);
            }
        }
        self.refresh(&conversation);
        Ok(conversation.info())
    }

    pub(super) fn add_to_tab_set(&self, conversation: &Conversation, tab: TabId) -> Result<(), Fault> {
        let mut sets = lock(&self.inner.tab_sets);
        let set = sets.entry(conversation.id().clone()).or_default();
        if set.len() >= MOST_TABS && !set.contains(&tab) {
            return Err(Fault::new(FaultCode::TooLarge, format!("{MOST_TABS} tabs are in its set already"))
                .hint("Take one out first."));
        }
        set.insert(tab);
        Ok(())
    }

    /// The tabs that a conversation's agent may use now, its own first.
    pub(super) fn tab_set(&self, conversation: &Conversation) -> Vec<TabId> {
        let own = conversation.info().tab_id;
        let sets = lock(&self.inner.tab_sets);
        let added = sets.get(conversation.id()).into_iter().flatten().copied().filter(|tab| Some(*tab) != own);
        own.into_iter().chain(added).collect()
    }

    /// A page of one tab opened another: where an agent works with the first, it may use the second.
    pub(super) fn tab_opened_by(&self, opener: TabId, tab: TabId) {
        for conversation in self.store().opened() {
            if conversation.state() != ConversationState::Idle && self.tab_set(&conversation).contains(&opener) {
                match self.add_to_tab_set(&conversation, tab) {
                    Ok(()) => self.refresh(&conversation),
                    Err(fault) => tracing::info!(%fault, "a tab that a page opened is not in the agent's set"),
                }
            }
        }
    }

    pub(super) fn leave_tab_sets(&self, tab: TabId) {
        lock(&self.inner.tab_sets).retain(|_, set| {
            set.remove(&tab);
            !set.is_empty()
        });
    }

    /// Brings what every open conversation shows of its tabs up to date.
    pub(super) fn refresh_all(&self) {
        for conversation in self.store().opened() {
            self.refresh(&conversation);
        }
    }

    pub(super) fn refresh(&self, conversation: &Conversation) {
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
