//! One tab as others see it: its number, what it shows, and what happens to it.
//!
//! Owns the shapes. Never learns anything: `tabs` does.

use super::dialogs::Dialog;
use crate::protocol::ids::{ChromeTabId, TabId, TargetId};
use crate::protocol::relay::Refusal;

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
