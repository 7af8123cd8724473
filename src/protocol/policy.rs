//! The rules that a person made about what agents may do, as they are shown and taken back.
//!
//! Owns the shape. Never decides anything.

use super::chat::Millis;
use super::ids::ConversationId;
use serde::{Deserialize, Serialize};

/// The answer to the `policy.…` requests: every rule in force.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Policy {
    /// Newest first. A rule that denies wins over any that allows.
    pub rules: Vec<PolicyRule>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PolicyRule {
    /// Names the rule for `policy.remove`.
    pub id: String,
    pub effect: PolicyEffect,
    pub scope: PolicyScope,
    /// Only on this host and no other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    /// Only in this conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<ConversationId>,
    /// Ends by the wall clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional, type = "number"))]
    pub until: Option<Millis>,
    /// When a person made it.
    #[cfg_attr(test, ts(type = "number"))]
    pub made_at: Millis,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum PolicyEffect {
    Allow,
    Deny,
}

/// The subject of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum PolicyScope {
    /// Clicks, typing and other actions in a page.
    Act,
    /// Sending forms, paying, ordering, deleting.
    Submit,
    /// Scripts and what else takes the page over.
    Control,
    /// Commands in a shell.
    Shell,
    /// Writing files.
    Write,
    Download,
    Upload,
    /// Typing into password fields.
    Password,
    /// All of these: a person lets the agent work unattended.
    Everything,
}

impl PolicyScope {
    pub const ALL: [Self; 9] = [
        Self::Act,
        Self::Submit,
        Self::Control,
        Self::Shell,
        Self::Write,
        Self::Download,
        Self::Upload,
        Self::Password,
        Self::Everything,
    ];

    /// As it travels and as a person types it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Act => "act",
            Self::Submit => "submit",
            Self::Control => "control",
            Self::Shell => "shell",
            Self::Write => "write",
            Self::Download => "download",
            Self::Upload => "upload",
            Self::Password => "password",
            Self::Everything => "everything",
        }
    }
}

/// `policy.add`. The answer holds the rule with its id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PolicyAdd {
    pub effect: PolicyEffect,
    pub scope: PolicyScope,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<ConversationId>,
    /// Required for `everything` that is allowed: nobody is unattended for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional, type = "number"))]
    pub until: Option<Millis>,
}

/// `policy.remove`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PolicyRemove {
    pub id: String,
}
