//! File choosers that a page opens during an act.
//!
//! A chooser is a window of the browser: nothing in a page can close it, and it takes the keyboard from the person.
//! Owns when choosers are intercepted: from the start of an act to its end, so that a person's own click still opens
//! one. Never gives files: `upload` does.

use super::devtools::page::SetInterceptFileChooserDialog;
use super::devtools::target::SessionId;
use super::effects::{Effects, Noted};
use super::shared::{Role, Shared};
use crate::protocol::ids::TabId;

impl Shared {
    /// Intercepts the choosers of all frames of the tab, or no longer does. Input that is sent later comes after it.
    pub(super) fn intercept_choosers(&self, tab: TabId, enabled: bool) {
        let of_tab = |role: &Role| matches!(role, Role::Page(own) | Role::Frame(own) if *own == tab);
        let sessions: Vec<SessionId> = {
            let state = self.state();
            state.sessions.iter().filter(|(_, role)| of_tab(role)).map(|(id, _)| id.clone()).collect()
        };
        for session in sessions {
            self.cdp.session(session).post(SetInterceptFileChooserDialog { enabled });
        }
    }
}

impl Effects {
    /// Forgets the choosers that got their files.
    pub(super) fn choosers_served(&self) {
        self.list().noted.retain(|noted| !matches!(noted, Noted::FileChooser { .. }));
    }
}
