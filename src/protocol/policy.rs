//! A person's rules about what agents may do, as they are listed and removed.
//!
//! Owns the structure. Never decides anything.

use super::basics::Millis;
use super::decision::Decision;
use super::ids::{ConversationId, TabId};
use serde::{Deserialize, Serialize};

/// The answer to the `policy.…` requests: every rule in force.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Policy {
    /// Newest first. A rule that denies takes precedence over all that allow.
    pub rules: Vec<PolicyRule>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PolicyRule {
    /// Identifies the rule for `policy.remove`.
    pub id: String,
    pub effect: PolicyEffect,
    pub scope: PolicyScope,
    /// Limits the rule to this exact host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    /// Limits the rule to this tool of the site's pages, as they described it when it was allowed, or to this saved
    /// sign-in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "for-tests", ts(optional))]
    pub tool: Option<PolicyTool>,
    /// Limits the rule to browsers of this kind. Without one, a rule that denies applies in every browser, and one that
    /// allows applies only to what happens outside of browsers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "for-tests", ts(optional))]
    pub browser: Option<PolicyBrowser>,
    /// Limits the rule to this conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<ConversationId>,
    /// The expiry time, by the wall clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "for-tests", ts(optional, type = "number"))]
    pub until: Option<Millis>,
    /// When a person created it.
    #[cfg_attr(feature = "for-tests", ts(type = "number"))]
    pub made_at: Millis,
}

/// A tool that pages offer to agents (WebMCP), or a saved sign-in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct PolicyTool {
    pub name: String,
    /// The SHA-256, in hexadecimal, of everything that the page says about it: another description is another tool. Of a
    /// sign-in, that of its origin and user.
    pub fingerprint: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PolicyEffect {
    Allow,
    Deny,
}

/// The kind of a browser: they differ in whose logins they hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PolicyBrowser {
    /// gstack started it, with a profile of its own.
    Own,
    /// The person's everyday browser, through its extension.
    Everyday,
    /// On this machine, started by someone else (`connect --attach`).
    Attached,
    /// On another machine.
    Remote,
}

impl PolicyBrowser {
    pub const ALL: [Self; 4] = [Self::Own, Self::Everyday, Self::Attached, Self::Remote];

    /// Returns the name used on the wire and in the CLI.
    pub fn name(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Everyday => "everyday",
            Self::Attached => "attached",
            Self::Remote => "remote",
        }
    }

    /// Returns where the rule applies, in words.
    pub fn place(self) -> &'static str {
        match self {
            Self::Own => "in gstack's own browser",
            Self::Everyday => "in your everyday browser",
            Self::Attached => "in an attached browser",
            Self::Remote => "in a browser on another machine",
        }
    }
}

/// The subject of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PolicyScope {
    /// Clicks, typing and other actions in a page.
    Act,
    /// Submitting forms, paying, ordering, deleting.
    Submit,
    /// Running scripts, and other ways to take control of the page.
    Control,
    /// Answering or blocking a page's requests.
    Intercept,
    /// Commands in a shell.
    Shell,
    /// Writing files.
    Write,
    Download,
    Upload,
    /// Typing into password fields.
    Password,
    /// Calling a tool that a page offers.
    PageTool,
    /// Filling in a saved sign-in.
    SignIn,
    /// All of these: the agent works unattended.
    Everything,
}

impl PolicyScope {
    pub const ALL: [Self; 12] = [
        Self::Act,
        Self::Submit,
        Self::Control,
        Self::Intercept,
        Self::Shell,
        Self::Write,
        Self::Download,
        Self::Upload,
        Self::Password,
        Self::PageTool,
        Self::SignIn,
        Self::Everything,
    ];

    /// Returns the name used on the wire and in the CLI.
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
            Self::PageTool => "page-tool",
            Self::SignIn => "sign-in",
            Self::Everything => "everything",
        }
    }
}

/// `policy.add`. The answer contains the rule with its id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PolicyAdd {
    pub effect: PolicyEffect,
    pub scope: PolicyScope,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<ConversationId>,
    /// `None`: for a rule that denies every browser, otherwise the kind of the conversation's browser or the one in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "for-tests", ts(optional))]
    pub browser: Option<PolicyBrowser>,
    /// Required to allow `everything`: unattended work must end at some time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "for-tests", ts(optional, type = "number"))]
    pub until: Option<Millis>,
}

/// `policy.remove`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct PolicyRemove {
    pub id: String,
}

/// Asks how the policy would decide an action, without requesting it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PolicyExplain {
    /// `look`, a rule's scope, or the name of a browser command.
    pub what: String,
    /// The host; `None` if it cannot be determined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<ConversationId>,
    /// The folder whose project narrows the rules. Unused with a conversation, which has its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// `None` if the action has no effect beyond the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<PolicyRisk>,
    /// The tab that it would act in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<TabId>,
    /// The name of the browser that it would act in. `None` for the one of the tab, of the conversation's tab, or else the
    /// main one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub browser: Option<String>,
}

/// An action's effect beyond its page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PolicyRisk {
    /// It goes to a site that neither the person nor a rule has named, after another page was read.
    NewSite,
    /// It can send what was read to another site.
    Carries,
    /// It closes a tab that the agent did not open.
    ClosesTab,
    /// It answers a dialog of the page.
    AnswersDialog,
}

impl PolicyRisk {
    pub const ALL: [Self; 4] = [Self::NewSite, Self::Carries, Self::ClosesTab, Self::AnswersDialog];

    /// Returns the name used on the wire and in the CLI.
    pub fn name(self) -> &'static str {
        match self {
            Self::NewSite => "new-site",
            Self::Carries => "carries",
            Self::ClosesTab => "closes-tab",
            Self::AnswersDialog => "answers-dialog",
        }
    }
}

/// The policy's decision about an action, and the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PolicyExplained {
    pub verdict: PolicyVerdict,
    /// The scope of a rule that could cover it; `None` for actions that only read and for those that no rule can allow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<PolicyScope>,
    /// A sentence.
    pub why: String,
    /// The rule that decides, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<PolicyRule>,
    /// The allow-list (`gstack policy only`), if it decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_sites: Option<String>,
    /// The possible answers, if the person is asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Decision>,
    /// The rules in force that do not decide.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<PolicyPassedOver>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PolicyVerdict {
    /// Runs without approval.
    Runs,
    Asks,
    Refused,
    /// Agents are not offered it, and no rule can change that.
    NotOffered,
}

impl PolicyVerdict {
    /// Returns the name used on the wire and in the CLI.
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
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct PolicyPassedOver {
    pub rule: PolicyRule,
    /// A sentence without a full stop.
    pub why: String,
}
