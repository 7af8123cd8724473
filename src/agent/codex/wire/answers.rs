//! The app-server's answers to our own requests.
//!
//! Owns only these types.

use super::WireTurn;
use serde::Deserialize;

/// The answer to `thread/start` and `thread/resume`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ThreadStarted {
    pub thread: Thread,
    #[serde(default)]
    pub model: Option<String>,
    #[serde(default)]
    pub reasoning_effort: Option<String>,
    #[serde(default)]
    pub active_permission_profile: Option<PermissionProfile>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Thread {
    pub id: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct PermissionProfile {
    #[serde(default)]
    pub id: String,
}

/// The answer to `turn/start`.
#[derive(Debug, Deserialize)]
pub(crate) struct TurnAccepted {
    pub turn: WireTurn,
}

/// The answer to `account/read`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct AccountRead {
    pub account: Option<Account>,
    /// False with a model provider of the person's own.
    pub requires_openai_auth: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Account {
    /// `apiKey`, `chatgpt` …
    #[serde(default, rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub email: Option<String>,
}

/// The answer to `model/list`.
#[derive(Debug, Deserialize)]
pub(crate) struct Models {
    #[serde(default)]
    pub data: Vec<Model>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Model {
    pub id: String,
    #[serde(default)]
    pub display_name: String,
    #[serde(default)]
    pub description: String,
    #[serde(default)]
    pub hidden: bool,
}
