//! Browser contexts beside the browser's own: isolated tabs, with their own cookies and storage.
//!
//! Owns creating and disposing of them. Never decides who may.

use super::browser::Browser;
use super::cdp::CdpError;
use super::devtools::browser::{InContext, SetDownloadBehaviorBehavior, download_behavior};
use super::error::BrowserError;
use super::remote::FileSystem;
use serde_json::json;
use std::time::Duration;

pub(super) const CREATE: &str = "Target.createBrowserContext";
const LIMIT: Duration = Duration::from_secs(10);

impl Browser {
    /// Creates an empty context and returns its id. Its downloads are saved as those of headless browsers.
    ///
    /// # Errors
    ///
    /// Fails if the browser creates none.
    pub async fn new_context(&self) -> Result<String, BrowserError> {
        let created = self.root().call_json(CREATE, &json!({}), LIMIT).await?;
        let Some(id) = created["browserContextId"].as_str() else {
            return Err(
                CdpError::Decode { method: CREATE.to_owned(), message: "no browserContextId".to_owned() }.into()
            );
        };
        if let (Some(folders), FileSystem::Ours) = (&self.shared.options.downloads, &self.shared.options.files) {
            let folder = folders.incoming.to_string_lossy().into_owned();
            let saves = download_behavior(SetDownloadBehaviorBehavior::AllowAndName, Some(folder));
            self.root().post(saves.in_context(id));
        }
        Ok(id.to_owned())
    }

    /// Ends a context with its tabs, cookies and storage.
    ///
    /// # Errors
    ///
    /// Fails if the browser has no such context.
    pub async fn dispose_context(&self, id: &str) -> Result<(), BrowserError> {
        self.root().call_json("Target.disposeBrowserContext", &json!({ "browserContextId": id }), LIMIT).await?;
        Ok(())
    }
}
