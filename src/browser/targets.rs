//! The events of the `Target`, `Page` and `Runtime` domains that the browser's state is built from.
//!
//! Owns lenient types with only the fields that are used. Never acts on them.

use super::devtools::page::FrameData;
use super::devtools::target::{SessionId, TargetInfo};
use gstack_protocol::relay::Refusal;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TargetSeen {
    pub target_info: TargetInfo,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TargetLost {
    pub target_id: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Attached {
    pub session_id: SessionId,
    pub target_info: TargetInfo,
    #[serde(default)]
    pub waiting_for_debugger: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Detached {
    pub session_id: SessionId,
    /// Only the relay gives a reason.
    #[serde(default)]
    pub refusal: Option<Refusal>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct FrameNavigated {
    pub frame: FrameData,
    #[serde(rename = "type", default)]
    pub kind: String,
}

impl FrameNavigated {
    /// Returns true if the page itself shows another document, not a frame in it.
    pub(crate) fn is_of_page(&self) -> bool {
        self.frame.parent_id.is_none()
    }

    /// Returns true if the document came from the back/forward cache; then nothing loads.
    pub(super) fn is_restored(&self) -> bool {
        self.kind == "BackForwardCacheRestore"
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FrameAttached {
    pub frame_id: String,
    pub parent_frame_id: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FrameDetached {
    pub frame_id: String,
    #[serde(default)]
    pub reason: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NavigatedWithinDocument {
    pub frame_id: String,
    pub url: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct ContextCreated {
    pub context: ContextData,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ContextData {
    pub id: i64,
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub unique_id: Option<String>,
    #[serde(default)]
    pub aux_data: ContextAux,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ContextAux {
    #[serde(default)]
    pub is_default: bool,
    #[serde(default)]
    pub frame_id: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ContextDestroyed {
    pub execution_context_id: i64,
}
