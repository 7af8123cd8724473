//! What a background worker is told of approvals and questions that wait, so that it can notify the person when no panel
//! shows them.
//!
//! Owns the shape. Contains no typed text, script or command line.

use super::chat::LocalizedPhrase;
use super::ids::{ChromeTabId, WindowId};
use serde::{Deserialize, Serialize};

/// `approvals.waiting`: everything that waits for the person in this browser.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ApprovalsWaiting {
    /// Empty if nothing waits.
    pub waiting: Vec<ApprovalNotice>,
}

/// One approval or question that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ApprovalNotice {
    /// The approval's or the question's id. Never used twice.
    pub id: String,
    /// Which of the two it is.
    pub kind: NoticeKind,
    /// The agent's label or the client's name. Visible characters only, and short.
    pub from: String,
    /// Whether a client asks. If no panel is open beside its tab, every panel shows it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "for-tests", ts(as = "Option<bool>", optional))]
    pub of_client: bool,
    /// The request in plain words: `Click “Order now”`. Visible characters only, and short.
    pub ask: String,
    /// The same text as a code, for translation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "for-tests", ts(optional))]
    pub phrase: Option<LocalizedPhrase>,
    /// The host of the page that it concerns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "for-tests", ts(optional))]
    pub site: Option<String>,
    /// The tab that it concerns, if this browser has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "for-tests", ts(optional))]
    pub tab: Option<NoticeTab>,
}

/// What waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum NoticeKind {
    /// An action that the person allows or denies.
    Approval,
    /// A question of the agent.
    Question,
}

/// A tab, for the click that leads to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NoticeTab {
    /// Chrome's id of the tab.
    pub chrome_tab_id: ChromeTabId,
    /// The window that it is in.
    pub window_id: WindowId,
}
