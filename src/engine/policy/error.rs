//! Faults of the rules and the audit, and refusals of agents' actions.
//!
//! Owns the code, the message and the next step of each. Never decides what to refuse.

use super::project::ProjectFault;
use gstack_base::visible::visible;
use gstack_protocol::catalogue::{self, Sentence};
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::policy::PolicyScope;
use std::io;
use std::path::PathBuf;

/// Errors for the person who manages the rules.
#[derive(Debug)]
pub(super) enum PolicyError {
    /// The rule would end before it begins.
    RuleEnded,
    RuleTooLong,
    /// A rule that allows everything must have an end.
    RuleNeedsEnd,
    /// A page's tool can be allowed only where the person sees it.
    ToolNeedsCard,
    /// Holds the site as it was typed.
    NotASite(String),
    /// The named action does not exist. Shown in a terminal, so it is in English.
    NotAnAction(String),
    /// `most` is the largest number of rules.
    RulesFull {
        most: usize,
    },
    NoRule(String),
    RuleNotWritten {
        path: PathBuf,
        source: io::Error,
    },
    RulesNotRead {
        path: PathBuf,
        why: String,
    },
    AuditNotRead(io::Error),
    AuditNotWritten(io::Error),
}

impl From<PolicyError> for Fault {
    fn from(error: PolicyError) -> Self {
        let (code, message, hint): (_, Sentence, _) = match error {
            PolicyError::RuleEnded => (FaultCode::BadRequest, catalogue::RULE_ENDED.into(), catalogue::RULE_ENDED_NEXT),
            PolicyError::RuleTooLong => {
                (FaultCode::BadRequest, catalogue::RULE_TOO_LONG.into(), catalogue::RULE_TOO_LONG_NEXT)
            }
            PolicyError::RuleNeedsEnd => {
                (FaultCode::BadRequest, catalogue::RULE_NEEDS_END.into(), catalogue::RULE_NEEDS_END_NEXT)
            }
            PolicyError::NotASite(typed) => {
                (FaultCode::BadRequest, catalogue::NOT_A_SITE.with([&format!("{typed:?}")]), catalogue::NOT_A_SITE_NEXT)
            }
            PolicyError::ToolNeedsCard => {
                return Self::new(
                    FaultCode::BadRequest,
                    "a rule can allow only a particular sign-in, or a particular tool of a page as the page describes it",
                )
                .hint("Allow it when an agent asks. A rule that denies can cover all of them.");
            }
            PolicyError::NotAnAction(what) => {
                let scopes = PolicyScope::ALL.map(PolicyScope::name).join(", ");
                let message = format!("{what:?} is neither a command nor a scope of a rule");
                return Self::new(FaultCode::BadRequest, message)
                    .hint(format!("Use look, {scopes}, or the name of a browser command."));
            }
            PolicyError::RulesFull { most } => {
                (FaultCode::TooLarge, catalogue::RULES_FULL.with([&most.to_string()]), catalogue::RULES_FULL_NEXT)
            }
            PolicyError::NoRule(id) => (FaultCode::NotFound, catalogue::NO_RULE.with([&id]), catalogue::NO_RULE_NEXT),
            PolicyError::RuleNotWritten { path, source } => {
                let message = catalogue::FILE_NOT_WRITTEN.with([&path.display().to_string(), &source.to_string()]);
                (FaultCode::Storage, message, catalogue::RULE_NOT_WRITTEN_NEXT)
            }
            PolicyError::RulesNotRead { path, why } => {
                let message = catalogue::POLICY_NOT_READ.with([&path.display().to_string(), &why]);
                (FaultCode::Storage, message, catalogue::POLICY_NOT_READ_NEXT)
            }
            PolicyError::AuditNotRead(error) => (
                FaultCode::Storage,
                catalogue::AUDIT_NOT_READ.with([&error.to_string()]),
                catalogue::AUDIT_NOT_READ_NEXT,
            ),
            PolicyError::AuditNotWritten(error) => (
                FaultCode::Storage,
                catalogue::AUDIT_NOT_WRITTEN.with([&error.to_string()]),
                catalogue::AUDIT_NOT_WRITTEN_NEXT,
            ),
        };
        Self::new(code, message).hint(hint)
    }
}

/// Errors for an agent whose action does not run. A model reads them, so they are in English.
#[derive(Debug)]
pub(super) enum Refused {
    /// `site` is the site of the action, if known.
    ByRule {
        site: Option<String>,
    },
    /// Names a rule of the project's file.
    ByProject {
        rule: String,
    },
    /// The project's file is not usable.
    ProjectUnusable(ProjectFault),
    NotOffered,
    NotAnswered,
    Withdrawn,
    ByPerson,
}

impl From<Refused> for Fault {
    fn from(refused: Refused) -> Self {
        let (code, message, hint): (_, Sentence, &'static str) = match refused {
            Refused::ByRule { site } => {
                let place = site.map(|site| format!(" on {site}")).unwrap_or_default();
                (
                    FaultCode::Denied,
                    format!("one of the person's rules denies this{place}").into(),
                    "Do not try it another way. Say what you wanted; only the person can change the rule.",
                )
            }
            Refused::ByProject { rule } => (
                FaultCode::Denied,
                format!("a rule of this project denies it ({rule})").into(),
                "Do not try it another way, and do not change that file. Say what you wanted; only the person can change the rule.",
            ),
            Refused::ProjectUnusable(ProjectFault { file, why }) => (
                FaultCode::Denied,
                format!(
                    "{} is not usable, so you may only look: {}",
                    visible(&file.display().to_string()),
                    visible(&why)
                )
                .into(),
                "Do not change that file. Tell the person, who can fix or remove it.",
            ),
            Refused::NotOffered => {
                (FaultCode::Denied, "this is not offered to agents".into(), "Ask the person to do it.")
            }
            Refused::NotAnswered => (
                FaultCode::Denied,
                "nobody answered in time, so it was not allowed".into(),
                "Say what you wanted, and end your turn. The person answers in the side panel, or with `gstack approvals`.",
            ),
            Refused::Withdrawn => {
                return Self::new(FaultCode::Cancelled, "the question was withdrawn before it was answered")
                    .hint("If other questions wait for the person, wait for their answers first: only 8 of a turn may be open.");
            }
            Refused::ByPerson => (
                FaultCode::Denied,
                "the person denied this".into(),
                "Do not try it another way. Say what you wanted and ask how to go on.",
            ),
        };
        Self::new(code, message).hint(hint)
    }
}
