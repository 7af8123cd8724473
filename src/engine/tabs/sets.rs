//! Tab sets: which tabs a conversation's agent may use, and which one it works in.
//!
//! Owns the tabs that were added: by the person, by the agent's `newtab`, or because a page of the set opened them, and
//! what tells others that a set changed. The conversation's own tab is always included. A closed tab leaves the set.
//! Never decides what is allowed in a tab: the policy does.

use super::error::TabsError;
use gstack_base::mutex::lock;
use gstack_chat::Conversation;
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::{ConversationId, TabId};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::sync::watch;

/// A person could not review more in the panel.
const MOST_TABS: usize = 32;

/// The tabs of each conversation besides its own. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct TabSets(Arc<Shared>);

#[derive(Default)]
struct Shared {
    sets: Mutex<HashMap<ConversationId, TabSet>>,
    changed: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct TabSet {
    /// The name of the agent in the conversation's latest turn. `None` for a driver's set, and before the first turn.
    agent: Option<String>,
    added: BTreeMap<TabId, JoinedBy>,
    /// The tab in which the agent works. `None` for the conversation's own tab.
    working: Option<TabId>,
    /// Tabs that joined the set since the agent was last informed.
    news: Vec<(TabId, JoinedBy)>,
}

/// A tab that an agent of the panel, or one of its pages, has opened.
pub(crate) struct MadeByAgent {
    pub(crate) conversation: ConversationId,
    pub(crate) agent: String,
    pub(crate) tab: TabId,
}

/// The way in which a tab joined a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JoinedBy {
    Person,
    Agent,
    /// A page of the set opened it while the agent worked.
    Page,
}

impl TabSets {
    /// Adds a tab. Fails if the set is full.
    pub(crate) fn add(&self, conversation: &Conversation, tab: TabId, by: JoinedBy) -> Result<(), Fault> {
        if conversation.info().tab_id == Some(tab) {
            return Ok(());
        }
        let mut sets = self.sets();
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
        self.0.changed.send_replace(());
        Ok(())
    }

    /// Signals every change of which tabs are in a set.
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.0.changed.subscribe()
    }

    /// Records what the agent of a conversation's new turn is called.
    pub(crate) fn worked_by(&self, conversation: &Conversation, agent: String) {
        let mut sets = self.sets();
        let known = &mut sets.entry(conversation.id().clone()).or_default().agent;
        if known.as_ref() != Some(&agent) {
            *known = Some(agent);
            self.0.changed.send_replace(());
        }
    }

    /// Returns what the agent of a conversation's latest turn is called.
    pub(crate) fn agent_of(&self, id: &ConversationId) -> Option<String> {
        self.sets().get(id)?.agent.clone()
    }

    /// Returns the tabs that agents of the panel and their pages have opened.
    pub(crate) fn made_by_agents(&self) -> Vec<MadeByAgent> {
        let sets = self.sets();
        let with_agent = sets.iter().filter_map(|(id, set)| Some((id, set.agent.as_ref()?, set)));
        let made = with_agent.flat_map(|(id, agent, set)| {
            let tabs = set.added.iter().filter(|(_, by)| by.is_made_by_agent());
            tabs.map(|(tab, _)| MadeByAgent { conversation: id.clone(), agent: agent.clone(), tab: *tab })
        });
        made.collect()
    }

    /// Returns the tabs that a conversation's agent may use, its own first.
    pub(crate) fn of(&self, conversation: &Conversation) -> Vec<TabId> {
        let own = conversation.info().tab_id;
        let sets = self.sets();
        let added = sets.get(conversation.id()).into_iter().flat_map(|set| set.added.keys().copied());
        own.into_iter().chain(added.filter(|tab| Some(*tab) != own)).collect()
    }

    /// Returns the tab of the agent's next command. It may have been closed: then the command reports that instead of
    /// acting in another tab.
    pub(crate) fn working(&self, conversation: &Conversation) -> Option<TabId> {
        let working = self.sets().get(conversation.id()).and_then(|set| set.working);
        working.or(conversation.info().tab_id)
    }

    /// Moves the agent to this tab of its set.
    pub(crate) fn work_in(&self, conversation: &Conversation, tab: TabId) {
        let own = conversation.info().tab_id == Some(tab);
        self.sets().entry(conversation.id().clone()).or_default().working = Some(tab).filter(|_| !own);
    }

    /// Returns the tab for a new turn: the working tab, or the conversation's own tab if the agent may no longer use
    /// the former.
    pub(crate) fn settle_working(&self, conversation: &Conversation) -> Option<TabId> {
        let set = self.of(conversation);
        if let Some(known) = self.sets().get_mut(conversation.id()) {
            known.working = known.working.filter(|tab| set.contains(tab));
        }
        self.working(conversation)
    }

    /// Returns true if the agent or one of its pages opened the tab, so that closing it takes nothing from the person.
    pub(crate) fn is_made_by_agent(&self, conversation: &Conversation, tab: TabId) -> bool {
        let sets = self.sets();
        let by = sets.get(conversation.id()).and_then(|set| set.added.get(&tab));
        by.is_some_and(|by| by.is_made_by_agent())
    }

    /// Returns the tabs that joined the set since the last call and are still in it.
    pub(crate) fn take_news(&self, conversation: &Conversation) -> Vec<(TabId, JoinedBy)> {
        let mut sets = self.sets();
        let Some(TabSet { news, added, .. }) = sets.get_mut(conversation.id()) else { return Vec::new() };
        std::mem::take(news).into_iter().filter(|(tab, _)| added.contains_key(tab)).collect()
    }

    /// Removes a tab from the set at the person's request.
    pub(crate) fn take_out(&self, conversation: &Conversation, tab: TabId) {
        if let Some(set) = self.sets().get_mut(conversation.id()) {
            set.added.remove(&tab);
        }
        self.0.changed.send_replace(());
    }

    /// Removes a closed tab from every set.
    pub(crate) fn leave(&self, tab: TabId) {
        self.sets().retain(|_, set| {
            set.added.remove(&tab);
            !set.added.is_empty() || set.working.is_some() || set.agent.is_some()
        });
        self.0.changed.send_replace(());
    }

    /// Removes the set of a deleted conversation.
    pub(crate) fn forget(&self, id: &ConversationId) {
        self.sets().remove(id);
        self.0.changed.send_replace(());
    }

    fn sets(&self) -> MutexGuard<'_, HashMap<ConversationId, TabSet>> {
        lock(&self.0.sets)
    }
}

impl JoinedBy {
    fn is_made_by_agent(self) -> bool {
        matches!(self, Self::Agent | Self::Page)
    }
}
