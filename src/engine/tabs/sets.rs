//! Tab sets: which tabs a conversation's agent may use, and which one it works in.
//!
//! Owns the tabs that were added: by the person, by the agent's `newtab`, or because a page of the set opened them. The
//! conversation's own tab is always included. A closed tab leaves the set. Never decides what is allowed in a tab: the
//! policy does.

use super::error::TabsError;
use crate::base::mutex::lock;
use crate::chat::Conversation;
use crate::protocol::fault::Fault;
use crate::protocol::ids::{ConversationId, TabId};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

/// A person could not review more in the panel.
const MOST_TABS: usize = 32;

/// The tabs of each conversation besides its own. Cheap to clone.
#[derive(Clone, Default)]
pub(in crate::engine) struct TabSets(Arc<Mutex<HashMap<ConversationId, TabSet>>>);

#[derive(Debug, Default)]
struct TabSet {
    added: BTreeMap<TabId, JoinedBy>,
    /// The tab in which the agent works. `None` for the conversation's own tab.
    working: Option<TabId>,
    /// Tabs that joined the set since the agent was last informed.
    news: Vec<(TabId, JoinedBy)>,
}

/// The way in which a tab joined a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum JoinedBy {
    Person,
    Agent,
    /// A page of the set opened it while the agent worked.
    Page,
}

impl TabSets {
    /// Adds a tab. Fails if the set is full.
    pub(in crate::engine) fn add(&self, conversation: &Conversation, tab: TabId, by: JoinedBy) -> Result<(), Fault> {
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
        added.insert(tab, by);
        if by != JoinedBy::Agent {
            news.push((tab, by));
        }
        Ok(())
    }

    /// Returns the tabs that a conversation's agent may use, its own first.
    pub(in crate::engine) fn of(&self, conversation: &Conversation) -> Vec<TabId> {
        let own = conversation.info().tab_id;
        let sets = lock(&self.0);
        let added = sets.get(conversation.id()).into_iter().flat_map(|set| set.added.keys().copied());
        own.into_iter().chain(added.filter(|tab| Some(*tab) != own)).collect()
    }

    /// Returns the tab of the agent's next command. It may have been closed: then the command reports that instead of
    /// acting in another tab.
    pub(in crate::engine) fn working(&self, conversation: &Conversation) -> Option<TabId> {
        let working = lock(&self.0).get(conversation.id()).and_then(|set| set.working);
        working.or(conversation.info().tab_id)
    }

    /// Moves the agent to this tab of its set.
    pub(in crate::engine) fn work_in(&self, conversation: &Conversation, tab: TabId) {
        let own = conversation.info().tab_id == Some(tab);
        lock(&self.0).entry(conversation.id().clone()).or_default().working = Some(tab).filter(|_| !own);
    }

    /// Returns the tab for a new turn: the working tab, or the conversation's own tab if the agent may no longer use
    /// the former.
    pub(in crate::engine) fn settle_working(&self, conversation: &Conversation) -> Option<TabId> {
        let set = self.of(conversation);
        if let Some(known) = lock(&self.0).get_mut(conversation.id()) {
            known.working = known.working.filter(|tab| set.contains(tab));
        }
        self.working(conversation)
    }

    /// Returns true if the agent or one of its pages opened the tab, so that closing it takes nothing from the person.
    pub(in crate::engine) fn is_made_by_agent(&self, conversation: &Conversation, tab: TabId) -> bool {
        let sets = lock(&self.0);
        let by = sets.get(conversation.id()).and_then(|set| set.added.get(&tab));
        matches!(by, Some(JoinedBy::Agent | JoinedBy::Page))
    }

    /// Returns the tabs that joined the set since the last call and are still in it.
    pub(in crate::engine) fn take_news(&self, conversation: &Conversation) -> Vec<(TabId, JoinedBy)> {
        let mut sets = lock(&self.0);
        let Some(TabSet { news, added, .. }) = sets.get_mut(conversation.id()) else { return Vec::new() };
        std::mem::take(news).into_iter().filter(|(tab, _)| added.contains_key(tab)).collect()
    }

    /// Removes a tab from the set at the person's request.
    pub(in crate::engine) fn take_out(&self, conversation: &Conversation, tab: TabId) {
        if let Some(set) = lock(&self.0).get_mut(conversation.id()) {
            set.added.remove(&tab);
        }
    }

    /// Removes a closed tab from every set.
    pub(in crate::engine) fn leave(&self, tab: TabId) {
        lock(&self.0).retain(|_, set| {
            set.added.remove(&tab);
            !set.added.is_empty() || set.working.is_some()
        });
    }

    /// Removes the set of a deleted conversation.
    pub(in crate::engine) fn forget(&self, id: &ConversationId) {
        lock(&self.0).remove(id);
    }
}
