//! Applies a tab's overrides to its pages, frames and workers, now and for each new one.
//!
//! Owns no state: one override is in `overrides`. A popup starts with its opener's list. Never decides on the content
//! of the list.

use super::cdp::CdpError;
use super::devtools::emulation::ClearDeviceMetricsOverrideParams;
use super::devtools_session::Session;
use super::error::BrowserError;
use super::overrides::PersistentOverride;
use super::shared::{Role, Shared, TabState};
use super::tab::Tab;
use gstack_protocol::ids::TabId;
use serde_json::Value;
use std::sync::Arc;

/// Its parameters are the size of the page.
const METRICS: &str = "Emulation.setDeviceMetricsOverride";

impl TabState {
    /// Returns what a popup starts with.
    pub(super) fn handed_on_overrides(&self) -> Vec<PersistentOverride> {
        self.overrides.iter().filter(|command| command.is_handed_on()).cloned().collect()
    }

    /// Removes a command from the list; returns false if it was not in it.
    pub(super) fn drop_override(&mut self, method: &str) -> bool {
        let before = self.overrides.len();
        self.overrides.retain(|known| known.method != method);
        self.overrides.len() < before
    }
}

impl Shared {
    /// Sends the tab's overrides to a session that is being set up.
    pub(super) fn apply_overrides(self: &Arc<Self>, tab: TabId, session: &Session) {
        let overrides =
            self.state().tab_states.get(&tab).map(|tab_state| tab_state.overrides.clone()).unwrap_or_default();
        for command in overrides {
            match command.is_of_process() {
                true => self.post_process_override(tab, session, command),
                false => session.post(command),
            }
        }
    }
}

impl Tab {
    /// Sends this command to the page, its out-of-process frames and its workers, now and for each new one.
    ///
    /// # Errors
    ///
    /// Fails if the page refuses the command or is gone. Then nothing is kept.
    pub async fn set_override(&self, method: &'static str, params: Value) -> Result<(), BrowserError> {
        let command = PersistentOverride::new(method, params);
        // The page first: if it refuses, the caller gets that error and the override is not kept.
        let page = self.page()?;
        page.call(command.clone()).await?;
        self.remember_override(&command)?;
        for session in self.inner_sessions() {
            // A session that has just ended needs no override.
            match session.call(command.clone()).await {
                Ok(_) => {}
                Err(CdpError::Gone) => return Err(BrowserError::Gone),
                Err(error) => tracing::debug!(%error, method, "a frame or worker did not take it"),
            }
        }
        Ok(())
    }

    /// Like `keep`, without waiting. It reaches each session before any later command.
    pub(super) fn post_kept(&self, method: &'static str, params: Value) -> Result<(), BrowserError> {
        self.post_override(&PersistentOverride::new(method, params))
    }

    fn post_override(&self, command: &PersistentOverride) -> Result<(), BrowserError> {
        let page = self.page()?;
        self.remember_override(command)?;
        self.post_to_all(&page, command);
        Ok(())
    }

    /// Keeps response bodies, limited in bytes, also after their document was left.
    /// A browser that cannot, keeps them as long as their document.
    ///
    /// # Errors
    ///
    /// Fails if the tab is closed, or its page crashed or hangs.
    pub fn keep_bodies(&self, largest: usize, all: usize) -> Result<(), BrowserError> {
        self.post_override(&PersistentOverride::keep_bodies(largest, all))
    }

    /// Undoes `keep_bodies`. Does nothing if the tab is gone.
    pub fn drop_bodies(&self) {
        let command = PersistentOverride::drop_bodies();
        let was_kept = self.with_tab_state(|tab_state| tab_state.drop_override(command.method)).unwrap_or_default();
        if let (true, Ok(page)) = (was_kept, self.page()) {
            self.post_to_all(&page, &command);
        }
    }

    /// Sets again what the person emulates: what another session of the page emulated has ended with it, and ours too.
    pub(super) fn emulate_again(&self) {
        let kept = self.with_tab_state(|tab_state| tab_state.overrides.clone()).unwrap_or_default();
        let Ok(page) = self.page() else { return };
        for command in kept.iter().filter(|command| command.method.starts_with("Emulation.")) {
            if command.method == METRICS {
                // The browser does nothing for a size that this session has set already.
                page.post(ClearDeviceMetricsOverrideParams {});
            }
            self.post_to_all(&page, command);
        }
    }

    fn post_to_all(&self, page: &Session, command: &PersistentOverride) {
        for session in std::iter::once(page.clone()).chain(self.inner_sessions()) {
            session.post(command.clone());
        }
    }

    /// Removes the command from the list; `off` restores the previous state, also in running targets.
    ///
    /// # Errors
    ///
    /// Fails if the tab is closed, or the page refuses the command.
    pub async fn clear_override(
        &self,
        method: &'static str,
        off: &'static str,
        params: Value,
    ) -> Result<(), BrowserError> {
        if !self.with_tab_state(|tab_state| tab_state.drop_override(method))? {
            return Ok(());
        }
        let command = PersistentOverride::new(off, params);
        self.page()?.call(command.clone()).await?;
        for session in self.inner_sessions() {
            session.post(command.clone());
        }
        Ok(())
    }

    fn remember_override(&self, command: &PersistentOverride) -> Result<(), BrowserError> {
        self.with_tab_state(|tab_state| {
            tab_state.overrides.retain(|known| known.method != command.method);
            tab_state.overrides.push(command.clone());
        })
    }

    /// Returns the parameters kept for this method.
    pub fn kept(&self, method: &str) -> Option<Value> {
        let found = |tab_state: &mut TabState| {
            tab_state.overrides.iter().find(|known| known.method == method).map(|known| known.params.clone())
        };
        self.with_tab_state(found).ok().flatten()
    }

    /// Returns the sessions of out-of-process frames.
    pub(super) fn frame_sessions(&self) -> Vec<Session> {
        self.sessions_of(|role| *role == Role::Frame(self.id()))
    }

    /// Returns the sessions of out-of-process frames and of workers.
    pub(super) fn inner_sessions(&self) -> Vec<Session> {
        self.sessions_of(|role| matches!(role, Role::Frame(tab) | Role::Worker(tab) if *tab == self.id()))
    }

    fn sessions_of(&self, ours: impl Fn(&Role) -> bool) -> Vec<Session> {
        let state = self.browser().shared.state();
        let ids = state.sessions.iter().filter(|(_, role)| ours(role)).map(|(id, _)| id.clone());
        ids.map(|id| self.browser().cdp().session(id)).collect()
    }
}
