//! The relay: DevTools through the extension (`chrome.debugger`), for a browser without a DevTools pipe or port.
//!
//! Owns the structures. Each message that needs an answer has a `call`, a number chosen by the daemon and repeated in
//! the answer. DevTools messages are passed on without being parsed.

use super::ids::{ChromeTabId, TargetId};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Identifies one call of the daemon, within one port.
pub type RelayCallId = u32;

/// `relay.attach`: attaches to a tab. Answered by [`RelayAttached`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RelayAttach {
    pub call: RelayCallId,
    pub chrome_tab_id: ChromeTabId,
    /// The person lets gstack take frames of other extensions out of the page while it is attached.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "for-tests", ts(as = "Option<bool>", optional))]
    pub set_aside: bool,
}

/// The result of `relay.attach`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RelayAttached {
    /// The DevTools target that is attached, if Chrome reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_id: Option<TargetId>,
}

/// `relay.detach`: detaches from a tab. Not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RelayDetach {
    pub chrome_tab_id: ChromeTabId,
}

/// `relay.command`: one DevTools command for an attached tab. Answered with the DevTools result or error.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RelayCommand {
    pub call: RelayCallId,
    pub chrome_tab_id: ChromeTabId,
    /// The session of a worker or a frame in another process, from `Target.attachedToTarget`. Absent for the tab's
    /// page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    pub method: String,
    /// Absent if they were sent before, by `relay.part`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "for-tests", ts(type = "unknown", optional))]
    pub params: Option<Box<RawValue>>,
}

/// `relay.part`: the next part, as JSON text, of parameters that do not fit into one message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS))]
pub struct RelayPart {
    pub call: RelayCallId,
    pub text: String,
}

/// `relay.tab`: a tab operation that does not use DevTools. Answered by [`RelayTabDone`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RelayTab {
    pub call: RelayCallId,
    pub act: RelayTabAct,
    /// Absent with `open` and `panel`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chrome_tab_id: Option<ChromeTabId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum RelayTabAct {
    /// Opens an empty tab in the background.
    Open,
    Close,
    /// Activates the tab in its window.
    Show,
    /// Replaces a browser page that cannot be attached to with an empty page. Answered once that is loaded.
    Leave,
    /// Returns keyboard focus to the side panel that last had it.
    Panel,
    /// Reads the page's text by a script of the extension, for a page that cannot be attached to.
    Read,
}

/// The result of `relay.tab`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RelayTabDone {
    pub chrome_tab_id: ChromeTabId,
    /// The address of the page that was read, for `read`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "for-tests", ts(optional))]
    pub url: Option<String>,
    /// Its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "for-tests", ts(optional))]
    pub text: Option<String>,
}

/// `relay.answer`: the extension's notification with the result or error of one call.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS))]
pub struct RelayAnswer {
    pub call: RelayCallId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "for-tests", ts(type = "unknown", optional))]
    pub result: Option<Box<RawValue>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "for-tests", ts(optional))]
    pub error: Option<RelayError>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS))]
pub struct RelayError {
    /// The DevTools error code, if DevTools answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "for-tests", ts(optional, type = "number"))]
    pub code: Option<i64>,
    pub message: String,
    /// Why the call did not reach DevTools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "for-tests", ts(optional))]
    pub refusal: Option<Refusal>,
}

/// Why a tab of an everyday browser cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Refusal {
    /// The person clicked Cancel in the browser's bar ("… started debugging this browser").
    Cancelled,
    /// A page of the browser, its store or another extension, which cannot be attached to.
    OwnPage,
    /// The page has a frame of another extension: Chrome then refuses every attachment to the tab.
    OtherFrame,
    /// Chrome refused to attach: another extension debugs the tab, or an administrator's policy forbids it.
    Occupied,
    /// The window is private (incognito).
    Incognito,
    /// The tab is closed.
    Closed,
    /// An answer is larger than the extension can send.
    TooLarge,
    /// The extension is too old to support it.
    TooOld,
    /// It is not possible through the extension.
    NotHere,
    /// We are not attached to the tab: the extension was restarted, or has detached.
    NotAttached,
}

/// `relay.event`: a DevTools event of an attached tab.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RelayEvent {
    pub chrome_tab_id: ChromeTabId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    pub method: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "for-tests", ts(type = "unknown", optional))]
    pub params: Option<Box<RawValue>>,
}

/// `relay.detached`: a tab was detached, but not by the daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RelayDetached {
    pub chrome_tab_id: ChromeTabId,
    pub reason: Refusal,
}
