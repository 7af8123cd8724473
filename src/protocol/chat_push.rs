//! Conversation updates pushed to panels: new events, growing text, and gaps.

use super::basics::Seq;
use super::chat::ChatEvent;
use super::ids::ConversationId;
use serde::{Deserialize, Serialize};

/// `chat.delta`: text added to the event `seq` at `offset`. A receiver that already has text at `offset` ignores that
/// part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChatDelta {
    pub conversation_id: ConversationId,
    #[cfg_attr(feature = "for-tests", ts(type = "number"))]
    pub seq: Seq,
    /// In UTF-16 code units, as JavaScript counts.
    #[cfg_attr(feature = "for-tests", ts(type = "number"))]
    pub offset: u64,
    pub text: String,
}

/// `chat.event`: one new event of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChatEventPush {
    pub conversation_id: ConversationId,
    pub event: ChatEvent,
}

/// `chat.gap`: events were dropped because the panel read too slowly; it reads again from `after`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChatGap {
    pub conversation_id: ConversationId,
    #[cfg_attr(feature = "for-tests", ts(type = "number"))]
    pub head: Seq,
}
