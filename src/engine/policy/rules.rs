//! The decision. Pure: takes rules, a request and a time, and returns a verdict.
//!
//! A rule that denies wins over all rules that allow. Nothing runs unless a rule or a default covers it.

use super::action_request::{ActionKind, ActionRequest, Risk};
use gstack_base::site::without_http_port;
use gstack_protocol::chat::{Decision, Millis};
use gstack_protocol::policy::{PolicyEffect, PolicyRule, PolicyScope};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It may run: because of the rule with this id or, without one, because looking is always allowed.
    Run(Option<String>),
    /// A person is asked and may answer with one of these.
    Ask(Vec<Decision>),
    /// The rule with this id denies it.
    Denied(String),
    /// Never offered to agents.
    NotOffered,
}

/// Decides about a request. `rules` is `None` if they cannot be read; then a person is asked about everything, because
/// one of the rules may deny it.
pub(super) fn decide(rules: Option<&[PolicyRule]>, request: &ActionRequest, now: Millis) -> Verdict {
    if request.kind == ActionKind::Secret {
        return Verdict::NotOffered;
    }
    let Some(rules) = rules else { return Verdict::Ask(vec![Decision::AllowOnce, Decision::Deny]) };
    let in_force = || rules.iter().filter(|rule| is_in_force(rule, now));
    let covered_by = |effect| in_force().find(|rule| rule.effect == effect && why_not_covered(rule, request).is_none());
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

/// Returns true if the rule is in force. A rule counts only from its creation, so that setting the clock back does not
/// extend it.
pub(super) fn is_in_force(rule: &PolicyRule, now: Millis) -> bool {
    rule.made_at <= now && rule.until.is_none_or(|until| now < until)
}

/// Returns the rule that an answer creates: its scope, site and conversation. `None` if the answer applies only once.
pub(super) fn remembered(request: &ActionRequest, decision: Decision, id: String, now: Millis) -> Option<PolicyRule> {
    let ActionKind::Does(scope) = request.kind else { return None };
    let tool = request.tool.clone();
    let browser = request.browser;
    let (site, conversation_id) = match decision {
        // Of no use without the tool that it is for.
        _ if needs_tool(scope) && tool.is_none() => return None,
        Decision::AllowOnce | Decision::Deny => return None,
        Decision::AllowSite => (Some(request.site.clone()?), None),
        Decision::AllowConversation => (None, Some(request.conversation_id.clone())),
        Decision::AllowAlways => (None, None),
    };
    let effect = PolicyEffect::Allow;
    Some(PolicyRule { id, effect, scope, site, tool, browser, conversation_id, until: None, made_at: now })
}

/// Why a rule does not apply to an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotCovered {
    /// Looking needs no rule.
    LookingIsFree,
    OtherScope,
    OtherSite,
    /// For another kind of browser, or from before rules named one.
    OtherBrowser,
    /// For another tool of the page, or the page describes it in other words now.
    OtherTool,
    OtherConversation,
    /// Allows less than an action of this risk needs.
    TooNarrow(Risk),
}

/// Returns why a rule does not cover an action, or `None` if it does.
pub(super) fn why_not_covered(rule: &PolicyRule, request: &ActionRequest) -> Option<NotCovered> {
    let denies = rule.effect == PolicyEffect::Deny;
    let in_scope = match request.kind {
        // Only a rule that denies everything also denies looking.
        ActionKind::Read if denies => rule.scope == PolicyScope::Everything,
        ActionKind::Read => return Some(NotCovered::LookingIsFree),
        ActionKind::Does(scope) => rule.scope == PolicyScope::Everything || rule.scope == scope,
        ActionKind::Secret => denies,
    };
    let on_site = match (&rule.site, &request.site) {
        (None, _) => true,
        (Some(site), Some(asked)) if denies => without_http_port(site) == without_http_port(asked),
        (Some(site), Some(asked)) => site == asked,
        // An unknown site may be the denied one.
        (Some(_), None) => denies && request.risk != Risk::Plain,
    };
    // Each kind of browser holds other logins.
    let in_browser = match (rule.browser, request.browser) {
        (None, _) if denies => true,
        (_, None) => true,
        (of, asked) => of == asked,
    };
    // What a page's tool does, only its page knows: nothing but a rule for that very tool allows it.
    let for_tool = match &rule.tool {
        Some(tool) => request.tool.as_ref() == Some(tool),
        None => denies || !needs_tool(rule.scope),
    };
    let in_conversation = rule.conversation_id.as_ref().is_none_or(|only| *only == request.conversation_id);
    let far_enough = denies
        || match request.risk {
            Risk::Plain => true,
            // "In this conversation" was granted before anyone knew where a page would lead.
            Risk::NewSite => rule.site.is_some() || is_wide(rule),
            Risk::Carrying => is_wide(rule),
            // Permission to act on pages does not include closing them or answering their dialogs.
            Risk::ClosesTheirs | Risk::AnswersDialog => rule.scope == PolicyScope::Everything,
            // Not even while the person is away: a password that gstack filled in is not for the model.
            Risk::ReadsSecret => false,
        };
    match (in_scope, on_site, in_browser, for_tool, in_conversation, far_enough) {
        (false, ..) => Some(NotCovered::OtherScope),
        (_, false, ..) => Some(NotCovered::OtherSite),
        (_, _, false, ..) => Some(NotCovered::OtherBrowser),
        (_, _, _, false, ..) => Some(NotCovered::OtherTool),
        (_, _, _, _, false, _) => Some(NotCovered::OtherConversation),
        (.., false) => Some(NotCovered::TooNarrow(request.risk)),
        _ => None,
    }
}

/// Whether a rule of this scope names what it is for: a page's tool, or a saved sign-in.
fn needs_tool(scope: PolicyScope) -> bool {
    matches!(scope, PolicyScope::PageTool | PolicyScope::SignIn)
}

/// Returns true if the person meant every site: always, or while they are away.
fn is_wide(rule: &PolicyRule) -> bool {
    rule.scope == PolicyScope::Everything || (rule.site.is_none() && rule.conversation_id.is_none())
}

/// Returns the answers that would have an effect, in order of scope, then the denial.
fn choices(scope: PolicyScope, request: &ActionRequest) -> Vec<Decision> {
    use Decision::{AllowAlways, AllowConversation, AllowOnce, AllowSite, Deny};
    let wider: &[Decision] = match (scope, request.risk) {
        (_, Risk::Carrying | Risk::ClosesTheirs | Risk::AnswersDialog | Risk::ReadsSecret) => &[],
        (_, Risk::NewSite) => &[AllowSite],
        (PolicyScope::Act, _) => &[AllowSite, AllowConversation, AllowAlways],
        (PolicyScope::Submit, _) => &[AllowSite, AllowConversation],
        (PolicyScope::Download, _) => &[AllowSite, AllowConversation],
        (
            PolicyScope::Control
            | PolicyScope::Intercept
            | PolicyScope::Upload
            | PolicyScope::Password
            | PolicyScope::PageTool
            | PolicyScope::SignIn,
            _,
        ) => &[AllowSite],
        (PolicyScope::Shell | PolicyScope::Write, _) => &[AllowConversation],
        (PolicyScope::Everything, _) => &[],
    };
    let possible = |decision: &&Decision| **decision != AllowSite || request.site.is_some();
    [AllowOnce].into_iter().chain(wider.iter().filter(possible).copied()).chain([Deny]).collect()
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;
