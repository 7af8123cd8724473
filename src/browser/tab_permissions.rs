//! Grants and denies permissions to the sites of a tab, and restores the permissions that other tabs have set.
//!
//! Keeps the browser's list in step with those of all tabs: the browser knows sites, not tabs, and can only reset all
//! permissions at once. A tab's permissions end with the tab. Owns no state, and never decides who may set a
//! permission.

use super::browser::Browser;
use super::devtools::browser::ResetPermissionsParams;
use super::error::BrowserError;
use super::permissions::Permission;
use super::shared::{Shared, TabState};
use super::tab::Tab;

impl Shared {
    /// Resets the browser and applies the permissions of all tabs again, which drops those that no tab has.
    pub(super) fn restore_permissions(&self) {
        let all: Vec<Permission> =
            self.state().tab_states.values().flat_map(|tab_state| tab_state.permissions.clone()).collect();
        let root = self.cdp.root();
        root.post(ResetPermissionsParams::default());
        all.iter().for_each(|permission| root.post(permission.command()));
    }
}

impl Tab {
    /// Grants or denies a permission to a site, in all tabs, for as long as this tab is open.
    ///
    /// # Errors
    ///
    /// Fails if the browser refuses the permission, or the tab is closed. Then nothing is kept.
    pub async fn set_permission(&self, permission: Permission) -> Result<(), BrowserError> {
        self.browser().root().call(permission.command()).await?;
        self.with_tab_state(|tab_state: &mut TabState| {
            let is_same = |known: &Permission| (&known.origin, &known.name) == (&permission.origin, &permission.name);
            tab_state.permissions.retain(|known| !is_same(known));
            tab_state.permissions.push(permission);
        })
    }

    /// Returns the permissions that were set in this tab, oldest first.
    ///
    /// # Errors
    ///
    /// Fails with [`BrowserError::TabClosed`] if the tab is closed.
    pub fn permissions(&self) -> Result<Vec<Permission>, BrowserError> {
        self.with_tab_state(|tab_state| tab_state.permissions.clone())
    }

    /// Removes this tab's permissions: sites ask again.
    ///
    /// # Errors
    ///
    /// Fails with [`BrowserError::TabClosed`] if the tab is closed.
    pub async fn reset_permissions(&self) -> Result<(), BrowserError> {
        if self.with_tab_state(|tab_state| std::mem::take(&mut tab_state.permissions))?.is_empty() {
            return Ok(());
        }
        let browser: &Browser = self.browser();
        browser.shared.restore_permissions();
        Ok(())
    }
}
