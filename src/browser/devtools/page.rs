//! `Page`: navigation, init scripts, dialogs and screenshots.

use super::{Done, commands};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Serialize)]
pub struct Enable {}

#[derive(Clone, Debug, Serialize)]
pub struct SetLifecycleEventsEnabled {
    pub enabled: bool,
}

/// Adds a script that runs in each document before the document's own.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AddScriptToEvaluateOnNewDocument {
    pub source: String,
    /// The name of an isolated world; `None`: the page's own world.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub world_name: Option<String>,
    /// Runs in the present document too.
    pub run_immediately: bool,
}

#[derive(Clone, Debug, Deserialize)]
pub struct ScriptAdded {
    pub identifier: String,
}

#[derive(Clone, Debug, Serialize)]
pub struct RemoveScriptToEvaluateOnNewDocument {
    pub identifier: String,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateIsolatedWorld {
    pub frame_id: String,
    pub world_name: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IsolatedWorld {
    pub execution_context_id: i64,
}

#[derive(Clone, Debug, Serialize)]
pub struct Navigate {
    pub url: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Navigated {
    /// `None` for a navigation within the document.
    #[serde(default)]
    pub loader_id: Option<String>,
    /// `net::ERR_…`.
    #[serde(default)]
    pub error_text: Option<String>,
    #[serde(default)]
    pub is_download: bool,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NavigateToHistoryEntry {
    pub entry_id: i64,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Reload {
    pub ignore_cache: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct StopLoading {}

#[derive(Clone, Debug, Serialize)]
pub struct GetNavigationHistory {}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NavigationHistory {
    pub current_index: i64,
    pub entries: Vec<HistoryEntry>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HistoryEntry {
    pub id: i64,
    pub url: String,
    /// `form_submit`, `link`, `typed` …
    #[serde(default)]
    pub transition_type: String,
}

#[derive(Clone, Debug, Serialize)]
pub struct GetFrameTree {}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FrameTreeReply {
    pub frame_tree: FrameTreeData,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FrameTreeData {
    pub frame: FrameData,
    #[serde(default)]
    pub child_frames: Vec<FrameTreeData>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FrameData {
    pub id: String,
    #[serde(default)]
    pub parent_id: Option<String>,
    #[serde(default)]
    pub loader_id: String,
    #[serde(default)]
    pub name: Option<String>,
    #[serde(default)]
    pub url: String,
    /// The part after `#`, which `url` does not include.
    #[serde(default)]
    pub url_fragment: Option<String>,
    /// Set on an error page: the address that failed to load.
    #[serde(default)]
    pub unreachable_url: Option<String>,
}

impl FrameData {
    /// Returns the whole address, with its fragment: on an error page, the one that failed to load.
    pub fn full_url(&self) -> String {
        let url = self.unreachable_url.as_ref().unwrap_or(&self.url);
        format!("{url}{}", self.url_fragment.as_deref().unwrap_or_default())
    }
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HandleJavaScriptDialog {
    pub accept: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_text: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PictureFormat {
    Png,
    Jpeg,
    Webp,
}

/// A rectangle of the page, in CSS pixels from its top left corner.
#[derive(Clone, Debug, Serialize)]
pub struct Viewport {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
    pub scale: f64,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CaptureScreenshot {
    pub format: PictureFormat,
    /// 0 to 100; ignored for PNG.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quality: Option<i64>,
    /// `None`: the visible viewport.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clip: Option<Viewport>,
    pub capture_beyond_viewport: bool,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Screenshot {
    /// Base64.
    pub data: String,
}

#[derive(Clone, Debug, Serialize)]
pub struct GetLayoutMetrics {}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LayoutMetrics {
    pub css_content_size: ContentSize,
    pub css_visual_viewport: VisualViewport,
}

#[derive(Clone, Debug, Deserialize)]
pub struct ContentSize {
    pub width: f64,
    pub height: f64,
}

/// The position of the viewport in the page.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VisualViewport {
    pub page_x: f64,
    pub page_y: f64,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StartScreencast {
    pub format: PictureFormat,
    pub quality: i64,
    pub max_width: i64,
    pub max_height: i64,
}

#[derive(Clone, Debug, Serialize)]
pub struct StopScreencast {}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ScreencastFrameAck {
    /// The number of the frame, from its event.
    pub session_id: i64,
}

#[derive(Clone, Debug, Serialize)]
pub struct SetInterceptFileChooserDialog {
    /// Whether choosers are reported instead of opened.
    pub enabled: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct Crash {}

commands! {
    Enable => Done, "Page.enable";
    SetLifecycleEventsEnabled => Done, "Page.setLifecycleEventsEnabled";
    AddScriptToEvaluateOnNewDocument => ScriptAdded, "Page.addScriptToEvaluateOnNewDocument";
    RemoveScriptToEvaluateOnNewDocument => Done, "Page.removeScriptToEvaluateOnNewDocument";
    CreateIsolatedWorld => IsolatedWorld, "Page.createIsolatedWorld";
    Navigate => Navigated, "Page.navigate";
    NavigateToHistoryEntry => Done, "Page.navigateToHistoryEntry";
    Reload => Done, "Page.reload";
    StopLoading => Done, "Page.stopLoading";
    GetNavigationHistory => NavigationHistory, "Page.getNavigationHistory";
    GetFrameTree => FrameTreeReply, "Page.getFrameTree";
    HandleJavaScriptDialog => Done, "Page.handleJavaScriptDialog";
    CaptureScreenshot => Screenshot, "Page.captureScreenshot";
    GetLayoutMetrics => LayoutMetrics, "Page.getLayoutMetrics";
    StartScreencast => Done, "Page.startScreencast";
    StopScreencast => Done, "Page.stopScreencast";
    ScreencastFrameAck => Done, "Page.screencastFrameAck";
    SetInterceptFileChooserDialog => Done, "Page.setInterceptFileChooserDialog";
    Crash => Done, "Page.crash";
}
