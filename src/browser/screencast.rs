//! The screencast of a recorded tab.
//!
//! Owns the commands that start and stop it, and starts it again when the tab's page is replaced. The router
//! acknowledges the frames. Never stores a frame.

use super::cdp::CdpError;
use super::devtools::page::{StartScreencastParams, StopScreencastParams};
use super::devtools_session::Session;
use super::error::BrowserError;
use super::shared::Shared;
use super::tab::Tab;
use gstack_protocol::ids::TabId;
use serde::Deserialize;
use std::time::Duration;

/// The event that carries a frame.
pub(crate) const FRAME: &str = "Page.screencastFrame";
/// The reply waits for the page's main thread; the frames do not.
const LIMIT: Duration = Duration::from_secs(5);

/// A frame, as JPEG.
#[derive(Deserialize)]
pub(crate) struct ScreencastFrame {
    /// Base64.
    pub(crate) data: String,
    pub(crate) metadata: FrameMetadata,
}

#[derive(Deserialize)]
pub(crate) struct FrameMetadata {
    /// The time of capture, in seconds since 1970.
    #[serde(default)]
    pub(crate) timestamp: f64,
}

impl Shared {
    /// Starts the screencast in the new page of a recorded tab.
    pub(super) fn resume_screencast(&self, tab: TabId, session: &Session) {
        let cast = self.state().tab_states.get(&tab).and_then(|tab_state| tab_state.screencast.clone());
        if let Some(cast) = cast {
            session.post(cast);
        }
    }
}

impl Tab {
    /// Starts the screencast of this page and of those that replace it, also in a hidden tab.
    ///
    /// # Errors
    ///
    /// Fails if the browser refuses. A page that hangs is not an error: its frames come once it responds.
    pub(crate) async fn start_screencast(&self, cast: StartScreencastParams) -> Result<(), BrowserError> {
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

    /// Requests a frame of the tab as it is now, also if nothing changes in it.
    pub(crate) fn renew_screencast(&self) {
        if let Ok(page) = self.page() {
            // A running screencast sends no frame when it is started again.
            page.post(StopScreencastParams {});
            self.browser().shared.resume_screencast(self.id(), &page);
        }
    }

    /// Stops the screencast. All frames sent before have arrived when this returns.
    pub async fn stop_screencast(&self) {
        self.forget_screencast();
        let Ok(page) = self.page() else { return };
        if let Err(error) = page.call_within(StopScreencastParams {}, LIMIT).await {
            tracing::debug!(%error, tab = %self.id(), "the page's pictures were not stopped");
        }
    }

    fn forget_screencast(&self) {
        // A closed tab has no screencast.
        self.with_tab_state(|tab_state| tab_state.screencast = None).unwrap_or_default();
    }

    /// Returns whether a recording has the tab's screencast on.
    pub(super) fn is_cast(&self) -> bool {
        self.with_tab_state(|tab_state| tab_state.screencast.is_some()).unwrap_or_default()
    }
}
