//! Files for the file chooser that a click opens.
//!
//! Owns the interception of the chooser, so that no browser dialog opens. Never judges the paths.

use super::giving_files::{FileInput, Given};
use crate::devtools_session::Session;
use crate::page::error::PageError;
use crate::page::input::Clicks;
use crate::page::locate::Target;
use crate::page::page::{Page, SCRIPT_LIMIT};
use crate::page::script::tell;
use serde::Deserialize;
use serde_json::json;
use std::time::Duration;

/// A page opens the chooser in the click's own handler, or right after.
const OPENS_LIMIT: Duration = Duration::from_secs(2);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Opened {
    mode: String,
    backend_node_id: Option<i64>,
}

impl Page {
    /// Clicks the element and gives the files to the chooser that opens.
    ///
    /// # Errors
    ///
    /// Fails if the click opens no chooser, or one that accepts fewer files.
    pub(super) async fn upload_by_click(
        &self,
        target: &Target,
        given: &Given,
        limit: Duration,
    ) -> Result<(), PageError> {
        let (frame, _) = self.locate(target).await?;
        let session = self.session_of(&frame)?;
        let mut opened = session.subscribe(&["Page.fileChooserOpened"]);
        tell(&session, "Page.setInterceptFileChooserDialog", &json!({ "enabled": true })).await?;
        let chosen = async {
            self.click(target, Clicks::default(), limit).await?;
            let event = tokio::time::timeout(OPENS_LIMIT, opened.next()).await.ok().flatten();
            let Some(Opened { mode, backend_node_id: Some(node) }) = event.and_then(|event| event.read()) else {
                let reason =
                    "it is not an <input type=\"file\">, and a click on it does not open a file chooser".to_owned();
                return Err(PageError::Refused { what: target.to_string(), reason });
            };
            let takes_folder = takes_folder(&session, node).await?;
            if let Some(reason) = given.refusal(takes_folder, mode == "selectMultiple") {
                let reason = format!("in the file chooser that it opens, {reason}");
                return Err(PageError::Refused { what: target.to_string(), reason });
            }
            self.give_files(&session, FileInput::Node(node), given).await?;
            if let Some(effects) = self.effects() {
                effects.choosers_served();
            }
            Ok(())
        };
        let chosen = chosen.await;
        let restored = tell(&session, "Page.setInterceptFileChooserDialog", &json!({ "enabled": false })).await;
        chosen?;
        self.unless_closed(restored).await
    }
}

/// Returns true if the file field of a chooser takes a folder.
async fn takes_folder(session: &Session, node: i64) -> Result<bool, PageError> {
    let described = session.call_json("DOM.describeNode", &json!({ "backendNodeId": node }), SCRIPT_LIMIT).await?;
    // Names and values take turns.
    let attributes = described["node"]["attributes"].as_array().into_iter().flatten().step_by(2);
    Ok(attributes.into_iter().any(|name| name == "webkitdirectory"))
}
