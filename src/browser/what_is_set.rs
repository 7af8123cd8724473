//! Describes the overrides of tabs: the settings that change what they send or what their pages see.
//!
//! Owns the list for `status`; each setting describes itself. Sets nothing.

use super::browser::Browser;
use super::error::BrowserError;
use super::overrides::PersistentOverride;
use super::permissions::Permission;
use super::shared::TabState;
use super::tab::Tab;
use gstack_base::counted::counted;
use gstack_protocol::ids::TabId;

impl TabState {
    fn described(&self) -> Vec<String> {
        let scripts = self.init_scripts.len();
        let scripts = (scripts > 0).then(|| counted(scripts, "init script"));
        let recorded = self.screencast.as_ref().map(|_| "a video recording".to_owned());
        let overrides = self.overrides.iter().flat_map(PersistentOverride::words).chain(scripts).chain(recorded);
        self.routes.words().into_iter().chain(overrides).chain(self.permissions.iter().map(Permission::words)).collect()
    }
}

impl Tab {
    /// Describes the tab's emulation overrides.
    ///
    /// # Errors
    ///
    /// Fails with [`BrowserError::TabClosed`] if the tab is closed.
    pub fn emulated(&self) -> Result<Vec<String>, BrowserError> {
        self.with_tab_state(|tab_state| {
            let overrides =
                tab_state.overrides.iter().filter(|known| known.is_emulation()).flat_map(PersistentOverride::words);
            overrides.chain(tab_state.permissions.iter().map(Permission::words)).collect()
        })
    }
}

impl Browser {
    /// Describes the overrides of each tab. Tabs without any are omitted.
    pub fn overrides(&self) -> Vec<(TabId, Vec<String>)> {
        let state = self.shared.state();
        let mut all: Vec<_> = state.tab_states.iter().map(|(tab, tab_state)| (*tab, tab_state.described())).collect();
        // Overrides for our own use have no description.
        all.retain(|(_, words): &(TabId, Vec<String>)| !words.is_empty());
        all.sort_by_key(|(tab, _)| *tab);
        all
    }
}
