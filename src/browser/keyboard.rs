//! Keyboard focus of the side panel: which panel has it, and how that panel gets it back after a press took it.
//!
//! Chromium moves the keyboard focus to a tab when a mouse button is pressed there, also through DevTools. Owns the
//! panel state of a browser and the restore commands. `panel_keyboard` records which panel has the focus.

use super::cdp::CdpError;
use super::devtools_session::{Batch, Session};
use crate::browser::devtools::target::SessionId;
use serde::Deserialize;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A panel that loses the focus this soon after a popup opened lost it to the popup. Chromium reports a popup first and
/// then gives its window the focus; on a busy machine that takes a second.
const POPUP_TAKES_FOCUS: Duration = Duration::from_secs(3);

/// A key press that reached the page instead of the panel.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct PressedKey {
    pub key: String,
    /// In milliseconds since 1970, by the page's clock.
    pub at: f64,
}

/// Receives the key presses that reached the page instead of the panel. Must not block.
pub(crate) type KeySink = Arc<dyn Fn(Vec<PressedKey>) + Send + Sync>;

/// The panel state of a browser.
#[derive(Default)]
pub(super) struct Keyboard {
    pub(super) holder: Option<PanelKeyboard>,
    /// The address and session of the panel that was attached last. It stays attached.
    pub(super) attached: Option<(String, SessionId)>,
    /// Counts the reports, so that a late attachment does not undo a newer one.
    pub(super) reports: u64,
    /// When a page opened a popup while the holder had the focus.
    popup_opened: Option<Instant>,
}

impl Keyboard {
    /// Records that a page that gstack works with opened a popup.
    pub(super) fn note_popup(&mut self) {
        self.popup_opened = self.holder.is_some().then(Instant::now);
    }

    /// Ends the holder's focus. Returns the panel that must get it back, because a popup took it.
    pub(super) fn lose(&mut self) -> Option<PanelKeyboard> {
        self.reports += 1;
        let panel = self.holder.take();
        let popup = self.popup_opened.take().is_some_and(|at| at.elapsed() < POPUP_TAKES_FOCUS);
        panel.filter(|_| popup)
    }
}

/// The side panel that has the keyboard focus.
#[derive(Clone)]
pub(crate) struct PanelKeyboard {
    pub(super) session: Session,
    pub(super) method: &'static str,
    pub(super) keys: KeySink,
}

impl PanelKeyboard {
    /// Adds a command to the batch that gives the focus back to the panel.
    pub(super) fn restore_in(&self, batch: &mut Batch<'_>) -> Result<(), CdpError> {
        batch.add_elsewhere(&self.session, self.method)
    }
    /// Gives the focus back to the panel now.
    pub(super) fn restore(&self) -> Result<(), CdpError> {
        let mut batch = self.session.batch();
        self.restore_in(&mut batch)?;
        batch.send();
        Ok(())
    }
    /// Passes on the key presses meant for the panel.
    pub(super) fn pass_on(&self, keys: Vec<PressedKey>) {
        if !keys.is_empty() {
            (self.keys)(keys);
        }
    }
}
