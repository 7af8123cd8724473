//! File choosers that a page opens during an act.
//!
//! A chooser is a window of the browser: nothing in a page can close it, and it takes the keyboard from the person.
//! Owns the time of the interception: from the start of an act until shortly after its end, so that a person's own
//! click still opens one. Never gives files: `upload` does.

use super::devtools::page::SetInterceptFileChooserDialogParams;
use super::devtools::target::SessionId;
use super::effects::{Effects, RecordedEffect};
use super::shared::{Role, Shared};
use super::tab::Tab;
use gstack_protocol::ids::TabId;
use std::time::Duration;

/// The browser may report a chooser after the input that opened it is over.
const OPENS_LATER: Duration = Duration::from_secs(1);

impl Tab {
    /// Intercepts the choosers that the tab opens from now on.
    pub(super) fn intercept_choosers(&self) {
        // A tab that is gone opens none.
        self.with_tab_state(|tab_state| tab_state.chooser_round += 1).unwrap_or_default();
        self.browser().shared.intercept_choosers(self.id(), true);
    }

    /// Allows choosers again after a short delay, unless another act begins by then.
    pub(super) fn let_choosers_open_later(&self) {
        let round = self.with_tab_state(|tab_state| tab_state.chooser_round);
        let (Ok(round), Ok(runtime)) = (round, tokio::runtime::Handle::try_current()) else { return };
        let (tab, gone) = (self.clone(), self.browser().gone().clone());
        self.browser().cdp().tasks().spawn_on(
            async move {
                tokio::select! {
                    () = gone.cancelled() => return,
                    () = tokio::time::sleep(OPENS_LATER) => {}
                }
                if tab.with_tab_state(|tab_state| tab_state.chooser_round).is_ok_and(|now| now == round) {
                    tab.browser().shared.intercept_choosers(tab.id(), false);
                }
            },
            &runtime,
        );
    }
}

impl Shared {
    /// Intercepts the choosers of all frames of the tab, or no longer does. Input that is sent later comes after it.
    fn intercept_choosers(&self, tab: TabId, enabled: bool) {
        let of_tab = |role: &Role| matches!(role, Role::Page(own) | Role::Frame(own) if *own == tab);
        let sessions: Vec<SessionId> = {
            let state = self.state();
            state.sessions.iter().filter(|(_, role)| of_tab(role)).map(|(id, _)| id.clone()).collect()
        };
        for session in sessions {
            self.cdp.session(session).post(SetInterceptFileChooserDialogParams::new(enabled));
        }
    }
}

impl Effects {
    /// Forgets the choosers that got their files.
    pub(super) fn choosers_served(&self) {
        self.list().noted.retain(|noted| !matches!(noted, RecordedEffect::FileChooser { .. }));
    }
}
