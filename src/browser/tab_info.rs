//! One tab as others see it: its number, what it shows, and what happens to it.
//!
//! Owns the numbers that people use. Never learns anything: `tabs` does.

use super::dialogs::Dialog;
use crate::protocol::ids::{ChromeTabId, TabId, TargetId};
use crate::protocol::relay::Refusal;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Gives out tab numbers; shared by the browser runs of one daemon, so that a number is never reused while it runs.
#[derive(Clone, Debug)]
pub struct TabNumbers {
    next: Arc<AtomicU32>,
    /// The numbers that one browser's tabs have, also after a connection to it that was lost.
    kept: Option<Arc<Mutex<HashMap<TargetId, TabId>>>>,
}

impl Default for TabNumbers {
    fn default() -> Self {
        Self { next: Arc::new(AtomicU32::new(1)), kept: None }
    }
}

impl TabNumbers {
    /// A number that no tab has had.
    pub fn next(&self) -> TabId {
        TabId(self.next.fetch_add(1, Ordering::Relaxed))
    }
    /// The same numbers, for one browser whose tabs keep theirs from connection to connection.
    #[must_use]
    pub fn keeping(&self) -> Self {
        Self { next: self.next.clone(), kept: Some(Arc::default()) }
    }
    /// The number of a *tab* target that was not seen on this connection yet.
    pub(super) fn of(&self, target: &TargetId) -> TabId {
        let Some(kept) = &self.kept else { return self.next() };
        // Entries are written whole.
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        *kept.entry(target.clone()).or_insert_with(|| self.next())
    }
    /// A tab of the one browser that these are kept for has or had this number.
    pub fn keeps(&self, id: TabId) -> bool {
        let holds = |kept: &Arc<Mutex<HashMap<TargetId, TabId>>>| {
            kept.lock().unwrap_or_else(PoisonError::into_inner).values().any(|known| *known == id)
        };
        self.kept.as_ref().is_some_and(holds)
    }
    /// Some tab has or had it.
    pub(super) fn was_given(&self, id: TabId) -> bool {
        id.0 > 0 && id.0 < self.next.load(Ordering::Relaxed)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TabState {
    Open,
    /// Its page's process died; a navigation or reload brings it back.
    Crashed,
    /// Chrome dropped its page to save memory; it loads again when it is shown.
    Discarded,
}

/// One tab, as it was when asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TabInfo {
    pub id: TabId,
    /// The *tab* target: stays the same while the tab lives.
    pub target: TargetId,
    /// The *page* target in it: another one after some navigations.
    pub page: Option<TargetId>,
    pub url: String,
    pub title: String,
    /// The tab whose page opened this one.
    pub opener: Option<TabId>,
    pub state: TabState,
    /// In view in its window, as far as the browser says so.
    pub in_view: bool,
    pub incognito: bool,
    /// Once the extension has reported it.
    pub chrome_id: Option<ChromeTabId>,
}

impl TabInfo {
    pub fn is_crashed(&self) -> bool {
        self.state == TabState::Crashed
    }
}

/// What happened in a browser. A receiver that fell behind reads `Browser::tabs` again.
#[derive(Clone, Debug)]
pub enum BrowserEvent {
    TabOpened(TabInfo),
    /// Address, title, state, view or join changed.
    TabChanged(TabInfo),
    TabClosed(TabId),
    TabCrashed(TabId),
    /// In an everyday browser: somebody else ended our attachment to the tab.
    SentOut(TabId, Refusal),
    /// A dialog stands open and is left to a person or to the policy.
    DialogOpened(TabId, Dialog),
    /// The browser ended or the connection to it did; nothing follows.
    Gone,
}
