//! `Browser`: version, downloads and permissions.

use super::{Done, commands};
pub use chromiumoxide_cdp::cdp::browser_protocol::browser::{
    BrowserContextId, PermissionDescriptor, PermissionSetting, SetDownloadBehaviorBehavior,
};
use serde::Deserialize;

#[derive(Clone, Debug, Deserialize)]
pub struct Version {
    /// `Chrome/156.0.8078.73`.
    pub product: String,
}

/// Decides what happens to downloads, and where they are saved. The browser reports each of them.
pub fn download_behavior(behavior: SetDownloadBehaviorBehavior, folder: Option<String>) -> SetDownloadBehaviorParams {
    SetDownloadBehaviorParams {
        download_path: folder,
        events_enabled: Some(true),
        ..SetDownloadBehaviorParams::new(behavior)
    }
}

/// Names the browser context that a command is about.
pub trait InContext {
    /// Applies it to this context, and not to the browser's own.
    #[must_use]
    fn in_context(self, id: &str) -> Self;
}

impl InContext for SetDownloadBehaviorParams {
    fn in_context(mut self, id: &str) -> Self {
        self.browser_context_id = Some(BrowserContextId::new(id));
        self
    }
}

commands! { browser_protocol::browser:
    GetVersionParams => Version;
    SetDownloadBehaviorParams => Done;
    CancelDownloadParams => Done;
    CloseParams => Done;
    SetPermissionParams => Done;
    ResetPermissionsParams => Done;
}
