//! The person's keyboard: which side panel has it, and how that panel gets it back after a press took it.
//!
//! Chromium moves the keyboard to a tab when a mouse button is pressed there, also by DevTools. Owns what a browser knows of
//! its panels and the way back. Which panel has the keyboard is told in `panel_keyboard`.

use super::cdp::CdpError;
use super::session::{Batch, Session};
use crate::browser::devtools::target::SessionId;
use serde::Deserialize;
use std::sync::Arc;

/// A key that reached the page all the same.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct PressedKey {
    pub key: String,
    /// In milliseconds since 1970, by the page's clock.
    pub at: f64,
}

/// Is given the keys that reached the page all the same. Must not block.
pub type KeySink = Arc<dyn Fn(Vec<PressedKey>) + Send + Sync>;

/// What a browser knows of its panels.
#[derive(Default)]
pub(super) struct Keyboard {
    pub(super) holder: Option<PanelKeyboard>,
    /// The panel that was attached to last, by its address. It stays attached to.
    pub(super) attached: Option<(String, SessionId)>,
    /// Counts the reports, so that a late attachment does not undo a newer one.
    pub(super) reports: u64,
}

/// The side panel that has the keyboard.
#[derive(Clone)]
pub struct PanelKeyboard {
    pub(super) session: Session,
    pub(super) method: &'static str,
    pub(super) keys: KeySink,
}

impl PanelKeyboard {
    /// Gives the keyboard back right after what the batch holds so far.
    pub(super) fn restore_in(&self, batch: &mut Batch<'_>) -> Result<(), CdpError> {
        batch.add_elsewhere(&self.session, self.method)
    }
    /// Gives the keyboard back now.
    pub(super) fn restore(&self) -> Result<(), CdpError> {
        let mut batch = self.session.batch();
        self.restore_in(&mut batch)?;
        batch.send();
        Ok(())
    }
    /// Passes on what the person pressed for the panel.
    pub(super) fn pass_on(&self, keys: Vec<PressedKey>) {
        if !keys.is_empty() {
            (self.keys)(keys);
        }
    }
}
