//! The events of the `Target`, `Page` and `Runtime` domains that the browser's state is built from.
//!
//! Owns lenient shapes with only the fields that are used: unlike the generated types they also read what newer
//! browsers send (the tab strip's `embedderData`). Never acts on them.

use crate::protocol::relay::Refusal;
use chromiumoxide::cdp::browser_protocol::target::SessionId;
use chromiumoxide::types::{Command, Method, MethodId};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TargetInfo {
    pub target_id: String,
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub title: String,
    #[serde(default)]
    pub url: String,
    #[serde(default)]
    pub opener_id: Option<String>,
    #[serde(default)]
    pub browser_context_id: Option<String>,
    /// `prerender` for a page that is not in view yet.
    #[serde(default)]
    pub subtype: Option<String>,
    #[serde(default)]
    pub embedder_data: Option<EmbedderData>,
}

/// What the tab strip adds to a target of type `tab`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EmbedderData {
    #[serde(default)]
    pub tab_active: Option<bool>,
}

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
    /// Only the relay says why.
    #[serde(default)]
    pub refusal: Option<Refusal>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FrameData {
    pub id: String,
    #[serde(default)]
    pub parent_id: Option<String>,
    #[serde(default)]
    pub loader_id: String,
    #[serde(default)]
    pub name: Option<String>,
    #[serde(default)]
    pub url: String,
    /// The part after `#`, which `url` lacks.
    #[serde(default)]
    pub url_fragment: Option<String>,
    /// Set on an error page: the address that could not be loaded.
    #[serde(default)]
    pub unreachable_url: Option<String>,
}

impl FrameData {
    pub(super) fn full_url(&self) -> String {
        let url = self.unreachable_url.as_ref().unwrap_or(&self.url);
        format!("{url}{}", self.url_fragment.as_deref().unwrap_or_default())
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FrameTreeData {
    pub frame: FrameData,
    #[serde(default)]
    pub child_frames: Vec<FrameTreeData>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FrameTreeReply {
    pub frame_tree: FrameTreeData,
}

#[derive(Debug, Deserialize)]
pub(super) struct FrameNavigated {
    pub frame: FrameData,
    #[serde(rename = "type", default)]
    pub kind: String,
}

impl FrameNavigated {
    /// The document came back whole from the back/forward cache; it loads nothing.
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
pub(super) struct NavigatedWithinDocument {
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

/// `Page.getFrameTree` with a lenient reply.
#[derive(Serialize)]
pub(super) struct ReadFrameTree {}

impl Method for ReadFrameTree {
    fn identifier(&self) -> MethodId {
        "Page.getFrameTree".into()
    }
}
impl Command for ReadFrameTree {
    type Response = FrameTreeReply;
}

/// `Page.getNavigationHistory` with a lenient reply.
#[derive(Serialize)]
pub(super) struct ReadHistory {}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct HistoryReply {
    pub current_index: i64,
    pub entries: Vec<HistoryEntry>,
}

#[derive(Debug, Deserialize)]
pub(super) struct HistoryEntry {
    pub id: i64,
    pub url: String,
}

impl Method for ReadHistory {
    fn identifier(&self) -> MethodId {
        "Page.getNavigationHistory".into()
    }
}
impl Command for ReadHistory {
    type Response = HistoryReply;
}

/// `Target.getTargets` of the *tab* targets, with a lenient reply.
#[derive(Serialize)]
pub(super) struct ReadTabTargets {
    filter: [TypeFilter; 1],
}

#[derive(Serialize)]
struct TypeFilter {
    #[serde(rename = "type")]
    kind: &'static str,
}

impl ReadTabTargets {
    pub(super) fn new() -> Self {
        Self { filter: [TypeFilter { kind: "tab" }] }
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TargetsReply {
    pub target_infos: Vec<TargetInfo>,
}

impl Method for ReadTabTargets {
    fn identifier(&self) -> MethodId {
        "Target.getTargets".into()
    }
}
impl Command for ReadTabTargets {
    type Response = TargetsReply;
}
