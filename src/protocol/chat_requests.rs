//! A panel's requests about a conversation: read, send, stop, answer, show.
//!
//! Owns the structure of these requests and their answers. `chat.rs` owns the parts of a conversation.

use super::chat::{ConversationInfo, Decision, MessageSource, PageContext, Seq};
use super::ids::{AgentName, ApprovalId, ChromeTabId, ClientMessageId, ConversationId, FileId, QuestionId};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChatOpen {
    pub chrome_tab_id: ChromeTabId,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChatRef {
    pub conversation_id: ConversationId,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChatSubscribe {
    pub conversation_id: ConversationId,
    /// The newest event that the panel has; 0 for none.
    #[serde(default)]
    #[cfg_attr(feature = "for-tests", ts(type = "number"))]
    pub after: Seq,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChatHistory {
    pub conversation_id: ConversationId,
    /// Returns events older than this one.
    #[cfg_attr(feature = "for-tests", ts(type = "number"))]
    pub before: Seq,
    /// The maximum number of events; fewer if they would not fit into one frame.
    pub limit: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChatAck {
    pub conversation_id: ConversationId,
    #[cfg_attr(feature = "for-tests", ts(type = "number"))]
    pub seq: Seq,
    /// The UTF-16 length of the panel's copy of event `seq`, if its text is still growing.
    #[serde(default)]
    #[cfg_attr(feature = "for-tests", ts(type = "number"))]
    pub offset: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChatSend {
    pub conversation_id: ConversationId,
    pub client_id: ClientMessageId,
    pub text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<PageContext>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<NewAttachment>,
    /// The agent for this conversation from now on; absent to keep it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentName>,
    /// The model for this message only: `fast`, `deep` or one of the agent's models. Absent for the conversation's
    /// model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(default = "from_panel")]
    pub from: MessageSource,
}

fn from_panel() -> MessageSource {
    MessageSource::Panel
}

/// A file sent with a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct NewAttachment {
    pub name: String,
    pub mime: String,
    /// Base64. Empty if `path` names the file.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "for-tests", ts(as = "Option<String>", optional))]
    pub data: String,
    /// A file that a command just wrote to gstack's temporary folder, such as a screenshot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "for-tests", ts(optional))]
    pub path: Option<String>,
}

/// The answer to `chat.send`: the message is in the journal, on disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Sent {
    /// The sequence number of its `message` event.
    #[cfg_attr(feature = "for-tests", ts(type = "number"))]
    pub seq: Seq,
    /// The number of messages queued before it; 0 if its turn starts immediately.
    pub position: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChatUnqueue {
    pub conversation_id: ConversationId,
    pub client_id: ClientMessageId,
}

/// Starts a branch: a new conversation with everything before one message, which an edited message continues.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChatBranch {
    /// The conversation with the earlier message. It is left unchanged, without its tab.
    pub conversation_id: ConversationId,
    /// The earlier message. Its turn must have begun.
    pub client_id: ClientMessageId,
    /// The edited message. Its `conversationId` is the branch's: a new UUID that the client chooses, so that a repeated
    /// request finds the branch that the first one made.
    pub send: ChatSend,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Branched {
    /// The branch, which now has the tab of the conversation that it was started from.
    pub info: ConversationInfo,
    /// The edited message in the branch's journal.
    pub sent: Sent,
}

/// A new order of the queued messages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChatOrder {
    pub conversation_id: ConversationId,
    /// All queued messages, the next one first.
    pub client_ids: Vec<ClientMessageId>,
    /// Stops the running turn, and runs the first message as soon as that turn has ended.
    #[serde(default)]
    pub now: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ApprovalAnswer {
    pub conversation_id: ConversationId,
    pub approval_id: ApprovalId,
    pub decision: Decision,
    /// Replaces `action.text` as the text to type. Only with `allow-once`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "for-tests", ts(optional))]
    pub text: Option<String>,
}

/// The answers to a question, one list for each part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct QuestionAnswer {
    pub conversation_id: ConversationId,
    pub question_id: QuestionId,
    /// The chosen labels, or the person's own words. Empty if the person declines to answer.
    pub answers: Vec<Vec<String>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FileRead {
    pub conversation_id: ConversationId,
    pub id: FileId,
    #[serde(default)]
    #[cfg_attr(feature = "for-tests", ts(type = "number"))]
    pub offset: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct FilePart {
    /// The bytes from the requested offset, as Base64; empty at the end.
    pub data: String,
    #[cfg_attr(feature = "for-tests", ts(type = "number"))]
    pub total: u64,
    pub mime: String,
}
