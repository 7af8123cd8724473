//! A tab that one command opens for itself.
//!
//! Owns its closing, even if the command is cancelled.

use crate::browser::browser::Browser;
use crate::browser::devtools::target::CloseTarget;
use crate::browser::page::error::PageError;
use crate::browser::tab::Tab;
use std::ops::Deref;

/// Closes its tab when it is dropped.
pub(crate) struct TemporaryTab {
    tab: Tab,
}

impl TemporaryTab {
    /// Opens a tab in the background.
    pub(crate) async fn open(browser: &Browser) -> Result<Self, PageError> {
        Ok(Self { tab: browser.new_tab().await? })
    }
}

impl Deref for TemporaryTab {
    type Target = Tab;
    fn deref(&self) -> &Tab {
        &self.tab
    }
}

impl Drop for TemporaryTab {
    fn drop(&mut self) {
        if let Ok(info) = self.tab.info() {
            self.tab.browser().root().post(CloseTarget { target_id: info.target });
        }
    }
}
