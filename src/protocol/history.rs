//! The list of conversations: searching, renaming, moving, deleting and exporting them.
//!
//! Owns the structure of these requests. Never the content of conversations: that is in `chat.rs`.

use super::chat::{ConversationInfo, Millis};
use super::ids::{ChromeTabId, ConversationId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// `conversations.list`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ConversationsList {
    /// Returns only conversations whose title, page or messages contain this text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<String>,
    /// Returns only conversations after this one: the last one of the previous page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<ListPlace>,
}

/// A conversation's position in the list, which is sorted by these fields.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ListPlace {
    #[cfg_attr(feature = "for-tests", ts(type = "number"))]
    pub updated_at: Millis,
    pub conversation_id: ConversationId,
}

impl ListPlace {
    pub fn of(info: &ConversationInfo) -> Self {
        Self { updated_at: info.updated_at, conversation_id: info.conversation_id.clone() }
    }

    /// Whether this position precedes the conversation; the newest come first.
    pub fn is_before(&self, info: &ConversationInfo) -> bool {
        (info.updated_at, &self.conversation_id) < (self.updated_at, &info.conversation_id)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Conversations {
    /// Newest first.
    pub conversations: Vec<ConversationInfo>,
    /// The words around the first match of a search, for matches in messages.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub excerpts: BTreeMap<ConversationId, String>,
    /// Whether there are more; the last one is then the next request's `before`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub older: bool,
}

impl Conversations {
    /// Returns the start of the next page, or `None` after the last one.
    pub fn next(&self) -> Option<ListPlace> {
        self.conversations.last().filter(|_| self.older).map(ListPlace::of)
    }
}

/// `conversations.rename`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ConversationRename {
    pub conversation_id: ConversationId,
    /// If empty, resets the title to the first words of the first message.
    pub title: String,
}

/// `POST /conversations/compact`: rewrites journals without the streamed chunks of answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CompactConversations {
    /// Absent for all conversations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<ConversationId>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CompactedConversations {
    pub conversations: usize,
    pub bytes_before: u64,
    pub bytes_after: u64,
    /// Why the others were not rewritten.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<String>,
}

/// `conversations.attach`: opens the conversation in this tab. The tab's previous conversation goes into the history,
/// or is deleted if it is empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ConversationAttach {
    pub conversation_id: ConversationId,
    pub chrome_tab_id: ChromeTabId,
}

/// `conversations.folder`: sets the agent's working directory from the next message on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ConversationFolder {
    pub conversation_id: ConversationId,
    /// An absolute path, or one that starts with `~/`.
    pub folder: String,
}

/// `conversations.tab`: adds a tab to the conversation's tab set, or removes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ConversationTab {
    pub conversation_id: ConversationId,
    pub chrome_tab_id: ChromeTabId,
    pub allowed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ExportFormat {
    Markdown,
    Json,
}

/// `conversations.export`: answered with a file for `file.read`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ConversationExport {
    pub conversation_id: ConversationId,
    pub format: ExportFormat,
}

/// `inbox.leave`: leaves a note in the workspace of the conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct InboxLeave {
    pub conversation_id: ConversationId,
    pub text: String,
}

/// The path of the note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct InboxLeft {
    pub path: String,
}
