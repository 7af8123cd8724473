//! What agents wanted to do and what was decided about it: the lines of `audit.jsonl` and of `gstack audit`.
//!
//! Owns the shape. What was typed into pages, secrets and the queries of addresses are left out before they come into it.

use super::chat::{Decision, Millis};
use super::ids::{AgentName, ConversationId};
use serde::{Deserialize, Serialize};

/// One decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditEntry {
    pub at: Millis,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<ConversationId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentName>,
    /// `click @e3`, `fill #name [7 characters]`; for a person's own change of the rules `policy add`, `policy remove`.
    pub action: String,
    /// `read`, or the scope of rules that it falls under.
    pub scope: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    pub allowed: bool,
    pub by: AuditBy,
    /// The person's answer, where one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Decision>,
    /// The rule that decided, or that was made or taken back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
}

/// Who decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AuditBy {
    /// Nobody had to be asked, or it is never offered.
    Default,
    Rule,
    Panel,
    Terminal,
    /// Nobody answered in time.
    Timeout,
    /// The agent took it back, or its turn ended.
    Withdrawn,
}

/// `POST /audit`: answered line by line, oldest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AuditRequest {
    /// The newest so many.
    pub lines: usize,
    /// Go on with what is decided from now on.
    pub follow: bool,
}
