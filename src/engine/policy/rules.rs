//! The decision. Pure: rules, a request and a time in, a verdict out.
//!
//! A rule that denies wins over any that allows, and nothing runs that no rule and no default covers.

use super::action_request::{ActionKind, ActionRequest, Risk};
use crate::protocol::chat::{Decision, Millis};
use crate::protocol::policy::{PolicyEffect, PolicyRule, PolicyScope};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It may run now, by this rule or, without one, because looking is free.
    Run(Option<String>),
    /// A person is asked, and may answer with these.
    Ask(Vec<Decision>),
    /// A rule of this id says no.
    Denied(String),
    /// Not offered to agents at all.
    NotOffered,
}

/// What may be done. `rules`: none where they can't be read; then a person is asked about everything, because one of
/// them may have said no.
pub fn decide(rules: Option<&[PolicyRule]>, request: &ActionRequest, now: Millis) -> Verdict {
    if request.kind == ActionKind::Secret {
        return Verdict::NotOffered;
    }
    let Some(rules) = rules else { return Verdict::Ask(vec![Decision::AllowOnce, Decision::Deny]) };
    let in_force = || rules.iter().filter(|rule| is_in_force(rule, now));
    let covered_by = |effect| in_force().find(|rule| rule.effect == effect && passed_over(rule, request).is_none());
    if let Some(rule) = covered_by(PolicyEffect::Deny) {
        return Verdict::Denied(rule.id.clone());
    }
    if let Some(rule) = covered_by(PolicyEffect::Allow) {
        return Verdict::Run(Some(rule.id.clone()));
    }
    match request.kind {
        ActionKind::Read => Verdict::Run(None),
        ActionKind::Does(scope) => Verdict::Ask(choices(scope, request)),
        ActionKind::Secret => Verdict::NotOffered,
    }
}

/// A rule holds from when it was made, so that a clock that was set back does not make it longer.
pub fn is_in_force(rule: &PolicyRule, now: Millis) -> bool {
    rule.made_at <= now && rule.until.is_none_or(|until| now < until)
}

/// The rule that an answer leaves behind: its scope, site and conversation; none where it holds for once.
pub fn remembered(request: &ActionRequest, decision: Decision, id: String, now: Millis) -> Option<PolicyRule> {
    let ActionKind::Does(scope) = request.kind else { return None };
    let (site, conversation_id) = match decision {
        Decision::AllowOnce | Decision::Deny => return None,
        Decision::AllowSite => (Some(request.site.clone()?), None),
        Decision::AllowConversation => (None, Some(request.conversation_id.clone())),
        Decision::AllowAlways => (None, None),
    };
    Some(PolicyRule { id, effect: PolicyEffect::Allow, scope, site, conversation_id, until: None, made_at: now })
}

/// Why a rule says nothing about an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassedOver {
    /// Nobody needs to be allowed to look.
    LookingIsFree,
    OtherScope,
    OtherSite,
    OtherConversation,
    /// It allows less than an action of this risk needs.
    TooNarrow(Risk),
}

/// Why a rule does not cover an action; none where it does.
pub fn passed_over(rule: &PolicyRule, request: &ActionRequest) -> Option<PassedOver> {
    let denies = rule.effect == PolicyEffect::Deny;
    let in_scope = match request.kind {
        // Only who is kept from everything is kept from looking.
        ActionKind::Read if denies => rule.scope == PolicyScope::Everything,
        ActionKind::Read => return Some(PassedOver::LookingIsFree),
        ActionKind::Does(scope) => rule.scope == PolicyScope::Everything || rule.scope == scope,
        ActionKind::Secret => denies,
    };
    let on_site = match (&rule.site, &request.site) {
        (None, _) => true,
        (Some(site), Some(asked)) => site == asked,
        // A place that can't be told may be the one that is closed.
        (Some(_), None) => denies && request.risk != Risk::Plain,
    };
    let in_conversation = rule.conversation_id.as_ref().is_none_or(|only| *only == request.conversation_id);
    let far_enough = denies
        || match request.risk {
            Risk::Plain => true,
            // "In this conversation" was said before anybody knew where a page would send it.
            Risk::NewSite => rule.site.is_some() || is_wide(rule),
            Risk::Carrying => is_wide(rule),
            // What somebody may do on pages says nothing about taking them away.
            // Nor about what a page asks before it goes on.
            Risk::ClosesTheirs | Risk::AnswersDialog => rule.scope == PolicyScope::Everything,
        };
    match (in_scope, on_site, in_conversation, far_enough) {
        (false, ..) => Some(PassedOver::OtherScope),
        (_, false, ..) => Some(PassedOver::OtherSite),
        (_, _, false, _) => Some(PassedOver::OtherConversation),
        (.., false) => Some(PassedOver::TooNarrow(request.risk)),
        _ => None,
    }
}

/// The person meant everywhere: always, or while they are away.
fn is_wide(rule: &PolicyRule) -> bool {
    rule.scope == PolicyScope::Everything || (rule.site.is_none() && rule.conversation_id.is_none())
}

/// The answers that would have an effect, widest last before the no.
fn choices(scope: PolicyScope, request: &ActionRequest) -> Vec<Decision> {
    use Decision::{AllowAlways, AllowConversation, AllowOnce, AllowSite, Deny};
    let wider: &[Decision] = match (scope, request.risk) {
        (_, Risk::Carrying | Risk::ClosesTheirs | Risk::AnswersDialog) => &[],
        (_, Risk::NewSite) => &[AllowSite],
        (PolicyScope::Act, _) => &[AllowSite, AllowConversation, AllowAlways],
        (PolicyScope::Submit, _) => &[AllowSite, AllowConversation],
        (PolicyScope::Download, _) => &[AllowSite, AllowConversation],
        (PolicyScope::Control | PolicyScope::Intercept | PolicyScope::Upload | PolicyScope::Password, _) => {
            &[AllowSite]
        }
        (PolicyScope::Shell | PolicyScope::Write, _) => &[AllowConversation],
        (PolicyScope::Everything, _) => &[],
    };
    let possible = |decision: &&Decision| **decision != AllowSite || request.site.is_some();
    [AllowOnce].into_iter().chain(wider.iter().filter(possible).copied()).chain([Deny]).collect()
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;
