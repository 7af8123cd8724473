//! The browser in use and its state.

use super::remote::Remote;
use crate::base::process::Process;
use crate::base::profiles::ProfileName;
use crate::browser::browser::Browser;
use crate::browser::page::Pages;
use crate::browser::tabs::TabInfo;
use crate::chat::session_file::TabKey;
use std::sync::Arc;

#[derive(Clone)]
pub(super) struct Current {
    pub(super) browser: Browser,
    /// The state that commands keep for its tabs.
    pub(super) pages: Pages,
    /// `None` if an attached browser does not report it.
    pub(super) pid: Option<u32>,
    /// The process of a browser that gstack started, as it was when the browser came into use.
    pub(super) process: Option<Process>,
    /// The profile of a browser that gstack started.
    pub(super) profile: Option<ProfileName>,
    /// The DevTools address or the name of a browser that gstack did not start and never ends. `None` for our own.
    pub(super) attached: Option<String>,
    /// Set for a browser on another machine.
    pub(super) remote: Option<Arc<Remote>>,
}

impl Current {
    /// Returns true if its connection is open.
    pub(super) fn is_connected(&self) -> bool {
        !self.browser.gone().is_cancelled()
    }
}

/// Returns the key that identifies a tab to conversations, even after this connection.
pub(in crate::engine) fn tab_key(browser: &Browser, tab: &TabInfo) -> TabKey {
    TabKey { browser_run: browser.run().clone(), target_id: tab.target.clone() }
}
