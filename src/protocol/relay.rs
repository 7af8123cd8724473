//! The relay: DevTools by way of the extension (`chrome.debugger`), for a browser that has neither pipe nor port.
//!
//! Owns the shapes. Each of the daemon's messages that wants an answer carries `call`, a number of the daemon's that the
//! answer repeats. What DevTools says stays unread on its way.

use super::ids::{ChromeTabId, TargetId};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Names one question of the daemon, within one port.
pub type RelayCallId = u32;

/// `relay.attach`: attaches to a tab. Answered by [`RelayAttached`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RelayAttach {
    pub call: RelayCallId,
    pub chrome_tab_id: ChromeTabId,
}

/// The result of `relay.attach`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RelayAttached {
    /// The DevTools target that is attached to, where Chrome names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_id: Option<TargetId>,
}

/// `relay.detach`: lets go of a tab. Not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RelayDetach {
    pub chrome_tab_id: ChromeTabId,
}

/// `relay.command`: one DevTools command to an attached tab. Answered by DevTools' own result or error.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RelayCommand {
    pub call: RelayCallId,
    pub chrome_tab_id: ChromeTabId,
    /// A frame in another process or a worker, as `Target.attachedToTarget` named it. Absent: the tab's page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    pub method: String,
    /// Absent: they have come before, by `relay.part`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(type = "unknown", optional))]
    pub params: Option<Box<RawValue>>,
}

/// `relay.part`: the next piece of the parameters of a command that would not fit into one message, as JSON text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RelayPart {
    pub call: RelayCallId,
    pub text: String,
}

/// `relay.tab`: something that Chrome does with a tab without DevTools. Answered by [`RelayTabDone`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RelayTab {
    pub call: RelayCallId,
    pub act: RelayTabAct,
    /// Absent with `open` and `panel`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chrome_tab_id: Option<ChromeTabId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum RelayTabAct {
    /// An empty tab, in the background.
    Open,
    Close,
    /// Brings it into view in its window.
    Show,
    /// Shows an empty page in place of one of the browser's own, which nobody may enter. Answered when it is there.
    Leave,
    /// Gives the keyboard back to the side panel that had it last.
    Panel,
}

/// The result of `relay.tab`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RelayTabDone {
    pub chrome_tab_id: ChromeTabId,
}

/// `relay.answer`: the extension's notification with the result or the error of one question.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RelayAnswer {
    pub call: RelayCallId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(type = "unknown", optional))]
    pub result: Option<Box<RawValue>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub error: Option<RelayError>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RelayError {
    /// DevTools' own code, where DevTools answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional, type = "number"))]
    pub code: Option<i64>,
    pub message: String,
    /// The reason why it did not reach DevTools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub refusal: Option<Refusal>,
}

/// The reason why a tab of an everyday browser is not acted on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Refusal {
    /// The person pressed Cancel in the browser's bar ("… started debugging this browser").
    Cancelled,
    /// A page of the browser's own, of its store or of another extension: nobody may enter it.
    OwnPage,
    /// Chrome did not let us in: another extension debugs the tab, or an administrator's rule forbids it.
    Occupied,
    /// A private window.
    Incognito,
    /// The tab is closed.
    Closed,
    /// An answer is larger than what the extension can send.
    TooLarge,
    /// The extension is too old to know how.
    TooOld,
    /// It can't be done by way of the extension.
    NotHere,
    /// We are not attached to the tab: the extension was restarted, or let go of it.
    NotAttached,
}

/// `relay.event`: a DevTools event of an attached tab.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RelayEvent {
    pub chrome_tab_id: ChromeTabId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    pub method: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(type = "unknown", optional))]
    pub params: Option<Box<RawValue>>,
}

/// `relay.detached`: a tab is not attached any more, by somebody else's doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RelayDetached {
    pub chrome_tab_id: ChromeTabId,
    pub reason: Refusal,
}
