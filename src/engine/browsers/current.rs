//! The browser in use and its state.

use super::source::Source;
use gstack_browser::browser::Browser;
use gstack_browser::page::Pages;
use gstack_browser::tabs::TabInfo;
use gstack_chat::session_file::TabKey;
use std::sync::Arc;

#[derive(Clone)]
pub(super) struct Current {
    pub(super) browser: Browser,
    /// The state that commands keep for its tabs.
    pub(super) pages: Pages,
    pub(super) source: Arc<dyn Source>,
}

impl Current {
    /// Returns true if its connection is open.
    pub(super) fn is_connected(&self) -> bool {
        !self.browser.gone().is_cancelled()
    }

    /// Returns true if gstack started it.
    pub(super) fn is_ours(&self) -> bool {
        self.source.name().is_none()
    }
}

/// Returns the key that identifies a tab to conversations, even after this connection.
pub(crate) fn tab_key(browser: &Browser, tab: &TabInfo) -> TabKey {
    TabKey { browser_run: browser.run().clone(), target_id: tab.target.clone() }
}
