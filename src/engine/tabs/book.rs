//! The state of Chrome's tabs, and of agents' work in them.
//!
//! Owns what each port's Chrome has reported about its tabs, and the numbers of tabs in browsers that gstack does not
//! drive. The browser numbers the tabs of a browser that gstack drives.

use crate::ports::PortId;
use gstack_base::mutex::lock;
use gstack_browser::tabs::{TabInfo, TabNumbers};
use gstack_protocol::chat::{LocalizedPhrase, PageContext};
use gstack_protocol::ids::{ChromeTabId, ConversationId, TabId};
use gstack_protocol::tabs::{ChromeTab, TabsChanged};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

/// The state of Chrome's tabs and of agents' work in them. Cheap to clone.
#[derive(Clone)]
pub(crate) struct TabBook {
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
pub(crate) struct Working {
    pub(crate) agent_label: String,
    /// The tab of the last command. `None` if the turn has run no command and works in the conversation's own tab.
    pub(crate) tab: Option<TabId>,
    pub(crate) doing: String,
    /// The phrase of `doing` as a code.
    pub(crate) phrase: Option<LocalizedPhrase>,
    pub(crate) waiting: bool,
}

impl TabBook {
    pub(crate) fn new(numbers: TabNumbers) -> Self {
        Self { book: Arc::default(), numbers }
    }

    /// Applies a port's report. Returns the numbered tabs that are gone.
    pub(crate) fn report(&self, port: PortId, changed: &TabsChanged) -> Vec<ChromeTabId> {
        let mut book = lock(&self.book);
        let Book { reported, foreign, .. } = &mut *book;
        let known = reported.entry(port).or_default();
        for (former, tab) in changed.tabs.iter().filter_map(|tab| Some((tab.replaces?, tab))) {
            if let Some(number) = foreign.remove(&(port, former)) {
                foreign.insert((port, tab.chrome_tab_id), number);
            }
        }
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
    pub(crate) fn forget_port(&self, port: PortId) -> Vec<TabId> {
        let mut book = lock(&self.book);
        book.reported.remove(&port);
        book.foreign.extract_if(|(of, _), _| *of == port).map(|(_, tab_id)| tab_id).collect()
    }

    /// Returns true once a port has reported its tabs.
    pub(crate) fn has_reported(&self, port: PortId) -> bool {
        lock(&self.book).reported.contains_key(&port)
    }

    pub(crate) fn reported(&self, port: PortId, id: ChromeTabId) -> Option<ChromeTab> {
        lock(&self.book).reported.get(&port)?.get(&id).cloned()
    }

    /// Returns the page title that a browser's extension has reported.
    pub(crate) fn reported_title(&self, id: ChromeTabId, url: &str) -> Option<String> {
        let book = lock(&self.book);
        let mut reported = book.reported.values().filter_map(|tabs| tabs.get(&id));
        reported.find(|tab| tab.url == url && !tab.title.is_empty()).map(|tab| tab.title.clone())
    }

    /// Returns a tab of a driven browser as one port's Chrome knows it.
    pub(crate) fn reported_as(&self, port: PortId, info: &TabInfo) -> Option<ChromeTab> {
        let book = lock(&self.book);
        let known = book.reported.get(&port)?;
        match info.chrome_id {
            Some(chrome_id) => known.get(&chrome_id).cloned(),
            None => known.values().find(|tab| tab.target_id.is_some() && tab.target_id == info.page).cloned(),
        }
    }

    /// Returns the number of a tab in a browser that gstack does not drive. Assigns one the first time.
    pub(crate) fn number(&self, port: PortId, id: ChromeTabId) -> TabId {
        *lock(&self.book).foreign.entry((port, id)).or_insert_with(|| self.numbers.next())
    }

    /// Removes and returns the number of such a tab that was closed.
    pub(crate) fn take_number(&self, port: PortId, id: ChromeTabId) -> Option<TabId> {
        lock(&self.book).foreign.remove(&(port, id))
    }

    /// Returns a tab that was numbered here, as its port reported it.
    pub(crate) fn numbered(&self, tab_id: TabId) -> Option<ChromeTab> {
        let book = lock(&self.book);
        let ((port, chrome_id), _) = book.foreign.iter().find(|(_, id)| **id == tab_id)?;
        book.reported.get(port)?.get(chrome_id).cloned()
    }

    /// Returns such a tab if that port has numbered it.
    pub(crate) fn numbered_of(&self, port: PortId, tab_id: TabId) -> Option<ChromeTab> {
        let book = lock(&self.book);
        let ((_, chrome_id), _) = book.foreign.iter().find(|((of, _), id)| *of == port && **id == tab_id)?;
        book.reported.get(&port)?.get(chrome_id).cloned()
    }

    /// Records the work of a new turn.
    pub(crate) fn begin_work(&self, id: ConversationId, working: Working) {
        lock(&self.book).working.insert(id, working);
    }

    /// Removes the work of a turn that is over.
    pub(crate) fn end_work(&self, id: &ConversationId) {
        lock(&self.book).working.remove(id);
    }

    /// Changes the work of a turn. Returns false if no turn runs there.
    pub(crate) fn change_work(&self, id: &ConversationId, change: impl FnOnce(&mut Working)) -> bool {
        lock(&self.book).working.get_mut(id).map(change).is_some()
    }

    pub(crate) fn working(&self) -> BTreeMap<ConversationId, Working> {
        lock(&self.book).working.clone()
    }

    /// Sets the tabs in which MCP clients wait for the person.
    pub(crate) fn set_waiting_drivers(&self, waiting: Vec<Working>) {
        lock(&self.book).waiting_drivers = waiting;
    }

    /// Sets who is paused. Returns true if that changed.
    pub(crate) fn set_paused(&self, paused: BTreeSet<ConversationId>) -> bool {
        let mut book = lock(&self.book);
        let changed = book.paused != paused;
        book.paused = paused;
        changed
    }

    pub(crate) fn is_paused(&self, id: &ConversationId) -> bool {
        lock(&self.book).paused.contains(id)
    }

    pub(crate) fn waiting_drivers(&self) -> Vec<Working> {
        lock(&self.book).waiting_drivers.clone()
    }

    pub(crate) fn turns_running(&self) -> usize {
        lock(&self.book).working.len()
    }
}
