//! The state of Chrome's tabs, and of agents' work in them.
//!
//! Owns what each port's Chrome has reported about its tabs, and the numbers of tabs in browsers that gstack does not
//! drive. The browser numbers the tabs of a browser that gstack drives.

use crate::base::mutex::lock;
use crate::browser::tabs::{TabInfo, TabNumbers};
use crate::engine::ports::PortId;
use crate::protocol::chat::{LocalizedPhrase, PageContext};
use crate::protocol::ids::{ChromeTabId, ConversationId, TabId};
use crate::protocol::tabs::{ChromeTab, TabsChanged};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

/// The state of Chrome's tabs and of agents' work in them. Cheap to clone.
#[derive(Clone)]
pub(in crate::engine) struct TabBook {
    book: Arc<Mutex<Book>>,
    /// The only counter of tab numbers.
    numbers: TabNumbers,
}

#[derive(Default)]
struct Book {
    reported: HashMap<PortId, BTreeMap<ChromeTabId, ChromeTab>>,
    /// Numbers of tabs in browsers that gstack does not drive.
    foreign: HashMap<(PortId, ChromeTabId), TabId>,
    working: BTreeMap<ConversationId, Working>,
    /// MCP clients that wait for the person. They have no turn.
    waiting_drivers: Vec<Working>,
    /// The agents and clients that are paused because the person took over.
    paused: BTreeSet<ConversationId>,
}

/// An agent's current work and its tab.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::engine) struct Working {
    pub(in crate::engine) agent_label: String,
    /// The tab of the last command. `None` if the turn has run no command and works in the conversation's own tab.
    pub(in crate::engine) tab: Option<TabId>,
    pub(in crate::engine) doing: String,
    /// The phrase of `doing` as a code.
    pub(in crate::engine) phrase: Option<LocalizedPhrase>,
    pub(in crate::engine) waiting: bool,
}

impl TabBook {
    pub(in crate::engine) fn new(numbers: TabNumbers) -> Self {
        Self { book: Arc::default(), numbers }
    }

    /// Applies a port's report. Returns the numbered tabs that are gone.
    pub(in crate::engine) fn report(&self, port: PortId, changed: &TabsChanged) -> Vec<ChromeTabId> {
        let mut book = lock(&self.book);
        let Book { reported, foreign, .. } = &mut *book;
        let known = reported.entry(port).or_default();
        let mut gone = Vec::new();
        if changed.full {
            let present: Vec<ChromeTabId> = changed.tabs.iter().map(|tab| tab.chrome_tab_id).collect();
            gone.extend(known.keys().filter(|id| !present.contains(id)).copied());
            known.clear();
        }
        gone.extend(changed.removed.iter().copied());
        for tab in &changed.tabs {
            let page = PageContext { url: tab.url.clone(), title: tab.title.clone(), selection: None };
            let PageContext { url, title, .. } = page.bounded();
            known.insert(tab.chrome_tab_id, ChromeTab { url, title, ..tab.clone() });
        }
        for id in &gone {
            known.remove(id);
        }
        gone.retain(|id| foreign.contains_key(&(port, *id)));
        gone
    }

    /// Forgets a closed port and what it reported. Returns the tabs that were numbered here.
    pub(in crate::engine) fn forget_port(&self, port: PortId) -> Vec<TabId> {
        let mut book = lock(&self.book);
        book.reported.remove(&port);
        book.foreign.extract_if(|(of, _), _| *of == port).map(|(_, tab_id)| tab_id).collect()
    }

    /// Returns true once a port has reported its tabs.
    pub(in crate::engine) fn has_reported(&self, port: PortId) -> bool {
        lock(&self.book).reported.contains_key(&port)
    }

    pub(in crate::engine) fn reported(&self, port: PortId, id: ChromeTabId) -> Option<ChromeTab> {
        lock(&self.book).reported.get(&port)?.get(&id).cloned()
    }

