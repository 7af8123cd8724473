//! Keyboard focus of the side panel: which panel has it, and how that panel gets it back after a press took it.
//!
//! Chromium moves the keyboard focus to a tab when a mouse button is pressed there, also through DevTools. Owns the
//! panel state of a browser and the restore commands. `panel_keyboard` records which panel has the focus.

use super::cdp::CdpError;
use super::devtools_session::{Batch, Session};
use super::sent_presses::PressKind;
use crate::devtools::target::SessionId;
use serde::Deserialize;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A panel that loses the focus this soon after a popup opened lost it to the popup. Chromium reports a popup first and
/// then gives its window the focus; on a busy machine that takes a second.
const POPUP_TAKES_FOCUS: Duration = Duration::from_secs(3);
/// A popup that is reported this soon after a panel lost the focus took it: on a busy machine, the panel's report may be faster.
const POPUP_IS_LATE: Duration = Duration::from_secs(1);
/// How often a panel gets the focus back from one popup. Chromium gives it the focus when it opens and again when its page
/// appears. More would be a fight with the person.
const MOST_RETURNS: u8 = 2;

/// A key press that reached the page instead of the panel.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct PressedKey {
    pub key: String,
    /// In milliseconds since 1970, by the page's clock.
    pub at: f64,
}

/// Receives the key presses that reached the page instead of the panel. Must not block.
pub type KeySink = Arc<dyn Fn(Vec<PressedKey>) + Send + Sync>;

/// The panel state of a browser.
#[derive(Default)]
pub(super) struct Keyboard {
    pub(super) holder: Option<PanelKeyboard>,
    /// The address and session of the panel that was attached last. It stays attached.
    pub(super) attached: Option<(String, SessionId)>,
    /// Counts the reports, so that a late attachment does not undo a newer one.
    pub(super) reports: u64,
    popup: Option<Popup>,
    /// The panel that lost the focus last, and when, unless it got it back.
    lost: Option<(PanelKeyboard, Instant)>,
    /// When the person acted in a page, until a panel has the focus again.
    person: Option<Instant>,
}

/// A popup that may take the focus.
struct Popup {
    opened: Instant,
    returns: u8,
    /// A panel had the focus when it opened.
    from_panel: bool,
}

impl Keyboard {
    /// Records the panel that has the focus.
    pub(super) fn hold(&mut self, panel: PanelKeyboard) {
        self.holder = Some(panel);
        self.lost = None;
        self.person = None;
    }

    /// Records that a page that gstack works with opened a popup. Returns the panel that must get the focus back, because
    /// the popup took it before it was reported.
    pub(super) fn note_popup(&mut self) -> Option<PanelKeyboard> {
        let lost = self.lost.take().filter(|(_, at)| at.elapsed() < POPUP_IS_LATE && !self.is_with_person());
        let returns = MOST_RETURNS - u8::from(lost.is_some());
        let from_panel = self.holder.is_some() || lost.is_some();
        self.popup = Some(Popup { opened: Instant::now(), returns, from_panel });
        lost.map(|(panel, _)| panel)
    }

    /// Records that the person acted in a page: a panel that loses the focus loses it to the person. Returns false for a key
    /// that a popup got because it had just taken the focus from a panel: the person means the panel.
    pub(super) fn note_person(&mut self, kind: PressKind) -> bool {
        let taken = |popup: &Popup| popup.from_panel && popup.opened.elapsed() < POPUP_TAKES_FOCUS;
        if kind == PressKind::Key && self.person.is_none() && self.popup.as_ref().is_some_and(taken) {
            return false;
        }
        self.person = Some(Instant::now());
        self.lost = None;
        true
    }

    /// Ends the holder's focus. Returns the panel that must get it back, because a popup took it.
    pub(super) fn lose(&mut self) -> Option<PanelKeyboard> {
        self.reports += 1;
        let panel = self.holder.take()?;
        if self.is_with_person() {
            return None;
        }
        match &mut self.popup {
            Some(popup) if popup.returns > 0 && popup.opened.elapsed() < POPUP_TAKES_FOCUS => {
                popup.returns -= 1;
                Some(panel)
            }
            _ => {
                self.lost = Some((panel, Instant::now()));
                None
            }
        }
    }

    /// Ends the holder's focus for good.
    pub(super) fn release(&mut self) {
        self.reports += 1;
        self.holder = None;
        self.lost = None;
    }

    fn is_with_person(&self) -> bool {
        self.person.is_some_and(|at| at.elapsed() < POPUP_TAKES_FOCUS)
    }
}

/// The side panel that has the keyboard focus.
#[derive(Clone)]
pub struct PanelKeyboard {
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
    pub(super) fn restore(&self) {
        let mut batch = self.session.batch();
        match self.restore_in(&mut batch) {
            Ok(()) => batch.send(),
            Err(error) => tracing::debug!(%error, "the keyboard can't be given back"),
        }
    }
    /// Passes on the key presses meant for the panel.
    pub(super) fn pass_on(&self, keys: Vec<PressedKey>) {
        if !keys.is_empty() {
            (self.keys)(keys);
        }
    }
}
