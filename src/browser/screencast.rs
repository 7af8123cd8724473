//! Has the browser send a tab's pictures, for a recording.
//!
//! Owns the commands. What stands for a tab holds when its page is replaced. The router acknowledges the frames; who records
//! reads them. Keeps nothing of them.

use super::cdp::CdpError;
use super::devtools::page::{StartScreencast, StopScreencast};
use super::error::BrowserError;
use super::session::Session;
use super::shared::Shared;
use super::tab::Tab;
use crate::protocol::ids::TabId;
use serde::Deserialize;
use std::time::Duration;

/// The event of a picture.
pub(in crate::browser) const FRAME: &str = "Page.screencastFrame";
/// The answer waits for the page's main thread; the pictures do not.
const LIMIT: Duration = Duration::from_secs(5);

/// What a page showed.
#[derive(Deserialize)]
pub(in crate::browser) struct ScreencastFrame {
    /// Base64.
    pub(in crate::browser) data: String,
    pub(in crate::browser) metadata: FrameMetadata,
}

#[derive(Deserialize)]
pub(in crate::browser) struct FrameMetadata {
    /// When it was drawn, in seconds since 1970.
    #[serde(default)]
    pub(in crate::browser) timestamp: f64,
}

impl Shared {
    /// A tab that is recorded has another page: that one is drawn too.
    pub(super) fn resume_screencast(&self, tab: TabId, session: &Session) {
        let cast = self.state().tab_states.get(&tab).and_then(|tab_state| tab_state.screencast.clone());
        if let Some(cast) = cast {
            session.post(cast);
        }
    }
}

impl Tab {
    /// Has pictures of the tab sent, of this page and of those after it, also while nobody looks at it.
    ///
    /// # Errors
    ///
    /// Fails if the browser refuses. A page that hangs is no error: it is recorded once it goes on.
    pub(in crate::browser) async fn start_screencast(&self, cast: StartScreencast) -> Result<(), BrowserError> {
        let page = self.page()?;
        self.with_tab_state(|tab_state| tab_state.screencast = Some(cast.clone()))?;
        match page.call_within(cast, LIMIT).await {
            Ok(_) => Ok(()),
            Err(CdpError::Timeout { .. }) => {
                tracing::info!(tab = %self.id(), "the page does not answer; it is recorded all the same");
                Ok(())
            }
            Err(error) => {
                self.forget_screencast();
                Err(error.into())
            }
        }
    }

    /// Has a picture sent of what the tab shows now, also if nothing changes in it.
    pub(in crate::browser) fn renew_screencast(&self) {
        if let Ok(page) = self.page() {
            self.browser().shared.resume_screencast(self.id(), &page);
        }
    }

    /// Ends it. Every picture that was sent before has arrived when this returns.
    pub async fn stop_screencast(&self) {
        self.forget_screencast();
        let Ok(page) = self.page() else { return };
        if let Err(error) = page.call_within(StopScreencast {}, LIMIT).await {
            tracing::debug!(%error, tab = %self.id(), "the page's pictures were not stopped");
        }
    }

    fn forget_screencast(&self) {
        // A tab that was closed sends none.
        self.with_tab_state(|tab_state| tab_state.screencast = None).unwrap_or_default();
    }

    /// Whether pictures of it are sent to a recording.
    pub(super) fn is_cast(&self) -> bool {
        self.with_tab_state(|tab_state| tab_state.screencast.is_some()).unwrap_or_default()
    }
}
