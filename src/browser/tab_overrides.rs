//! Giving a tab's pages, frames and workers what stands for them, now and whenever another comes.
//!
//! Owns no state: what stands is in `overrides`. A popup begins with its opener's list. Never decides what is on it.

use super::cdp::CdpError;
use super::error::BrowserError;
use super::overrides::PersistentOverride;
use super::session::Session;
use super::shared::{Role, Shared, TabState};
use super::tab::Tab;
use crate::protocol::ids::TabId;
use serde_json::Value;

impl TabState {
    /// Takes a command off the list; false if it was not on it.
    pub(super) fn drop_override(&mut self, method: &str) -> bool {
        let before = self.overrides.len();
        self.overrides.retain(|known| known.method != method);
        self.overrides.len() < before
    }
}

impl Shared {
    /// Gives a session that is being set up what stands for its tab.
    pub(super) fn apply_overrides(&self, tab: TabId, session: &Session) {
        let overrides =
            self.state().tab_states.get(&tab).map(|tab_state| tab_state.overrides.clone()).unwrap_or_default();
        for command in overrides {
            session.post(command);
        }
    }
}

impl Tab {
    /// Gives this command to the page, its frames in other processes and its workers, now and whenever another comes.
    pub async fn keep(&self, method: &'static str, params: Value) -> Result<(), BrowserError> {
        let command = PersistentOverride { method, params };
        // The page first: its refusal is the caller's, and then nothing stands.
        let page = self.page()?;
        page.call(command.clone()).await?;
        self.remember_override(&command)?;
        for session in self.inner_sessions() {
            // One that goes meanwhile needs it no more.
            match session.call(command.clone()).await {
                Ok(_) => {}
                Err(CdpError::Gone) => return Err(BrowserError::Gone),
                Err(error) => tracing::debug!(%error, method, "a frame or worker did not take it"),
            }
        }
        Ok(())
    }

    /// As `keep`, without waiting. What is sent to these sessions later meets it.
    pub(super) fn post_kept(&self, method: &'static str, params: Value) -> Result<(), BrowserError> {
        let command = PersistentOverride { method, params };
        let page = self.page()?;
        self.remember_override(&command)?;
        for session in std::iter::once(page).chain(self.inner_sessions()) {
            session.post(command.clone());
        }
        Ok(())
    }

    /// Takes the command off the list; `off` brings the former state back, now and in what runs already.
    pub async fn unkeep(&self, method: &'static str, off: &'static str, params: Value) -> Result<(), BrowserError> {
        if !self.with_tab_state(|tab_state| tab_state.drop_override(method))? {
            return Ok(());
        }
        let command = PersistentOverride { method: off, params };
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

    /// The parameters that stand for this method.
    pub fn kept(&self, method: &str) -> Option<Value> {
        let found = |tab_state: &mut TabState| {
            tab_state.overrides.iter().find(|known| known.method == method).map(|known| known.params.clone())
        };
        self.with_tab_state(found).ok().flatten()
    }

    /// Sessions of frames in other processes.
    pub(super) fn frame_sessions(&self) -> Vec<Session> {
        self.sessions_of(|role| *role == Role::Frame(self.id()))
    }

    /// Sessions of frames in other processes and of workers.
    pub(super) fn inner_sessions(&self) -> Vec<Session> {
        self.sessions_of(|role| matches!(role, Role::Frame(tab) | Role::Worker(tab) if *tab == self.id()))
    }

    fn sessions_of(&self, ours: impl Fn(&Role) -> bool) -> Vec<Session> {
        let state = self.browser().shared.state();
        let ids = state.sessions.iter().filter(|(_, role)| ours(role)).map(|(id, _)| id.clone());
        ids.map(|id| self.browser().cdp().session(id)).collect()
    }
}
