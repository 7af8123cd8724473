//! A conversation from outside: as lists, headers and a panel that opens it see it.
//!
//! Owns these shapes. What it is made of is in `chat.rs`.

use super::basics::{Millis, Seq};
use super::chat::{ChatEvent, PageContext};
use super::ids::{AgentName, ChromeTabId, ConversationId, Epoch, TabId};
use serde::{Deserialize, Serialize};

/// A conversation as lists and headers show it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ConversationInfo {
    pub conversation_id: ConversationId,
    /// The first words of its first message, or as a person named it. Empty while it has none.
    pub title: String,
    /// The tab it belongs to while that lives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<TabId>,
    /// The page it was last about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<PageContext>,
    /// The agent it talks to; absent: the default one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentName>,
    /// The model that was chosen: `fast`, `deep` or one of the agent's; absent: by what each message asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The folder that the agent works in.
    pub folder: String,
    /// The folder is in a git work tree of the conversation's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<Worktree>,
    /// The number of its newest event; 0 while it has none.
    #[cfg_attr(test, ts(type = "number"))]
    pub head: Seq,
    #[cfg_attr(test, ts(type = "number"))]
    pub created_at: Millis,
    #[cfg_attr(test, ts(type = "number"))]
    pub updated_at: Millis,
    pub state: ConversationState,
    pub queued: u32,
    /// The cost of all turns, in US dollars, if the agent reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// The tabs that the agent may use now, its own first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tabs: Vec<AllowedTab>,
    /// While nothing was said here: an earlier conversation about the same page, to go on with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<EarlierConversation>,
}

/// The origin of a conversation's own git work tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Worktree {
    /// The folder that it stands for: the conversation would work there without it.
    pub of: String,
    /// The commit that was checked out, whole.
    pub commit: String,
}

impl Worktree {
    /// In words, for lists and documents.
    pub fn words(&self, folder: &str) -> String {
        let commit: String = self.commit.chars().take(10).collect();
        format!("works in {folder}, a git work tree of {} at {commit}", self.of)
    }
}

/// A tab that a conversation's agent may use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AllowedTab {
    pub tab_id: TabId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chrome_tab_id: Option<ChromeTabId>,
    pub title: String,
    pub url: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct EarlierConversation {
    pub conversation_id: ConversationId,
    pub title: String,
    #[cfg_attr(test, ts(type = "number"))]
    pub updated_at: Millis,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ConversationState {
    Idle,
    /// The turn begins as soon as another agent has ended: as many run as may at once.
    WaitingForSlot,
    Running,
    WaitingForApproval,
    Stopping,
}

/// The answer to `chat.subscribe`: the newest part of the conversation; what comes later is pushed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Subscribed {
    pub epoch: Epoch,
    pub info: ConversationInfo,
    /// The number of the newest event. A panel that holds more cuts back to it.
    #[cfg_attr(test, ts(type = "number"))]
    pub head: Seq,
    /// Events after the asked number, oldest first.
    pub events: Vec<ChatEvent>,
    /// True when `events` does not reach back to the asked number: read the rest by `chat.history`.
    pub older: bool,
}

/// The answer to `chat.history`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct HistoryPage {
    /// Events before the asked number, oldest first.
    pub events: Vec<ChatEvent>,
    /// True when still older ones exist.
    pub older: bool,
}
