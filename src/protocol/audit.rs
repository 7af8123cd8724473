//! The actions that agents requested and the decisions: the lines of `audit.jsonl` and of `gstack audit`.
//!
//! Owns the shape. `action` leaves out what was typed and secrets of addresses; `record` is what the person was shown.

use super::action::ActionRecord;
use super::chat::{Decision, Millis};
use super::ids::{AgentName, ConversationId};
use serde::{Deserialize, Serialize};

/// One decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AuditEntry {
    pub at: Millis,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<ConversationId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentName>,
    /// `click @e3`, `fill #name [7 characters]`; for a person's own change of the rules `policy add`, `policy remove`.
    pub action: String,
    /// All of it, as the person was shown it. What would be typed into a password field is counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<Box<ActionRecord>>,
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

/// The one who decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct AuditRequest {
    /// The newest so many.
    pub lines: usize,
    /// Go on with what is decided from now on.
    pub follow: bool,
}

/// `POST /audit/verify`: answered by [`AuditProof`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct AuditVerify {
    /// The hash of a line that the person has kept: it must be among the lines.
    pub head: Option<String>,
}

/// Whether the audit's lines are the ones that gstack wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AuditProof {
    pub sound: bool,
    /// How many lines are chained.
    pub lines: u64,
    /// The number of the oldest one; 0 if there is none.
    pub first: u64,
    /// The number of the newest one.
    pub last: u64,
    /// Lines of an older gstack, which can't be proved.
    pub before_chaining: u64,
    /// Lines that a crash cut off.
    pub torn: u64,
    /// The SHA-256 of the newest line.
    pub head: String,
    /// Since when the end is remembered: lines that were removed from the end before that are not missed.
    pub since: Millis,
    /// The number of the newest line at that time.
    pub since_number: u64,
    /// The first place where the chain does not hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}
