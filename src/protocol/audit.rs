//! Actions requested by agents, and the decisions: the lines of `audit.jsonl` and of `gstack audit`.
//!
//! Owns the structure. `action` omits typed text and secrets in addresses; `record` is what the person was shown.

use super::action::ActionRecord;
use super::chat::{Decision, Millis};
use super::ids::{AgentName, ConversationId};
use serde::{Deserialize, Serialize};

/// One decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AuditEntry {
    pub at: Millis,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<ConversationId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentName>,
    /// `click @e3` or `fill #name [7 characters]`; `policy add` or `policy remove` if a person changed the rules.
    pub action: String,
    /// The full record, as shown to the person. Text for a password field is only counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<Box<ActionRecord>>,
    /// `read`, or the scope of the rules that cover the action.
    pub scope: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    pub allowed: bool,
    pub by: AuditBy,
    /// The person's answer, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Decision>,
    /// The rule that decided, or that was added or removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
}

/// Who or what decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum AuditBy {
    /// No approval was needed, or the action is never offered.
    Default,
    Rule,
    Panel,
    Terminal,
    /// The person, whose message to the built-in agent was exactly this command.
    Typed,
    /// The person, by a one-time link.
    Link,
    /// `gstack connect`, which started the browser.
    Connect,
    /// Nobody answered in time.
    Timeout,
    /// The agent withdrew its request, or its turn ended.
    Withdrawn,
}

/// `POST /audit`: answered line by line, oldest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct AuditRequest {
    /// The number of newest lines to return.
    pub lines: usize,
    /// Whether to keep streaming later decisions.
    pub follow: bool,
}

/// `POST /audit/verify`: answered by [`AuditProof`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct AuditVerify {
    /// The hash of a line that the person noted earlier. Verification fails if no line has it.
    pub head: Option<String>,
}

/// Whether the audit contains exactly the lines that gstack wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AuditProof {
    pub sound: bool,
    /// The number of chained lines.
    pub lines: u64,
    /// The number of the oldest line; 0 if there is none.
    pub first: u64,
    /// The number of the newest line.
    pub last: u64,
    /// Lines written by an older gstack, which cannot be verified.
    pub before_chaining: u64,
    /// Lines cut off by a crash.
    pub torn: u64,
    /// The SHA-256 of the newest line.
    pub head: String,
    /// When gstack began to record the end of the audit. Lines removed from the end before that cannot be detected.
    pub since: Millis,
    /// The number of the newest line at that time.
    pub since_number: u64,
    /// The first place where the chain is broken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}
