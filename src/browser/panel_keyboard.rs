//! Tracks which side panel has the keyboard focus, and emulates focus for the page that does not have it.
//!
//! Owns no state: the panel state of a browser is in `keyboard`. Never decides when to press a key or button.

use super::browser::Browser;
use super::devtools_session::Session;
use super::error::BrowserError;
use super::keyboard::{KeySink, PanelKeyboard};
use super::relay::PANEL_TO_FRONT;
use super::shared::Shared;
use super::tab::Tab;
use crate::devtools::target::{GetTargetsParams, attach_to};
use gstack_protocol::ids::TabId;
use serde_json::json;

/// Makes a page behave as if it had the focus: otherwise its menus close as soon as the panel has the focus again.
const EMULATE_FOCUS: &str = "Emulation.setFocusEmulationEnabled";

impl Browser {
    /// Records that the panel at `address` has the keyboard focus from now on.
    ///
    /// # Errors
    ///
    /// The future fails if the browser does not answer or has no such panel.
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
                keyboard.hold(PanelKeyboard { session, method, keys });
            }
            Ok(())
        }
    }

    /// Records that the panel lost the keyboard focus. If a page's popup took it, the panel gets it back.
    pub fn keyboard_left_panel(&self) {
        let back = self.shared.state().keyboard.lose();
        if let Some(panel) = back {
            panel.restore();
        }
    }

    /// Records that no panel has the keyboard focus, because the panel that had it was closed.
    pub fn keyboard_elsewhere(&self) {
        self.shared.state().keyboard.release();
    }

    /// Gives the focus back to the panel that had it last, after the user has finished in the page.
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

    /// Returns the panel that has the keyboard focus. Always `None` in a headless browser.
    pub(super) fn panel_keyboard(&self) -> Option<PanelKeyboard> {
        if self.is_headless() { None } else { self.shared.state().keyboard.holder.clone() }
    }

    async fn attach_panel(&self, address: &str) -> Result<Session, BrowserError> {
        let targets = self.root().call(GetTargetsParams::default()).await?.target_infos;
        // The *tab* target around a panel's page has the same address and cannot be brought to the front.
        let found = targets.into_iter().find(|target| target.kind != "tab" && target.url == address);
        let attach = attach_to(found.ok_or(BrowserError::FrameGone)?.target_id);
        let session = self.root().call(attach).await?.session_id;
        self.shared.state().keyboard.attached = Some((address.to_owned(), session.clone()));
        Ok(self.cdp().session(session))
    }
}

impl Tab {
    /// Makes the page behave as if it had the focus until no command works on the tab. Does not wait: the browser
    /// applies it before any later command.
    pub(super) fn pretend_focus(&self) -> Result<(), BrowserError> {
        match self.kept(EMULATE_FOCUS) {
            Some(_) => Ok(()),
            None => self.post_kept(EMULATE_FOCUS, json!({ "enabled": true })),
        }
    }
}

impl Shared {
    /// Ends the focus emulation when no command works on the tab any more.
    pub(super) fn end_pretended_focus(&self, tab: TabId) {
        let page = {
            let mut state = self.state();
            let Some(tab_state) = state.tab_states.get_mut(&tab) else { return };
            if tab_state.holds > 0 || tab_state.kept_attached > 0 || !tab_state.drop_override(EMULATE_FOCUS) {
                return;
            }
            state.engaged.get(&tab).and_then(|engaged| engaged.page.clone())
        };
        let Some(page) = page else { return };
        let page = self.cdp.session(page);
        page.post(super::overrides::PersistentOverride::new(EMULATE_FOCUS, json!({ "enabled": false })));
    }
}
