//! Agents as the panel shows them: which are there, and what is missing on those that are not.

use super::fault::Fault;
use super::ids::AgentName;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct AgentInfo {
    pub name: AgentName,
    /// As people know it: `Claude Code`.
    pub label: String,
    pub status: AgentStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Where its program was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What is wrong and how to mend it, unless it is ready.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
    /// Taken when a conversation names no agent.
    pub default: bool,
    /// False for the built-in one, which follows plain commands only.
    pub has_model: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum AgentStatus {
    Ready,
    Missing,
    SignedOut,
    Broken,
}
