//! The app-server's requests to its host: approvals and questions.
//!
//! Owns only these types.

use crate::rpc::message::read;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// A request of the app-server to its host.
#[derive(Debug)]
pub(crate) enum Request {
    Command(CommandApproval),
    FileChange(FileApproval),
    Permissions(PermissionsApproval),
    Questions(Questions),
    /// One of the person's own MCP servers asks for input.
    Elicitation(Elicitation),
}

impl Request {
    pub(crate) fn parse(method: &str, params: &RawValue) -> Option<Self> {
        Some(match method {
            "item/commandExecution/requestApproval" => Self::Command(read(params, method)?),
            "item/fileChange/requestApproval" => Self::FileChange(read(params, method)?),
            "item/permissions/requestApproval" => Self::Permissions(read(params, method)?),
            "item/tool/requestUserInput" => Self::Questions(read(params, method)?),
            "mcpServer/elicitation/request" => Self::Elicitation(read(params, method)?),
            _ => return None,
        })
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CommandApproval {
    #[serde(default)]
    pub item_id: String,
    #[serde(default)]
    pub reason: Option<String>,
    #[serde(default)]
    pub command: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FileApproval {
    #[serde(default)]
    pub item_id: String,
    #[serde(default)]
    pub reason: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct PermissionsApproval {
    #[serde(default)]
    pub reason: Option<String>,
    #[serde(default)]
    pub permissions: Value,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Questions {
    #[serde(default)]
    pub questions: Vec<Question>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Question {
    pub id: String,
    #[serde(default)]
    pub header: String,
    #[serde(default)]
    pub question: String,
    #[serde(default)]
    pub options: Option<Vec<QuestionOption>>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct QuestionOption {
    #[serde(default)]
    pub label: String,
    #[serde(default)]
    pub description: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Elicitation {
    #[serde(default)]
    pub server_name: String,
}
