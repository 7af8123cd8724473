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
    if let Some(rule) = in_force().find(|rule| rule.effect == PolicyEffect::Deny && denies(rule, request)) {
        return Verdict::Denied(rule.id.clone());
    }
    if let Some(rule) = in_force().find(|rule| rule.effect == PolicyEffect::Allow && allows(rule, request)) {
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

fn denies(rule: &PolicyRule, request: &ActionRequest) -> bool {
    let scope = match request.kind {
        // Only who is kept from everything is kept from looking.
        ActionKind::Read => rule.scope == PolicyScope::Everything,
        ActionKind::Does(scope) => rule.scope == PolicyScope::Everything || rule.scope == scope,
        ActionKind::Secret => true,
    };
    // A place that can't be told may be the one that is closed.
    let site = match (&rule.site, &request.site) {
        (Some(closed), Some(site)) => closed == site,
        (Some(_), None) => request.risk != Risk::Plain,
        (None, _) => true,
    };
    scope && site && rule.conversation_id.as_ref().is_none_or(|only| *only == request.conversation_id)
}

fn allows(rule: &PolicyRule, request: &ActionRequest) -> bool {
    let ActionKind::Does(scope) = request.kind else { return false };
    let in_scope = rule.scope == PolicyScope::Everything || rule.scope == scope;
    let on_site = rule.site.as_ref().is_none_or(|open| request.site.as_ref() == Some(open));
    let in_conversation = rule.conversation_id.as_ref().is_none_or(|only| *only == request.conversation_id);
    let far_enough = match request.risk {
        Risk::Plain => true,
        // "In this conversation" was said before anybody knew where a page would send it.
        Risk::NewSite => rule.site.is_some() || is_wide(rule),
        Risk::Carrying => is_wide(rule),
        // What somebody may do on pages says nothing about taking them away.
        // Nor about what a page asks before it goes on.
        Risk::ClosesTheirs | Risk::AnswersDialog => rule.scope == PolicyScope::Everything,
    };
    in_scope && on_site && in_conversation && far_enough
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
        (PolicyScope::Control | PolicyScope::Upload | PolicyScope::Password, _) => &[AllowSite],
        (PolicyScope::Shell | PolicyScope::Write, _) => &[AllowConversation],
        (PolicyScope::Everything, _) => &[],
    };
    let possible = |decision: &&Decision| **decision != AllowSite || request.site.is_some();
    [AllowOnce].into_iter().chain(wider.iter().filter(possible).copied()).chain([Deny]).collect()
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;
