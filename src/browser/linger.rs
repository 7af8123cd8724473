//! How long a tab of an everyday browser stays attached to: while something works on it or wants it to stay, and a little
//! longer. Then it is let go of, and the browser's bar about it goes away.
//!
//! Owns the stay and the time of letting go. In a browser of gstack's own nothing is ever let go of by time.

use super::error::BrowserError;
use super::tab::Tab;
use std::fmt;
use std::time::Duration;
use tokio::time::Instant;

/// A tab that is not let go of.
pub struct Stay {
    tab: Tab,
}

impl fmt::Debug for Stay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Stay").field(&self.tab.id()).finish()
    }
}

impl Clone for Stay {
    fn clone(&self) -> Self {
        // A tab that was closed meanwhile stays no more.
        self.tab.with_tab_state(|tab_state| tab_state.stays += 1).unwrap_or_default();
        Self { tab: self.tab.clone() }
    }
}

impl Drop for Stay {
    fn drop(&mut self) {
        self.tab.with_tab_state(|tab_state| tab_state.stays = tab_state.stays.saturating_sub(1)).unwrap_or_default();
        self.tab.let_go_later();
    }
}

impl Tab {
    /// Keeps the tab attached to from its next command on, for as long as the stay lives.
    pub fn stay(&self) -> Result<Stay, BrowserError> {
        self.with_tab_state(|tab_state| {
            tab_state.stays += 1;
            tab_state.hold_round += 1;
        })?;
        Ok(Stay { tab: self.clone() })
    }

    /// Lets go of the tab no sooner than after this time.
    pub fn linger_for(&self, time: Duration) -> Result<(), BrowserError> {
        let until = Instant::now() + time;
        self.with_tab_state(|tab_state| tab_state.linger_until = tab_state.linger_until.max(Some(until)))
    }

    /// The person lets us in again, where they had sent us out.
    pub fn let_in(&self) {
        // A tab that is gone is not acted on anyway.
        self.with_tab_state(|tab_state| tab_state.detached_by_user = false).unwrap_or_default();
    }

    /// Nothing works on the tab now.
    pub(super) fn let_go_later(&self) {
        self.browser().shared.end_pretended_focus(self.id());
        let Some(after) = self.browser().shared.options.lets_go_after else { return };
        let state = self.with_tab_state(|tab_state| {
            (tab_state.holds == 0 && tab_state.stays == 0).then_some((tab_state.hold_round, tab_state.linger_until))
        });
        let (Ok(Some((round, until))), Ok(runtime)) = (state, tokio::runtime::Handle::try_current()) else { return };
        let until = until.max(Some(Instant::now() + after)).unwrap_or_else(Instant::now);
        let (tab, gone) = (self.clone(), self.browser().gone().clone());
        self.browser().cdp().tasks().spawn_on(
            async move {
                tokio::select! {
                    () = gone.cancelled() => return,
                    () = tokio::time::sleep_until(until) => {}
                }
                let unneeded = tab.with_tab_state(|tab_state| {
                    tab_state.holds == 0 && tab_state.stays == 0 && tab_state.hold_round == round
                });
                if matches!(unneeded, Ok(true)) {
                    tab.release();
                }
            },
            &runtime,
        );
    }
}
