//! The init scripts of one tab: adds and removes them.
//!
//! Owns their delivery to present and new pages and frames. Never decides who may add one.

use super::devtools_session::Session;
use super::error::BrowserError;
use super::init_scripts::InitScript;
use super::shared::{Shared, TabState};
use super::tab::Tab;
use gstack_base::site::SiteOrPage;
use gstack_protocol::ids::TabId;
use std::sync::Arc;

impl Shared {
    /// Sends the tab's init scripts to a page or frame that is being set up.
    pub(super) fn give_init_scripts(&self, tab: TabId, session: &Session) {
        let scripts =
            self.state().tab_states.get(&tab).map(|tab_state| tab_state.init_scripts.list.clone()).unwrap_or_default();
        scripts.iter().for_each(|script| script.give(session));
    }
}

impl Tab {
    /// Runs a script in each document from the next one on, in frames and popups too. Returns its number.
    pub(super) fn add_init_script(&self, source: String, only_on: Option<SiteOrPage>) -> Result<u64, BrowserError> {
        let page = self.page()?;
        let script = self.with_tab_state(|tab_state: &mut TabState| tab_state.init_scripts.add(source, only_on))?;
        let frames = self.frame_sessions();
        std::iter::once(&page).chain(&frames).for_each(|session| script.give(session));
        Ok(script.number)
    }

    /// Returns the tab's init scripts, oldest first.
    ///
    /// # Errors
    ///
    /// Fails with [`BrowserError::TabClosed`] if the tab is closed.
    pub fn init_scripts(&self) -> Result<Vec<Arc<InitScript>>, BrowserError> {
        self.with_tab_state(|tab_state| tab_state.init_scripts.list.clone())
    }

    /// Removes the script with this number, or all; with `of`, only those for documents of that place. Returns how many
    /// were removed.
    ///
    /// # Errors
    ///
    /// Fails with [`BrowserError::TabClosed`] if the tab is closed.
    pub fn remove_init_scripts(&self, number: Option<u64>, of: Option<&SiteOrPage>) -> Result<usize, BrowserError> {
        let gone: Vec<Arc<InitScript>> = self.with_tab_state(|tab_state| {
            let goes = |script: &mut Arc<InitScript>| {
                number.is_none_or(|number| script.number == number)
                    && of.is_none_or(|place| script.only_on.as_ref() == Some(place))
            };
            tab_state.init_scripts.list.extract_if(.., goes).collect()
        })?;
        gone.iter().for_each(|script| script.take_back(self.browser().cdp()));
        Ok(gone.len())
    }
}
