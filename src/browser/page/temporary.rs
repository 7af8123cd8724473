//! A tab that one command opens for itself.
//!
//! Owns its closing, also where the command is cut off.

use super::error::PageError;
use crate::browser::browser::Browser;
use crate::browser::tab::Tab;
use chromiumoxide::cdp::browser_protocol::target::{CloseTargetParams, TargetId};
use std::ops::Deref;

/// Closes its tab when it is dropped.
pub struct TemporaryTab {
    tab: Tab,
}

impl TemporaryTab {
    /// Opens it in the background.
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
            let target = TargetId::new(info.target.as_str().to_owned());
            self.tab.browser().root().post(CloseTargetParams::new(target));
        }
    }
}
