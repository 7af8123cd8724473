//! The handle to the tabs, and the state behind it.

use super::book::{TabBook, Working};
use super::closed::RecentlyClosed;
use super::sets::TabSets;
use crate::browsers::Browsers;
use crate::ports::{PortId, Ports};
use gstack_base::mutex::lock;
use gstack_browser::tabs::TabNumbers;
use gstack_chat::{Conversation, Store};
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::{ConversationId, TabId};
use gstack_protocol::tabs::ChromeTab;
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::sync::watch;

/// A handle to the state of tabs. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Tabs(pub(super) Arc<Shared>);

pub(super) struct Shared {
    pub(super) book: TabBook,
    sets: TabSets,
    /// The conversations to reattach when Chrome restores a tab.
    closed: Mutex<RecentlyClosed>,
    /// The restored tabs whose pages are not known yet.
    pub(super) restored: Mutex<Vec<(PortId, ChromeTab)>>,
    /// Notified when tabs may have changed.
    pub(super) changed: watch::Sender<()>,
    /// Held while a conversation's tab state is updated, so that the latest state is shown last.
    pub(super) refreshing: Mutex<()>,
    /// Held while a tab is leased, so that two drivers cannot get the same one.
    leasing: Mutex<()>,
    pub(super) browsers: Browsers,
    pub(super) ports: Ports,
    pub(super) store: Arc<Store>,
}

impl Tabs {
    /// Creates the service. `numbers` is the only counter of tab numbers.
    pub(crate) fn new(numbers: TabNumbers, browsers: Browsers, ports: Ports, store: Arc<Store>) -> Self {
        let (book, sets) = (TabBook::new(numbers), TabSets::default());
        let (closed, refreshing, leasing) = (Mutex::default(), Mutex::default(), Mutex::default());
        let (restored, changed) = (Mutex::default(), watch::Sender::new(()));
        Self(Arc::new(Shared { book, sets, closed, restored, changed, refreshing, leasing, browsers, ports, store }))
    }

    pub(crate) fn book(&self) -> &TabBook {
        &self.0.book
    }

    /// Returns the tabs that each conversation's agent may use.
    pub(crate) fn sets(&self) -> &TabSets {
        &self.0.sets
    }

    /// Serializes changes of leases. Hold it from the check that a tab is free until the tab is in a set.
    pub(crate) fn leasing(&self) -> MutexGuard<'_, ()> {
        lock(&self.0.leasing)
    }

    /// Forgets a closed port and what it reported. Its tabs may still be open: their conversations are found again when
    /// it reconnects.
    pub(crate) fn forget_port(&self, port: PortId) {
        lock(&self.0.restored).retain(|(of, _)| *of != port);
        for tab in self.0.book.forget_port(port) {
            self.0.store.tab_away(tab);
        }
    }

    /// Returns the number of running turns.
    pub(crate) fn turns_running(&self) -> usize {
        self.0.book.turns_running()
    }

    /// Records the start of a turn.
    pub(crate) fn turn_began(&self, conversation: &Conversation, agent_label: String) {
        let tab = self.sets().settle_working(conversation);
        self.0.book.begin_work(conversation.id().clone(), Working { agent_label, tab, ..Working::default() });
    }

    /// Records the end of a turn.
    pub(crate) fn turn_ended(&self, id: &ConversationId) {
        self.0.book.end_work(id);
    }

    /// Records which conversation showed which page in a tab that is about to close.
    pub(crate) fn remember_closed(&self, tab: TabId) {
        let Some(conversation) = self.0.store.of_tab(tab).and_then(|id| self.conversation(&id).ok()) else { return };
        let info = conversation.info();
        let Some(page) = info.page.filter(|_| info.head > 0) else { return };
        lock(&self.0.closed).remember(info.conversation_id, page.url);
    }

    /// Removes and returns the conversation that last showed this page in a closed tab.
    pub(super) fn take_closed(&self, url: &str) -> Option<ConversationId> {
        lock(&self.0.closed).take(url)
    }

    pub(super) fn conversation(&self, id: &ConversationId) -> Result<Arc<Conversation>, Fault> {
        self.0.store.get(id).map_err(|error| error.fault())
    }
}
