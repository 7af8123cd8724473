//! `WebMCP`: the tools that pages offer to agents, by `document.modelContext` or as forms with a `toolname`.
//!
//! The domain exists from Chromium 151 on, also where the browser does not offer the interface to pages. All of it is experimental.

use super::{Done, commands};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Reports the tools of the session's documents by events before its reply.
#[derive(Clone, Debug, Serialize)]
pub struct Enable {}

#[derive(Clone, Debug, Serialize)]
pub struct Disable {}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InvokeTool {
    pub frame_id: String,
    pub tool_name: String,
    /// An object.
    pub input: Value,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Invoked {
    pub invocation_id: String,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CancelInvocation {
    pub invocation_id: String,
}

/// `WebMCP.toolsAdded`
#[derive(Debug, Deserialize)]
pub struct ToolsAdded {
    pub tools: Vec<Tool>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tool {
    pub name: String,
    #[serde(default)]
    pub description: String,
    /// A JSON schema.
    pub input_schema: Option<Value>,
    #[serde(default)]
    pub annotations: Annotations,
    pub frame_id: String,
    /// The form, if the tool is one.
    pub backend_node_id: Option<i64>,
}

/// The page's claims about its tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Annotations {
    pub read_only: bool,
    pub untrusted_content: bool,
    pub consequential: bool,
    pub debugging: bool,
    /// The form is submitted by the call.
    pub autosubmit: bool,
}

/// `WebMCP.toolsRemoved`
#[derive(Debug, Deserialize)]
pub struct ToolsRemoved {
    pub tools: Vec<RemovedTool>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RemovedTool {
    pub name: String,
    pub frame_id: String,
}

/// `WebMCP.toolResponded`
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResponded {
    pub invocation_id: String,
    /// `Completed`, `Canceled` or `Error`.
    pub status: String,
    pub output: Option<Value>,
    #[serde(default)]
    pub error_text: String,
    pub exception: Option<Thrown>,
}

/// What a tool's script threw.
#[derive(Debug, Deserialize)]
pub struct Thrown {
    pub description: Option<String>,
}

commands! {
    Enable => Done, "WebMCP.enable";
    Disable => Done, "WebMCP.disable";
    InvokeTool => Invoked, "WebMCP.invokeTool";
    CancelInvocation => Done, "WebMCP.cancelInvocation";
}
