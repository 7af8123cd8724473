//! Detaching from the tabs of an everyday browser: a tab stays attached while a command works on it or a `KeepAttached` exists,
//! and a little longer. Then gstack detaches, and the browser's debugging bar disappears.
//!
//! Owns the `KeepAttached` and the time of detaching. Never detaches by time in a browser that gstack started.

use super::error::BrowserError;
use super::tab::Tab;
use std::fmt;
use std::time::Duration;
use tokio::time::Instant;

/// Keeps a tab attached while it lives.
pub struct KeepAttached {
    tab: Tab,
}

impl fmt::Debug for KeepAttached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("KeepAttached").field(&self.tab.id()).finish()
    }
}

impl Clone for KeepAttached {
    fn clone(&self) -> Self {
        // A tab that has closed has no state.
        self.tab.with_tab_state(|tab_state| tab_state.kept_attached += 1).unwrap_or_default();
        Self { tab: self.tab.clone() }
    }
}

impl Drop for KeepAttached {
    fn drop(&mut self) {
        self.tab
            .with_tab_state(|tab_state| tab_state.kept_attached = tab_state.kept_attached.saturating_sub(1))
            .unwrap_or_default();
        self.tab.let_go_later();
    }
}

/// A CDP client works in the tab while this lives.
pub struct ServesClient {
    tab: Tab,
    _keep: KeepAttached,
}

impl Drop for ServesClient {
    fn drop(&mut self) {
        // A tab that has closed has no state.
        let shares_session = self.tab.browser().is_relayed();
        let was_last = self.tab.with_tab_state(|tab_state| {
            tab_state.cdp_clients = tab_state.cdp_clients.saturating_sub(1);
            tab_state.must_detach = shares_session && tab_state.cdp_clients == 0;
            tab_state.cdp_clients == 0
        });
        if was_last.unwrap_or_default() && !shares_session {
            self.tab.emulate_again();
        }
    }
}

impl Tab {
    /// Keeps the tab attached from its next command on, as long as the `KeepAttached` lives.
    ///
    /// # Errors
    ///
    /// Fails with [`BrowserError::TabClosed`] if the tab is closed.
    pub fn keep_attached(&self) -> Result<KeepAttached, BrowserError> {
        self.with_tab_state(|tab_state| {
            tab_state.kept_attached += 1;
            tab_state.hold_round += 1;
        })?;
        Ok(KeepAttached { tab: self.clone() })
    }

    /// Keeps the tab attached for at least this long.
    ///
    /// # Errors
    ///
    /// Fails with [`BrowserError::TabClosed`] if the tab is closed.
    pub fn keep_attached_for(&self, time: Duration) -> Result<(), BrowserError> {
        let until = Instant::now() + time;
        self.with_tab_state(|tab_state| tab_state.linger_until = tab_state.linger_until.max(Some(until)))
    }

    /// Keeps the tab attached, and leaves its dialogs to a CDP client, while the guard lives.
    ///
    /// # Errors
    ///
    /// Fails with [`BrowserError::TabClosed`] if the tab is closed.
    pub fn serve_client(&self) -> Result<ServesClient, BrowserError> {
        let keep = self.keep_attached()?;
        self.with_tab_state(|tab_state| tab_state.cdp_clients += 1)?;
        Ok(ServesClient { tab: self.clone(), _keep: keep })
    }

    /// Clears a detach made by the user.
    pub fn let_in(&self) {
        // A tab that is gone needs no change.
        self.with_tab_state(|tab_state| tab_state.detached_by_user = false).unwrap_or_default();
    }

    /// Schedules the detach after the last command on the tab.
    pub(super) fn let_go_later(&self) {
        let must_detach = self.with_tab_state(|tab_state| {
            let now = tab_state.must_detach && tab_state.holds == 0 && tab_state.cdp_clients == 0;
            tab_state.must_detach &= !now;
            now
        });
        if matches!(must_detach, Ok(true)) {
            return self.release();
        }
        self.browser().shared.end_pretended_focus(self.id());
        let Some(after) = self.browser().shared.options.lets_go_after else { return };
        let state = self.with_tab_state(|tab_state| {
            (tab_state.holds == 0 && tab_state.kept_attached == 0)
                .then_some((tab_state.hold_round, tab_state.linger_until))
        });
        let (Ok(Some((round, until))), Ok(runtime)) = (state, tokio::runtime::Handle::try_current()) else { return };
        let until = until.max(Some(Instant::now() + after)).unwrap_or_else(Instant::now);
        let (tab, gone) = (self.clone(), self.browser().gone().clone());
        self.browser().cdp().tasks().spawn_on(
            async move {
                let mut until = until;
                loop {
                    tokio::select! {
                        () = gone.cancelled() => return,
                        () = tokio::time::sleep_until(until) => {}
                    }
                    // It may have been asked to stay for longer since.
                    match tab.with_tab_state(|tab_state| tab_state.linger_until) {
                        Ok(Some(later)) if later > until => until = later,
                        _ => break,
                    }
                }
                let unneeded = tab.with_tab_state(|tab_state| {
                    tab_state.holds == 0 && tab_state.kept_attached == 0 && tab_state.hold_round == round
                });
                if matches!(unneeded, Ok(true)) {
                    tab.release();
                }
            },
            &runtime,
        );
    }
}
