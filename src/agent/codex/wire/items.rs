//! The items of a turn: the model's text, and its commands, changes and tool calls.
//!
//! Owns only these types.

use crate::rpc::content::Content;
use serde::Deserialize;
use serde_json::Value;

/// An item of a turn.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(crate) enum Item {
    UserMessage {},
    AgentMessage {
        id: String,
        #[serde(default)]
        text: String,
    },
    Reasoning {
        id: String,
        #[serde(default)]
        summary: Vec<String>,
        #[serde(default)]
        content: Vec<String>,
    },
    Plan {
        id: String,
        #[serde(default)]
        text: String,
    },
    CommandExecution {
        id: String,
        #[serde(default)]
        command: String,
        #[serde(default)]
        status: String,
        #[serde(default)]
        aggregated_output: Option<String>,
        #[serde(default)]
        exit_code: Option<i64>,
    },
    FileChange {
        id: String,
        #[serde(default)]
        changes: Vec<FileUpdate>,
        #[serde(default)]
        status: String,
    },
    McpToolCall {
        id: String,
        #[serde(default)]
        server: String,
        #[serde(default)]
        tool: String,
        #[serde(default)]
        status: String,
        #[serde(default)]
        arguments: Value,
        #[serde(default)]
        result: Option<McpResult>,
        #[serde(default)]
        error: Option<McpError>,
    },
    WebSearch {
        id: String,
        #[serde(default)]
        query: String,
    },
    ImageView {
        id: String,
        #[serde(default)]
        path: String,
    },
    ContextCompaction {},
    #[serde(other)]
    Other,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct FileUpdate {
    #[serde(default)]
    pub path: String,
    #[serde(default)]
    pub kind: FileUpdateKind,
    #[serde(default)]
    pub diff: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct FileUpdateKind {
    /// `add`, `delete`, `update`
    #[serde(default, rename = "type")]
    pub kind: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct McpResult {
    #[serde(default)]
    pub content: Vec<Content>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct McpError {
    #[serde(default)]
    pub message: String,
}
