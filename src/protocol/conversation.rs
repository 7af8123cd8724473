//! A conversation's metadata: for lists, headers and a panel that opens it.
//!
//! Owns these structures. `chat.rs` owns the parts of a conversation.

use super::agents::ModeInfo;
use super::basics::{Millis, Seq};
use super::chat::{ChatEvent, PageContext};
use super::ids::{AgentName, ChromeTabId, ConversationId, Epoch, TabId};
use serde::{Deserialize, Serialize};

/// A conversation as shown in lists and headers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ConversationInfo {
    pub conversation_id: ConversationId,
    /// The title given by a person, or the first words of the first message. Empty before that.
    pub title: String,
    /// The tab that it belongs to, while that is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<TabId>,
    /// The page that it was last about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<PageContext>,
    /// The agent; absent for the default one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentName>,
    /// The chosen model: `fast`, `deep` or one of the agent's models. If absent, each message chooses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The agent's mode that the person chose. If absent, the one in which it asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// The mode that the running agent is in, as it reported last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_mode: Option<ModeInfo>,
    /// The agent's working directory.
    pub folder: String,
    /// Set if the folder is in the conversation's own git work tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<Worktree>,
    /// The number of its newest event; 0 if there is none.
    #[cfg_attr(feature = "for-tests", ts(type = "number"))]
    pub head: Seq,
    #[cfg_attr(feature = "for-tests", ts(type = "number"))]
    pub created_at: Millis,
    #[cfg_attr(feature = "for-tests", ts(type = "number"))]
    pub updated_at: Millis,
    pub state: ConversationState,
    pub queued: u32,
    /// The cost of all turns, in US dollars, if the agent reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// The tabs that the agent may use now, starting with the conversation's own tab.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tabs: Vec<AllowedTab>,
    /// While this conversation is empty: an earlier one about the same page, to continue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<Box<EarlierConversation>>,
    /// Set if it was started from an earlier message of another conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch_of: Option<Box<BranchOrigin>>,
}

/// The conversation that a branch was started from. It may have been deleted or renamed since.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct BranchOrigin {
    pub conversation_id: ConversationId,
    /// Its title when the branch was started.
    pub title: String,
}

/// The origin of a conversation's own git work tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Worktree {
    /// The folder that it replaces: without the work tree, the conversation would work there.
    pub of: String,
    /// The full hash of the commit that was checked out.
    pub commit: String,
}

impl Worktree {
    /// Describes the work tree, for lists and documents.
    pub fn words(&self, folder: &str) -> String {
        let commit: String = self.commit.chars().take(10).collect();
        format!("works in {folder}, a git work tree of {} at {commit}", self.of)
    }
}

/// A tab that a conversation's agent may use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AllowedTab {
    pub tab_id: TabId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chrome_tab_id: Option<ChromeTabId>,
    pub title: String,
    pub url: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct EarlierConversation {
    pub conversation_id: ConversationId,
    pub title: String,
    #[cfg_attr(feature = "for-tests", ts(type = "number"))]
    pub updated_at: Millis,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ConversationState {
    Idle,
    /// The turn starts when another agent has finished: the maximum number is already running.
    WaitingForSlot,
    Running,
    WaitingForApproval,
    Stopping,
}

/// The answer to `chat.subscribe`: the newest part of the conversation. Later events are pushed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Subscribed {
    pub epoch: Epoch,
    pub info: ConversationInfo,
    /// The number of the newest event. A panel that has later ones discards them.
    #[cfg_attr(feature = "for-tests", ts(type = "number"))]
    pub head: Seq,
    /// The events after the requested number, oldest first.
    pub events: Vec<ChatEvent>,
    /// Whether `events` starts later than the requested number; `chat.history` returns the rest.
    pub older: bool,
}

/// The answer to `chat.history`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct HistoryPage {
    /// The events before the requested number, oldest first.
    pub events: Vec<ChatEvent>,
    /// Whether there are older events.
    pub older: bool,
}
