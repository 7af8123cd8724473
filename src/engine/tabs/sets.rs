//! Which tabs a conversation's agent may use, and in which of them it works.
//!
//! Owns the tabs that were added: by the person, by the agent's `newtab`, or because a page of the set opened them. The own
//! tab is always among them. A closed tab leaves the set. Never decides what may be done in a tab: the policy does.

use super::error::TabsError;
use crate::base::mutex::lock;
use crate::chat::Conversation;
use crate::protocol::fault::Fault;
use crate::protocol::ids::{ConversationId, TabId};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

/// More would not be looked through in the panel.
const MOST_TABS: usize = 32;

/// What belongs to each conversation beside its own tab. Cheap to clone.
#[derive(Clone, Default)]
pub(in crate::engine) struct TabSets(Arc<Mutex<HashMap<ConversationId, TabSet>>>);

#[derive(Debug, Default)]
struct TabSet {
    added: BTreeMap<TabId, How>,
    /// Where the agent works; none: in the conversation's own tab.
    working: Option<TabId>,
    /// Came into the set since the agent was last told.
    news: Vec<(TabId, How)>,
}

/// By whom a tab came into a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum How {
    Person,
    Agent,
    /// A page of the set opened it while the agent worked.
    Page,
}

impl TabSets {
    /// Fails if the set is full.
    pub(in crate::engine) fn add(&self, conversation: &Conversation, tab: TabId, how: How) -> Result<(), Fault> {
        if conversation.info().tab_id == Some(tab) {
            return Ok(());
        }
        let mut sets = lock(&self.0);
        let TabSet { added, news, .. } = sets.entry(conversation.id().clone()).or_default();
        if added.contains_key(&tab) {
            return Ok(());
        }
        if added.len() >= MOST_TABS {
            return Err(TabsError::SetFull { most: MOST_TABS }.into());
        }
        added.insert(tab, how);
        if how != How::Agent {
            news.push((tab, how));
        }
        Ok(())
    }

    /// The tabs that a conversation's agent may use now, its own first.
    pub(in crate::engine) fn of(&self, conversation: &Conversation) -> Vec<TabId> {
        let own = conversation.info().tab_id;
        let sets = lock(&self.0);
        let added = sets.get(conversation.id()).into_iter().flat_map(|set| set.added.keys().copied());
        own.into_iter().chain(added.filter(|tab| Some(*tab) != own)).collect()
    }

    /// The tab that the agent's next command is about. It may be closed by now: then that is told, rather than something
    /// done in another one.
    pub(in crate::engine) fn working(&self, conversation: &Conversation) -> Option<TabId> {
        let working = lock(&self.0).get(conversation.id()).and_then(|set| set.working);
        working.or(conversation.info().tab_id)
    }

    /// The agent goes on in this tab of its set.
    pub(in crate::engine) fn work_in(&self, conversation: &Conversation, tab: TabId) {
        let own = conversation.info().tab_id == Some(tab);
        lock(&self.0).entry(conversation.id().clone()).or_default().working = Some(tab).filter(|_| !own);
    }

    /// Where the agent goes on in a new turn: in the own tab, where it may no longer use the one that it worked in.
    pub(in crate::engine) fn settle_working(&self, conversation: &Conversation) -> Option<TabId> {
        let set = self.of(conversation);
        if let Some(known) = lock(&self.0).get_mut(conversation.id()) {
            known.working = known.working.filter(|tab| set.contains(tab));
        }
        self.working(conversation)
    }

    /// The agent made the tab, or its pages did: closing it takes nothing of the person's away.
    pub(in crate::engine) fn is_made_by_agent(&self, conversation: &Conversation, tab: TabId) -> bool {
        let sets = lock(&self.0);
        let how = sets.get(conversation.id()).and_then(|set| set.added.get(&tab));
        matches!(how, Some(How::Agent | How::Page))
    }

    /// The tabs that came into the set since this was last asked, and are still in it.
    pub(in crate::engine) fn take_news(&self, conversation: &Conversation) -> Vec<(TabId, How)> {
        let mut sets = lock(&self.0);
        let Some(TabSet { news, added, .. }) = sets.get_mut(conversation.id()) else { return Vec::new() };
        std::mem::take(news).into_iter().filter(|(tab, _)| added.contains_key(tab)).collect()
    }

    /// The person takes a tab out of the set.
    pub(in crate::engine) fn take_out(&self, conversation: &Conversation, tab: TabId) {
        if let Some(set) = lock(&self.0).get_mut(conversation.id()) {
            set.added.remove(&tab);
        }
    }

    /// The tab was closed: it leaves every set.
    pub(in crate::engine) fn leave(&self, tab: TabId) {
        lock(&self.0).retain(|_, set| {
            set.added.remove(&tab);
            !set.added.is_empty() || set.working.is_some()
        });
    }

    /// The conversation is gone.
    pub(in crate::engine) fn forget(&self, id: &ConversationId) {
        lock(&self.0).remove(id);
    }
}
