//! `Page`: navigation, init scripts, dialogs and screenshots.

use super::{Done, commands};
use chromiumoxide_cdp::cdp::browser_protocol::page::StartScreencastFormat;
pub use chromiumoxide_cdp::cdp::browser_protocol::page::{CaptureScreenshotFormat, Viewport};
use serde::Deserialize;

#[derive(Clone, Debug, Deserialize)]
pub struct ScriptAdded {
    pub identifier: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IsolatedWorld {
    pub execution_context_id: i64,
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

#[derive(Clone, Debug, Deserialize)]
pub struct Screenshot {
    /// Base64.
    pub data: String,
}

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
    pub client_width: f64,
    pub client_height: f64,
}

/// Sends frames as JPEG pictures of at most this size. `quality`: 0 to 100.
pub fn jpeg_frames(quality: i64, max_width: u32, max_height: u32) -> StartScreencastParams {
    StartScreencastParams {
        format: Some(StartScreencastFormat::Jpeg),
        quality: Some(quality),
        max_width: Some(max_width.into()),
        max_height: Some(max_height.into()),
        every_nth_frame: None,
    }
}

commands! { browser_protocol::page:
    EnableParams => Done;
    SetLifecycleEventsEnabledParams => Done;
    AddScriptToEvaluateOnNewDocumentParams => ScriptAdded;
    RemoveScriptToEvaluateOnNewDocumentParams => Done;
    CreateIsolatedWorldParams => IsolatedWorld;
    NavigateParams => Navigated;
    NavigateToHistoryEntryParams => Done;
    ReloadParams => Done;
    StopLoadingParams => Done;
    GetNavigationHistoryParams => NavigationHistory;
    GetFrameTreeParams => FrameTreeReply;
    HandleJavaScriptDialogParams => Done;
    CaptureScreenshotParams => Screenshot;
    GetLayoutMetricsParams => LayoutMetrics;
    StartScreencastParams => Done;
    StopScreencastParams => Done;
    ScreencastFrameAckParams => Done;
    SetInterceptFileChooserDialogParams => Done;
    CrashParams => Done;
}
