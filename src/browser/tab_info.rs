//! Public data of one tab: its number, its page, and its events.
//!
//! Owns the types. Never collects the data: `tabs` does.

use super::dialogs::Dialog;
use gstack_protocol::ids::{ChromeTabId, TabId, TargetId};
use gstack_protocol::relay::Refusal;

/// The state of a tab's page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TabState {
    /// It shows a page.
    Open,
    /// The process of its page has crashed; a navigation or reload restores it.
    Crashed,
    /// Chrome discarded its page to save memory; the page loads again when the tab is shown.
    Discarded,
}

/// One tab, at the time it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TabInfo {
    /// The tab's number.
    pub id: TabId,
    /// The *tab* target: it stays the same while the tab lives.
    pub target: TargetId,
    /// The *page* target in it: some navigations replace it.
    pub page: Option<TargetId>,
    /// The address of its page.
    pub url: String,
    /// The title of its page; empty if it has none.
    pub title: String,
    /// The tab whose page opened this one.
    pub opener: Option<TabId>,
    /// The state of its page.
    pub state: TabState,
    /// In view in its window, if the browser reports it.
    pub in_view: bool,
    /// Whether it is in a browser context other than the default one, as in a private window.
    pub incognito: bool,
    /// The browser's id of that context; `None` if the browser does not name contexts.
    pub context: Option<String>,
    /// Set once the extension has reported it.
    pub chrome_id: Option<ChromeTabId>,
}

impl TabInfo {
    /// Returns true if the tabs are in one browser context, and so have the same cookies and storage.
    pub fn shares_context(&self, other: &Self) -> bool {
        match (&self.context, &other.context) {
            (Some(own), Some(others)) => own == others,
            _ => self.incognito == other.incognito,
        }
    }

    /// Returns true if the process of its page has crashed.
    pub fn is_crashed(&self) -> bool {
        self.state == TabState::Crashed
    }
}

/// An event of a browser. A receiver that lagged behind reads `Browser::tabs` again.
#[derive(Clone, Debug)]
pub enum BrowserEvent {
    /// A tab was opened.
    TabOpened(TabInfo),
    /// The address, title, state, view or Chrome id changed.
    TabChanged(TabInfo),
    /// A tab was closed.
    TabClosed(TabId),
    /// The process of a tab's page crashed.
    TabCrashed(TabId),
    /// In an everyday browser: somebody else ended the attachment to the tab.
    SentOut(TabId, Refusal),
    /// A dialog is open and waits for the user or the caller of the action.
    DialogOpened(TabId, Dialog),
    /// The person pressed a key, a mouse button or a finger in a page of the tab.
    PersonActed(TabId),
    /// The browser or the connection to it ended; no event follows.
    Gone,
}