    /// Returns the page title that a browser's extension has reported.
    pub(in crate::engine) fn reported_title(&self, id: ChromeTabId, url: &str) -> Option<String> {
        let book = lock(&self.book);
        let mut reported = book.reported.values().filter_map(|tabs| tabs.get(&id));
        reported.find(|tab| tab.url == url && !tab.title.is_empty()).map(|tab| tab.title.clone())
    }

    /// Returns a tab of a driven browser as one port's Chrome knows it.
    pub(in crate::engine) fn reported_as(&self, port: PortId, info: &TabInfo) -> Option<ChromeTab> {
        let book = lock(&self.book);
        let known = book.reported.get(&port)?;
        match info.chrome_id {
            Some(chrome_id) => known.get(&chrome_id).cloned(),
            None => known.values().find(|tab| tab.target_id.is_some() && tab.target_id == info.page).cloned(),
        }
    }

    /// Returns the number of a tab in a browser that gstack does not drive. Assigns one the first time.
    pub(in crate::engine) fn number(&self, port: PortId, id: ChromeTabId) -> TabId {
        *lock(&self.book).foreign.entry((port, id)).or_insert_with(|| self.numbers.next())
    }

    /// Removes and returns the number of such a tab that was closed.
    pub(in crate::engine) fn take_number(&self, port: PortId, id: ChromeTabId) -> Option<TabId> {
        lock(&self.book).foreign.remove(&(port, id))
    }

    /// Returns a tab that was numbered here, as its port reported it.
    pub(in crate::engine) fn numbered(&self, tab_id: TabId) -> Option<ChromeTab> {
        let book = lock(&self.book);
        let ((port, chrome_id), _) = book.foreign.iter().find(|(_, id)| **id == tab_id)?;
        book.reported.get(port)?.get(chrome_id).cloned()
    }

    /// Returns such a tab if that port has numbered it.
    pub(in crate::engine) fn numbered_of(&self, port: PortId, tab_id: TabId) -> Option<ChromeTab> {
        let book = lock(&self.book);
        let ((_, chrome_id), _) = book.foreign.iter().find(|((of, _), id)| *of == port && **id == tab_id)?;
        book.reported.get(&port)?.get(chrome_id).cloned()
    }

    /// Records the work of a new turn.
    pub(in crate::engine) fn begin_work(&self, id: ConversationId, working: Working) {
        lock(&self.book).working.insert(id, working);
    }

    /// Removes the work of a turn that is over.
    pub(in crate::engine) fn end_work(&self, id: &ConversationId) {
        lock(&self.book).working.remove(id);
    }

    /// Changes the work of a turn. Returns false if no turn runs there.
    pub(in crate::engine) fn change_work(&self, id: &ConversationId, change: impl FnOnce(&mut Working)) -> bool {
        lock(&self.book).working.get_mut(id).map(change).is_some()
    }

    pub(in crate::engine) fn working(&self) -> BTreeMap<ConversationId, Working> {
        lock(&self.book).working.clone()
    }

    /// Sets the tabs in which MCP clients wait for the person.
    pub(in crate::engine) fn set_waiting_drivers(&self, waiting: Vec<Working>) {
        lock(&self.book).waiting_drivers = waiting;
    }

    /// Sets who is paused. Returns true if that changed.
    pub(in crate::engine) fn set_paused(&self, paused: BTreeSet<ConversationId>) -> bool {
        let mut book = lock(&self.book);
        let changed = book.paused != paused;
        book.paused = paused;
        changed
    }

    pub(in crate::engine) fn is_paused(&self, id: &ConversationId) -> bool {
        lock(&self.book).paused.contains(id)
    }

    pub(in crate::engine) fn waiting_drivers(&self) -> Vec<Working> {
        lock(&self.book).waiting_drivers.clone()
    }

    pub(in crate::engine) fn turns_running(&self) -> usize {
        lock(&self.book).working.len()
    }
}
