//! The browser in use, with what belongs to it.

use crate::base::process::Process;
use crate::browser::browser::Browser;
use crate::browser::page::Pages;
use crate::browser::tabs::TabInfo;
use crate::chat::session::TabKey;

#[derive(Clone)]
pub(super) struct Current {
    pub(super) browser: Browser,
    /// What commands remember of its tabs.
    pub(super) pages: Pages,
    /// `None` if an attached browser does not tell it.
    pub(super) pid: Option<u32>,
    /// The process of a browser that gstack started, as it was when it was taken into use.
    pub(super) process: Option<Process>,
    /// The DevTools address or the name of somebody else's browser, which gstack never ends. `None` for our own.
    pub(super) attached: Option<String>,
}

impl Current {
    /// Its connection stands.
    pub(super) fn is_connected(&self) -> bool {
        !self.browser.gone().is_cancelled()
    }
}

/// What names a tab to conversations, also after this connection.
pub(in crate::engine) fn tab_key(browser: &Browser, tab: &TabInfo) -> TabKey {
    TabKey { browser_run: browser.run().clone(), target_id: tab.target.clone() }
}
