//! Mouse presses while the side panel has the keyboard focus: none of the user's keys may reach the page.
//!
//! Owns the time from before the press until the panel has the focus again. Does nothing if no panel has it.

use crate::frames::FrameId;
use crate::keyboard::{PanelKeyboard, PressedKey};
use crate::page::error::PageError;
use crate::page::page::{Page, SCRIPT_LIMIT};
use crate::page::script::Injected;

/// The keyboard focus during a press.
pub(in crate::page) struct HeldKeyboard<'a> {
    page: &'a Page,
    /// The panel that has the focus, and the frames that hold keys back.
    panel: Option<(PanelKeyboard, Vec<FrameId>)>,
}

impl Page {
    /// Prepares for a press in `frame`. Between the press and the return of the focus a key may still reach the page;
    /// its main frame and `frame` hold such keys back.
    pub(in crate::page) async fn hold_keyboard(&self, frame: &FrameId) -> HeldKeyboard<'_> {
        let Some(panel) = self.browser().panel_keyboard() else { return HeldKeyboard { page: self, panel: None } };
        if let Err(error) = self.work().pretend_focus() {
            tracing::debug!(%error, "the page sees that it loses the focus");
        }
        let mut frames = vec![frame.clone()];
        if let Ok(main) = self.main_frame().await
            && main.id != *frame
        {
            frames.push(main.id);
        }
        for frame in &frames {
            if let Err(error) = self.script::<Option<bool>>(frame, Injected::HoldKeys, &[], SCRIPT_LIMIT).await {
                tracing::debug!(%error, "a frame holds no keys back");
            }
        }
        HeldKeyboard { page: self, panel: Some((panel, frames)) }
    }
}

impl HeldKeyboard<'_> {
    /// Returns the panel that gets the focus back after the press.
    pub(in crate::page) fn panel(&self) -> Option<&PanelKeyboard> {
        self.panel.as_ref().map(|(panel, _)| panel)
    }

    /// Ends it after the reply to the press: the panel has the focus now, and gets the keys that were held back.
    pub(in crate::page) async fn give_back(self) {
        let Some((panel, frames)) = self.panel else { return };
        // The browser delivers a press in an out-of-process frame after later commands of the same write.
        panel.restore();
        for frame in &frames {
            let keys: Result<Vec<PressedKey>, PageError> =
                self.page.script(frame, Injected::ReleaseKeys, &[], SCRIPT_LIMIT).await;
            match keys {
                Ok(keys) => panel.pass_on(keys),
                Err(error) => tracing::debug!(%error, "a frame that held keys back is gone"),
            }
        }
    }
}
