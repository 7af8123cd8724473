//! Conversations as a list: finding, naming, moving, deleting and exporting them.
//!
//! Owns these requests' shapes. Never the conversations' content: that is `chat.rs`.

use super::chat::{ConversationInfo, Millis};
use super::ids::{ChromeTabId, ConversationId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// `conversations.list`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ConversationsList {
    /// Only those whose title, page or messages hold this text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<String>,
    /// Only those that come behind this one in the list: the last one of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<ListPlace>,
}

/// A conversation's place in the list, which is ordered by these.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ListPlace {
    #[cfg_attr(test, ts(type = "number"))]
    pub updated_at: Millis,
    pub conversation_id: ConversationId,
}

impl ListPlace {
    pub fn of(info: &ConversationInfo) -> Self {
        Self { updated_at: info.updated_at, conversation_id: info.conversation_id.clone() }
    }

    /// Newest first.
    pub fn is_before(&self, info: &ConversationInfo) -> bool {
        (info.updated_at, &self.conversation_id) < (self.updated_at, &info.conversation_id)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Conversations {
    /// Newest first.
    pub conversations: Vec<ConversationInfo>,
    /// The words around the first find of a search, where it was found in a message.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub excerpts: BTreeMap<ConversationId, String>,
    /// More follow: ask again with the last one as `before`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub older: bool,
}

impl Conversations {
    /// The start of the next page; `None` after the last one.
    pub fn next(&self) -> Option<ListPlace> {
        self.conversations.last().filter(|_| self.older).map(ListPlace::of)
    }
}

/// `conversations.rename`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ConversationRename {
    pub conversation_id: ConversationId,
    /// Empty: the first words of its first message again.
    pub title: String,
}

/// `POST /conversations/compact`: rewrites journals without the pieces in which answers came.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CompactConversations {
    /// Absent: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<ConversationId>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CompactedConversations {
    pub conversations: usize,
    pub bytes_before: u64,
    pub bytes_after: u64,
    /// The reasons why the others were left as they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<String>,
}

/// `conversations.attach`: the conversation goes on in this tab. The tab's own goes into history, or is
/// forgotten where nothing was said in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ConversationAttach {
    pub conversation_id: ConversationId,
    pub chrome_tab_id: ChromeTabId,
}

/// `conversations.folder`: where its agent works from the next message on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ConversationFolder {
    pub conversation_id: ConversationId,
    /// An absolute path, or one that begins with `~/`.
    pub folder: String,
}

/// `conversations.tab`: adds a tab to those that the agent may use, or takes it out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ConversationTab {
    pub conversation_id: ConversationId,
    pub chrome_tab_id: ChromeTabId,
    pub allowed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ExportFormat {
    Markdown,
    Json,
}

/// `conversations.export`: answered with a file that `file.read` gives in parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ConversationExport {
    pub conversation_id: ConversationId,
    pub format: ExportFormat,
}

/// `inbox.leave`: a note for the workspace that the conversation works in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct InboxLeave {
    pub conversation_id: ConversationId,
    pub text: String,
}

/// The path of the note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct InboxLeft {
    pub path: String,
}
