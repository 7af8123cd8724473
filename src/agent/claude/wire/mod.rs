//! Claude Code's lines (`--output-format stream-json` and the control protocol), parsed leniently.
//!
//! Owns the types. Ignores unknown types and fields, accepts keys in any order, and skips lines that are not such an
//! object: that program is updated far more often than this one. Never interprets lines.

mod control;

pub(crate) use control::{Account, CanUseTool, ControlRequest, ControlResponse};

use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::collections::HashMap;

/// One line from Claude Code.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Line {
    System(System),
    StreamEvent {
        event: StreamEvent,
        #[serde(default)]
        parent_tool_use_id: Option<String>,
    },
    Assistant(Box<Assistant>),
    User(Box<User>),
    Result(Box<TurnResult>),
    RateLimitEvent {
        #[serde(default)]
        rate_limit_info: RateLimit,
    },
    ControlRequest {
        request_id: String,
        request: ControlRequest,
    },
    ControlResponse {
        response: ControlResponse,
    },
    ControlCancelRequest {
        request_id: String,
    },
    /// The state of a message: `queued`, `started`, `completed`, `cancelled` …
    CommandLifecycle {
        #[serde(default)]
        command_uuid: String,
        #[serde(default)]
        state: String,
    },
    #[serde(other)]
    Other,
}

