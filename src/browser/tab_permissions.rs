//! Granting and denying permissions to the sites of a tab, and restoring what other tabs have set.
//!
//! Keeps the browser's list in step with those of all tabs: the browser knows no tabs, only sites, and can only forget
//! everything at once. What was set for a tab ends with it. Owns no state, and never decides who may set something.

use super::browser::Browser;
use super::devtools::browser::ResetPermissions;
use super::error::BrowserError;
use super::permissions::Permission;
use super::shared::{Shared, TabState};
use super::tab::Tab;

impl Shared {
    /// Every tab's, so that what one has no longer set is as it was.
    pub(super) fn restore_permissions(&self) {
        let all: Vec<Permission> =
            self.state().tab_states.values().flat_map(|tab_state| tab_state.permissions.clone()).collect();
        let root = self.cdp.root();
        root.post(ResetPermissions {});
        all.iter().for_each(|permission| root.post(permission.command()));
    }
}

impl Tab {
    /// Grants or denies it to a site, in all tabs, for as long as this one is open.
    pub async fn set_permission(&self, permission: Permission) -> Result<(), BrowserError> {
        // Its refusal is the caller's, and then nothing stands.
        self.browser().root().call(permission.command()).await?;
        self.with_tab_state(|tab_state: &mut TabState| {
            let is_same = |known: &Permission| (&known.origin, &known.name) == (&permission.origin, &permission.name);
            tab_state.permissions.retain(|known| !is_same(known));
            tab_state.permissions.push(permission);
        })
    }

    pub fn permissions(&self) -> Result<Vec<Permission>, BrowserError> {
        self.with_tab_state(|tab_state| tab_state.permissions.clone())
    }

    /// Sites ask again for what was set for this tab.
    pub async fn reset_permissions(&self) -> Result<(), BrowserError> {
        if self.with_tab_state(|tab_state| std::mem::take(&mut tab_state.permissions))?.is_empty() {
            return Ok(());
        }
        let browser: &Browser = self.browser();
        browser.shared.restore_permissions();
        Ok(())
    }
}
