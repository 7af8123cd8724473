//! What was set for tabs and changes what they send, show or are told, in words.
//!
//! Owns the list for `status`; each part says its own words. Sets nothing.

use super::browser::Browser;
use super::error::BrowserError;
use super::overrides::PersistentOverride;
use super::permissions::Permission;
use super::shared::TabState;
use super::tab::Tab;
use crate::base::counted::counted;
use crate::protocol::ids::TabId;

impl TabState {
    fn described(&self) -> Vec<String> {
        let scripts = self.init_scripts.len();
        let scripts = (scripts > 0).then(|| counted(scripts, "init script"));
        let overrides = self.overrides.iter().flat_map(PersistentOverride::words).chain(scripts);
        self.routes.words().into_iter().chain(overrides).chain(self.permissions.iter().map(Permission::words)).collect()
    }
}

impl Tab {
    /// What it is told of its surroundings.
    pub fn emulated(&self) -> Result<Vec<String>, BrowserError> {
        self.with_tab_state(|tab_state| {
            let overrides =
                tab_state.overrides.iter().filter(|known| known.is_emulation()).flat_map(PersistentOverride::words);
            overrides.chain(tab_state.permissions.iter().map(Permission::words)).collect()
        })
    }
}

impl Browser {
    /// What was set for each tab. Tabs without anything are left out.
    pub fn overrides(&self) -> Vec<(TabId, Vec<String>)> {
        let state = self.shared.state();
        let mut all: Vec<_> = state.tab_states.iter().map(|(tab, tab_state)| (*tab, tab_state.described())).collect();
        // What stands for our own sake has no words.
        all.retain(|(_, words): &(TabId, Vec<String>)| !words.is_empty());
        all.sort_by_key(|(tab, _)| *tab);
        all
    }
}
