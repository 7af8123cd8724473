//! The rules that a person made about what agents may do, as they are shown and taken back.
//!
//! Owns the shape. Never decides anything.

use super::basics::Millis;
use super::decision::Decision;
use super::ids::ConversationId;
use serde::{Deserialize, Serialize};

/// The answer to the `policy.…` requests: every rule in force.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Policy {
    /// Newest first. A rule that denies wins over any that allows.
    pub rules: Vec<PolicyRule>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
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
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PolicyEffect {
    Allow,
    Deny,
}

/// The subject of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PolicyScope {
    /// Clicks, typing and other actions in a page.
    Act,
    /// Sending forms, paying, ordering, deleting.
    Submit,
    /// Scripts and what else takes the page over.
    Control,
    /// Answering or stopping what pages ask for.
    Intercept,
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
    pub const ALL: [Self; 10] = [
        Self::Act,
        Self::Submit,
        Self::Control,
        Self::Intercept,
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
            Self::Intercept => "intercept",
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
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
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
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct PolicyRemove {
    pub id: String,
}

/// Asks what would become of an action that nobody has asked for yet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PolicyExplain {
    /// `look`, what a rule covers, or the name of a browser command.
    pub what: String,
    /// The host that it is done on; none: it can't be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<ConversationId>,
    /// None: it reaches no further than the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<PolicyRisk>,
}

/// How far an action reaches beyond the page that it is done on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PolicyRisk {
    /// It leads to a site that neither the person nor a rule has named, after another page was read.
    NewSite,
    /// It can carry what was read to another site.
    Carries,
    /// It closes a tab that the agent did not open.
    ClosesTab,
    /// It answers a dialog of the page.
    AnswersDialog,
}

impl PolicyRisk {
    pub const ALL: [Self; 4] = [Self::NewSite, Self::Carries, Self::ClosesTab, Self::AnswersDialog];

    /// As it travels and as a person types it.
    pub fn name(self) -> &'static str {
        match self {
            Self::NewSite => "new-site",
            Self::Carries => "carries",
            Self::ClosesTab => "closes-tab",
            Self::AnswersDialog => "answers-dialog",
        }
    }
}

/// What would become of an action, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PolicyExplained {
    pub verdict: PolicyVerdict,
    /// What a rule about it covers; none for what only looks and for what no rule gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<PolicyScope>,
    /// A sentence.
    pub why: String,
    /// The rule that decides, where one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<PolicyRule>,
    /// What the person could answer, where they are asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Decision>,
    /// The rules in force that do not decide.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<PolicyPassedOver>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PolicyVerdict {
    /// Without asking.
    Runs,
    Asks,
    Refused,
    /// Agents don't get it, and no rule gives it to them.
    NotOffered,
}

impl PolicyVerdict {
    pub const ALL: [Self; 4] = [Self::Runs, Self::Asks, Self::Refused, Self::NotOffered];

    /// As it travels and as a person types it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Runs => "runs",
            Self::Asks => "asks",
            Self::Refused => "refused",
            Self::NotOffered => "not-offered",
        }
    }
}

/// A rule in force that does not decide.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct PolicyPassedOver {
    pub rule: PolicyRule,
    /// A sentence without a full stop.
    pub why: String,
}
