//! What every page, frame and worker of a tab is given before it runs: extra headers, a user agent.
//!
//! Owns the list of a tab and its giving. A popup begins with its opener's list. Never decides what is on it.

use super::browser::{Desk, Role, Shared};
use super::cdp::CdpError;
use super::devtools::{Command, Done};
use super::error::BrowserError;
use super::session::Session;
use super::tab::Tab;
use crate::protocol::ids::TabId;
use serde::Serialize;
use serde_json::Value;

/// One DevTools command whose reply says nothing. One a method: the newest counts.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub(super) struct Standing {
    #[serde(skip)]
    method: &'static str,
    params: Value,
}

impl Standing {
    pub(super) fn new(method: &'static str, params: Value) -> Self {
        Self { method, params }
    }
}

impl Desk {
    /// Takes a command off the list; false if it was not on it.
    pub(super) fn drop_standing(&mut self, method: &str) -> bool {
        let before = self.standing.len();
        self.standing.retain(|known| known.method != method);
        self.standing.len() < before
    }
}

impl Command for Standing {
    type Response = Done;
    fn method(&self) -> &'static str {
        self.method
    }
}

impl Shared {
    /// Gives a session that is being set up what stands for its tab.
    pub(super) fn give_standing(&self, tab: TabId, session: &Session) {
        let standing = self.state().desks.get(&tab).map(|desk| desk.standing.clone()).unwrap_or_default();
        for command in standing {
            session.post(command);
        }
    }
}

impl Tab {
    /// Gives this command to the page, its frames in other processes and its workers, now and whenever another comes.
    pub async fn keep(&self, method: &'static str, params: Value) -> Result<(), BrowserError> {
        let command = Standing { method, params };
        // The page first: its refusal is the caller's, and then nothing stands.
        let page = self.page()?;
        page.call(command.clone()).await?;
        self.with_desk(|desk| {
            desk.standing.retain(|known| known.method != method);
            desk.standing.push(command.clone());
        })?;
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

    /// The parameters that stand for this method.
    pub fn kept(&self, method: &str) -> Option<Value> {
        let found = |desk: &mut Desk| {
            desk.standing.iter().find(|known| known.method == method).map(|known| known.params.clone())
        };
        self.with_desk(found).ok().flatten()
    }

    /// Sessions of frames in other processes and of workers.
    fn inner_sessions(&self) -> Vec<Session> {
        let state = self.browser().shared.state();
        let ours = |role: &Role| matches!(role, Role::Frame(tab) | Role::Worker(tab) if *tab == self.id());
        let ids = state.sessions.iter().filter(|(_, role)| ours(role)).map(|(id, _)| id.clone());
        ids.map(|id| self.browser().cdp().session(id)).collect()
    }
}
