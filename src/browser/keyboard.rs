//! The person's keyboard: which side panel has it, and how that panel gets it back after a press took it.
//!
//! Chromium moves the keyboard to a tab when a mouse button is pressed there, also by DevTools. Owns the way back, and
//! the focus that a page is told to have meanwhile. Never decides when something is pressed.

use super::browser::{Browser, Shared};
use super::cdp::CdpError;
use super::error::BrowserError;
use super::relay::PANEL_TO_FRONT;
use super::session::{Batch, Session};
use super::tab::Tab;
use crate::browser::devtools::target::{AttachToTarget, GetTargets, SessionId};
use crate::protocol::ids::TabId;
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;

/// Makes a page behave as if it had the focus: else its menus close as soon as the panel has the keyboard again.
const EMULATE_FOCUS: &str = "Emulation.setFocusEmulationEnabled";

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
    holder: Option<PanelKeyboard>,
    /// The panel that was attached to last, by its address. It stays attached to.
    attached: Option<(String, SessionId)>,
    /// Counts the reports, so that a late attachment does not undo a newer one.
    reports: u64,
}

/// The side panel that has the keyboard.
#[derive(Clone)]
pub struct PanelKeyboard {
    session: Session,
    method: &'static str,
    keys: KeySink,
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

impl Browser {
    /// The panel at `address` has the keyboard from now on; the future fails if the browser has no such panel.
    pub fn keyboard_in_panel(
        &self,
        address: String,
        keys: KeySink,
    ) -> impl Future<Output = Result<(), BrowserError>> + Send + use<> {
        let browser = self.clone();
        let (report, known) = {
            let keyboard = &mut self.shared.state().keyboard;
            keyboard.reports += 1;
            let known = keyboard.attached.as_ref().filter(|(of, _)| *of == address).map(|(_, session)| session.clone());
            (keyboard.reports, known)
        };
        async move {
            let (session, method) = match known {
                _ if browser.is_relayed() => (browser.root(), PANEL_TO_FRONT),
                Some(session) => (browser.cdp().session(session), "Page.bringToFront"),
                None => (browser.attach_panel(&address).await?, "Page.bringToFront"),
            };
            let keyboard = &mut browser.shared.state().keyboard;
            if keyboard.reports == report {
                keyboard.holder = Some(PanelKeyboard { session, method, keys });
            }
            Ok(())
        }
    }

    /// No panel has the keyboard.
    pub fn keyboard_elsewhere(&self) {
        let keyboard = &mut self.shared.state().keyboard;
        keyboard.reports += 1;
        keyboard.holder = None;
    }

    /// Gives the keyboard to the panel that had it last: what the person was asked to do in the page is done.
    pub fn keyboard_to_last_panel(&self) {
        let known = self.shared.state().keyboard.attached.clone();
        let (session, method) = match known {
            _ if self.is_relayed() => (self.root(), PANEL_TO_FRONT),
            Some((_, session)) => (self.cdp().session(session), "Page.bringToFront"),
            None => return,
        };
        let mut batch = session.batch();
        match batch.add_elsewhere(&session, method) {
            Ok(()) => batch.send(),
            Err(error) => tracing::debug!(%error, "the panel can't be given the keyboard"),
        }
    }

    /// The panel that has the keyboard.
    pub(super) fn panel_keyboard(&self) -> Option<PanelKeyboard> {
        self.shared.state().keyboard.holder.clone()
    }

    async fn attach_panel(&self, address: &str) -> Result<Session, BrowserError> {
        let targets = self.root().call(GetTargets::default()).await?.target_infos;
        // The *tab* around a panel's page has the same address and can't be brought to the front.
        let found = targets.into_iter().find(|target| target.kind != "tab" && target.url == address);
        let attach = AttachToTarget::new(found.ok_or(BrowserError::FrameGone)?.target_id);
        let session = self.root().call(attach).await?.session_id;
        self.shared.state().keyboard.attached = Some((address.to_owned(), session.clone()));
        Ok(self.cdp().session(session))
    }
}

impl Tab {
    /// The page behaves as if it had the focus, until nothing works on the tab any more.
    pub(super) async fn pretend_focus(&self) -> Result<(), BrowserError> {
        match self.kept(EMULATE_FOCUS) {
            Some(_) => Ok(()),
            None => self.keep(EMULATE_FOCUS, json!({ "enabled": true })).await,
        }
    }
}

impl Shared {
    /// Nothing works on the tab now: its page sees again where the focus is.
    pub(super) fn end_pretended_focus(&self, tab: TabId) {
        let page = {
            let mut state = self.state();
            let Some(desk) = state.desks.get_mut(&tab) else { return };
            if desk.holds > 0 || desk.stays > 0 || !desk.drop_standing(EMULATE_FOCUS) {
                return;
            }
            state.engaged.get(&tab).and_then(|engaged| engaged.page.clone())
        };
        let Some(page) = page else { return };
        let page = self.cdp.session(page);
        page.post(super::standing::Standing::new(EMULATE_FOCUS, json!({ "enabled": false })));
    }
}
