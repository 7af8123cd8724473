//! The words of outcomes and decisions in an evidence file.

use gstack_protocol::audit::{AuditBy, AuditEntry};
use gstack_protocol::chat::{AnsweredBy, Decision, StepOutcome, TurnOutcome};

pub(super) fn step(outcome: StepOutcome) -> &'static str {
    match outcome {
        StepOutcome::Ok => "done",
        StepOutcome::Failed => "failed",
        StepOutcome::Denied => "denied, did nothing",
        StepOutcome::NotSent => "stopped before it was sent, did nothing",
        StepOutcome::Unknown => "interrupted, outcome unknown",
    }
}

pub(super) fn turn(outcome: TurnOutcome) -> String {
    serde_json::to_value(outcome).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}

/// Returns who decided, as in `gstack audit`: `allowed by you in the panel, for this site (act on shop.example)`.
pub(super) fn decision(entry: &AuditEntry) -> String {
    let word = if entry.allowed { "allowed" } else { "denied" };
    let rule = entry.rule.as_deref().unwrap_or_default();
    let by = match entry.by {
        AuditBy::Default if entry.allowed => "allowed without asking: no rule is needed".to_owned(),
        AuditBy::Default => "denied: not offered to agents".to_owned(),
        AuditBy::Rule => format!("{word} by rule {rule}"),
        AuditBy::Panel => format!("{word} by you in the panel{}", reach(entry.answer)),
        AuditBy::Terminal => format!("{word} by you in the terminal{}", reach(entry.answer)),
        AuditBy::Typed => "allowed: you typed it".to_owned(),
        AuditBy::Link => format!("{word} by you with a link{}", reach(entry.answer)),
        AuditBy::Connect => format!("{word} by gstack connect"),
        AuditBy::Timeout => "denied: nobody answered in time".to_owned(),
        AuditBy::Withdrawn => "denied: the request was withdrawn".to_owned(),
    };
    match &entry.site {
        Some(site) => format!("{by} ({} on {site})", entry.scope),
        None => format!("{by} ({})", entry.scope),
    }
}

/// Returns the same from the conversation, for a decision that the audit no longer has.
pub(super) fn answer(decision: Decision, by: AnsweredBy) -> String {
    let word = if decision.allows() { "allowed" } else { "denied" };
    match by {
        AnsweredBy::Panel => format!("{word} by you in the panel{}", reach(Some(decision))),
        AnsweredBy::Terminal => format!("{word} by you in the terminal{}", reach(Some(decision))),
        AnsweredBy::Link => format!("{word} by you with a link{}", reach(Some(decision))),
        AnsweredBy::Rule => format!("{word} by a rule"),
        AnsweredBy::Withdrawn => "denied: the request was withdrawn".to_owned(),
        AnsweredBy::Timeout => "denied: nobody answered in time".to_owned(),
    }
}

fn reach(answer: Option<Decision>) -> &'static str {
    match answer {
        Some(Decision::AllowSite) => ", for this site",
        Some(Decision::AllowConversation) => ", for this conversation",
        Some(Decision::AllowAlways) => ", always",
        Some(Decision::AllowOnce | Decision::Deny) | None => "",
    }
}
