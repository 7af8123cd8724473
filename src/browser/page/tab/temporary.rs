//! A tab that one command opens for itself.
//!
//! Owns its closing, even if the command is cancelled.

use crate::browser::Browser;
use crate::devtools::target::CloseTargetParams;
use crate::page::error::PageError;
use crate::tab::Tab;
use std::ops::Deref;

/// Closes its tab when it is dropped.
pub struct TemporaryTab {
    tab: Tab,
}

impl TemporaryTab {
    /// Opens a tab in the background.
    pub async fn open(browser: &Browser) -> Result<Self, PageError> {
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
            self.tab.browser().root().post(CloseTargetParams::new(info.target.to_string()));
        }
    }
}
