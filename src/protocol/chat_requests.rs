//! The requests of a panel about a conversation: read, send, stop, answer, show.
//!
//! Owns these requests' shapes and their answers. What a conversation is made of is in `chat.rs`.

use super::chat::{Decision, MessageSource, PageContext, Seq};
use super::ids::{AgentName, ApprovalId, ChromeTabId, ClientMessageId, ConversationId, FileId, QuestionId};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChatOpen {
    pub chrome_tab_id: ChromeTabId,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChatRef {
    pub conversation_id: ConversationId,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChatSubscribe {
    pub conversation_id: ConversationId,
    /// The newest event that the panel holds; 0 for none.
    #[serde(default)]
    #[cfg_attr(test, ts(type = "number"))]
    pub after: Seq,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChatHistory {
    pub conversation_id: ConversationId,
    /// Events older than this one.
    #[cfg_attr(test, ts(type = "number"))]
    pub before: Seq,
    /// At most this many; fewer where they would not fit into one frame.
    pub limit: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChatAck {
    pub conversation_id: ConversationId,
    #[cfg_attr(test, ts(type = "number"))]
    pub seq: Seq,
    /// UTF-16 units held of the event `seq`, when its text is still growing.
    #[serde(default)]
    #[cfg_attr(test, ts(type = "number"))]
    pub offset: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChatSend {
    pub conversation_id: ConversationId,
    pub client_id: ClientMessageId,
    pub text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<PageContext>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<NewAttachment>,
    /// The agent for this conversation from now on; absent: as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentName>,
    /// The model for this message alone: `fast`, `deep` or one of the agent's; absent: as the conversation says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(default = "from_panel")]
    pub from: MessageSource,
}

fn from_panel() -> MessageSource {
    MessageSource::Panel
}

/// A file that comes with a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct NewAttachment {
    pub name: String,
    pub mime: String,
    /// Base64. Empty where `path` names the file.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[cfg_attr(test, ts(as = "Option<String>", optional))]
    pub data: String,
    /// A file that a command has just written into gstack's own temporary folder: a screenshot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub path: Option<String>,
}

/// The answer to `chat.send`: it is in the journal and on disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Sent {
    /// The number of its `message` event.
    #[cfg_attr(test, ts(type = "number"))]
    pub seq: Seq,
    /// How many messages wait before it; 0 when its turn begins at once.
    pub position: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChatUnqueue {
    pub conversation_id: ConversationId,
    pub client_id: ClientMessageId,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ApprovalAnswer {
    pub conversation_id: ConversationId,
    pub approval_id: ApprovalId,
    pub decision: Decision,
    /// Another text than `action.text`, with `allow-once` only: what is typed is this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub text: Option<String>,
}

/// The answers to a question, one list a part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct QuestionAnswer {
    pub conversation_id: ConversationId,
    pub question_id: QuestionId,
    /// The labels that were chosen, or the person's own words. Empty: the person does not want to answer.
    pub answers: Vec<Vec<String>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FileRead {
    pub conversation_id: ConversationId,
    pub id: FileId,
    #[serde(default)]
    #[cfg_attr(test, ts(type = "number"))]
    pub offset: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct FilePart {
    /// Base64 of the bytes from the asked offset on; empty at the end.
    pub data: String,
    #[cfg_attr(test, ts(type = "number"))]
    pub total: u64,
    pub mime: String,
}