/// Parses one line. `None` if it is not an object of a known type.
pub(super) fn parse(line: &str) -> Option<Line> {
    let line = line.trim_start();
    if !line.starts_with('{') {
        return None;
    }
    match serde_json::from_str(line) {
        Ok(Line::Other) => None,
        Ok(line) => Some(line),
        Err(error) => {
            // Its text may contain what pages or people said, so log only the position.
            tracing::debug!(line = error.line(), column = error.column(), "a line of Claude Code was skipped");
            None
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(tag = "subtype", rename_all = "snake_case")]
pub(super) enum System {
    /// Sent at the start of every turn.
    Init(Init),
    ApiRetry(ApiRetry),
    PermissionDenied {
        #[serde(default)]
        tool_use_id: Option<String>,
    },
    CompactBoundary,
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
pub(super) struct Init {
    pub session_id: String,
    #[serde(default)]
    pub model: Option<String>,
    #[serde(default, rename = "apiKeySource")]
    pub api_key_source: Option<String>,
    #[serde(default)]
    pub mcp_servers: Vec<McpServer>,
}

#[derive(Debug, Deserialize)]
pub(super) struct McpServer {
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub status: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct ApiRetry {
    #[serde(default)]
    pub attempt: u64,
    #[serde(default)]
    pub max_retries: u64,
    #[serde(default)]
    pub error_status: Option<u16>,
    #[serde(default)]
    pub error: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct RateLimit {
    /// `allowed`, `allowed_warning`, `rejected`
    #[serde(default)]
    pub status: String,
    /// In seconds since 1970.
    #[serde(default, rename = "resetsAt")]
    pub resets_at: Option<i64>,
}

/// A raw event of the streaming API.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum StreamEvent {
    MessageStart {
        message: MessageStart,
    },
    ContentBlockStart {
        #[serde(default)]
        content_block: BlockStart,
    },
    ContentBlockDelta {
        delta: Delta,
    },
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
pub(super) struct MessageStart {
    #[serde(default)]
    pub id: String,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct BlockStart {
    #[serde(default, rename = "type")]
    pub kind: String,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
pub(super) enum Delta {
    #[serde(rename = "text_delta")]
    Text { text: String },
    #[serde(rename = "thinking_delta")]
    Thinking { thinking: String },
    #[serde(other)]
    Other,
}

/// One or more finished blocks of an answer.
#[derive(Debug, Deserialize)]
pub(super) struct Assistant {
    pub message: Message,
    #[serde(default)]
    pub parent_tool_use_id: Option<String>,
    /// `authentication_failed`, `rate_limit` … on a message that Claude Code itself wrote.
    #[serde(default)]
    pub error: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Message {
    #[serde(default)]
    pub id: String,
    #[serde(default)]
    pub model: Option<String>,
    #[serde(default)]
    pub content: Content,
    /// The usage of the request that this message answers.
    #[serde(default)]
    pub usage: Option<TokensTold>,
}

/// The content of a message or a tool result.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Content {
    Text(String),
    Blocks(Vec<Block>),
    Other(serde::de::IgnoredAny),
}

impl Default for Content {
    fn default() -> Self {
        Self::Blocks(Vec::new())
    }
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Block {
    Text {
        #[serde(default)]
        text: String,
    },
    Thinking {
        #[serde(default)]
        thinking: String,
    },
    ToolUse {
        id: String,
        #[serde(default)]
        name: String,
        #[serde(default)]
        input: Value,
    },
    ToolResult {
        tool_use_id: String,
        #[serde(default)]
        content: Content,
        #[serde(default)]
        is_error: Option<bool>,
    },
    Image {
        #[serde(default)]
        source: ImageSource,
    },
    #[serde(other)]
    Other,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct ImageSource {
    #[serde(default)]
    pub media_type: String,
    /// Base64.
    #[serde(default)]
    pub data: String,
}

/// Tool results arrive as a message of the user.
#[derive(Debug, Deserialize)]
pub(super) struct User {
    pub message: Message,
    #[serde(default)]
    pub tool_result_meta: Vec<ToolResultMeta>,
    /// The result as data, if the tool is one of Claude Code's own.
    #[serde(default)]
    pub tool_use_result: Value,
}

#[derive(Debug, Deserialize)]
pub(super) struct ToolResultMeta {
    #[serde(default)]
    pub id: String,
    /// Present if the tool did not run: `permission-rule`, `user-rejected`.
    #[serde(default)]
    pub non_execution_kind: Option<String>,
}

/// The end of a turn. An API failure has `subtype: success` with `is_error`.
#[derive(Debug, Default, Deserialize)]
pub(super) struct TurnResult {
    #[serde(default)]
    pub subtype: String,
    #[serde(default)]
    pub is_error: bool,
    #[serde(default)]
    pub result: Option<String>,
    #[serde(default)]
    pub errors: Vec<String>,
    #[serde(default)]
    pub api_error_status: Option<u16>,
    /// `aborted_streaming`, `aborted_tools`, `api_error`, `max_turns` …
    #[serde(default)]
    pub terminal_reason: Option<String>,
    /// Why the model's last answer ended. Null inside if its stream was cut off; absent in older versions.
    #[serde(default, deserialize_with = "present")]
    pub stop_reason: Option<Option<String>>,
    /// The cost of the process, not of the turn.
    #[serde(default)]
    pub total_cost_usd: Option<f64>,
    /// The usage of the turn.
    #[serde(default)]
    pub usage: Option<TokensTold>,
    /// The usage of the process, by model.
    #[serde(default, rename = "modelUsage")]
    pub model_usage: HashMap<String, ModelUsage>,
}

/// Tells a field that is null from one that is absent.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct TokensTold {
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cache_read_input_tokens: u64,
    pub cache_creation_input_tokens: u64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ModelUsage {
    pub context_window: u64,
}

#[cfg(test)]
mod tests {
    use super::{Block, Content, Line, System, parse};

    #[test]
    fn the_type_may_come_last_and_unknown_fields_are_ignored() {
        let line = r#"{"new":{"a":[1]},"session_id":"s","subtype":"init","model":"m","type":"system"}"#;
        let Some(Line::System(System::Init(init))) = parse(line) else { panic!("not read") };
        assert_eq!((init.session_id.as_str(), init.model.as_deref()), ("s", Some("m")));
    }

    #[test]
    fn what_is_unknown_or_no_object_is_skipped() {
        for line in ["", "text", "[1]", "\"x\"", "{}", "{broken", r#"{"type":"newer"}"#, r#"{"type":7}"#] {
            assert!(parse(line).is_none(), "{line}");
        }
        assert!(matches!(parse(r#"{"type":"system","subtype":"newer"}"#), Some(Line::System(System::Other))));
    }

    #[test]
    fn a_block_of_an_unknown_type_does_not_hide_the_others() {
        let line = r#"{"type":"user","message":{"content":[{"type":"newer","x":1},{"type":"tool_result",
                      "tool_use_id":"t","content":{"odd":1}}]}}"#;
        let Some(Line::User(user)) = parse(line) else { panic!("not read") };
        let Content::Blocks(blocks) = user.message.content else { panic!("no blocks") };
        assert!(matches!(&blocks[1], Block::ToolResult { content: Content::Other(_), is_error: None, .. }));
    }
}
