//! The dialogs of one tab: how they are answered, and those seen so far.
//!
//! Owns no state. `dialogs` owns the policy, and the router answers by it.

use super::devtools::page::HandleJavaScriptDialogParams;
use super::dialogs::{Dialog, DialogPolicy, DialogRecord};
use super::error::BrowserError;
use super::tab::Tab;

impl Tab {
    /// Sets the answer to dialogs that open while a command works on the tab (always, in a headless browser).
    ///
    /// # Errors
    ///
    /// Fails with [`BrowserError::TabClosed`] if the tab is closed.
    pub fn set_dialog_policy(&self, policy: DialogPolicy) -> Result<(), BrowserError> {
        self.with_tab_state(|tab_state| tab_state.dialogs.chosen = Some(policy))
    }
    /// Returns the dialogs seen in this tab, oldest first.
    ///
    /// # Errors
    ///
    /// Fails with [`BrowserError::TabClosed`] if the tab is closed.
    pub fn dialogs(&self) -> Result<Vec<DialogRecord>, BrowserError> {
        self.with_tab_state(|tab_state| tab_state.dialogs.records())
    }
    /// Forgets the dialogs seen in this tab.
    ///
    /// # Errors
    ///
    /// Fails with [`BrowserError::TabClosed`] if the tab is closed.
    pub fn clear_dialogs(&self) -> Result<(), BrowserError> {
        self.with_tab_state(|tab_state| tab_state.dialogs.clear())
    }
    /// Returns the open dialog if it was reported for an answer.
    pub fn open_dialog(&self) -> Option<Dialog> {
        let told = self.with_tab_state(|tab_state| {
            tab_state.dialogs.open().filter(|_| !tab_state.dialogs.held.is_empty()).cloned()
        });
        told.ok().flatten()
    }
    /// Dismisses the open dialog without waiting.
    pub fn dismiss_dialog(&self) {
        if let Ok(page) = self.page() {
            page.post(HandleJavaScriptDialogParams::new(false));
        }
    }
    /// Answers the open dialog.
    ///
    /// # Errors
    ///
    /// Fails if no dialog is open, the tab is closed, or the browser does not answer.
    pub async fn answer_dialog(&self, accept: bool, text: Option<String>) -> Result<(), BrowserError> {
        self.page()?.call(HandleJavaScriptDialogParams { accept, prompt_text: text }).await?;
        Ok(())
    }
}
