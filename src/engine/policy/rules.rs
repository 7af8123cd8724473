//! The decision. Pure: rules, a wish and a time in, a verdict out.
//!
//! A rule that denies wins over any that allows, and nothing runs that no rule and no default covers.

use super::wish::{Deed, Shape, Wish};
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
pub fn decide(rules: Option<&[PolicyRule]>, wish: &Wish, now: Millis) -> Verdict {
    if wish.deed == Deed::Secret {
        return Verdict::NotOffered;
    }
    let Some(rules) = rules else { return Verdict::Ask(vec![Decision::AllowOnce, Decision::Deny]) };
    let in_force = || rules.iter().filter(|rule| is_in_force(rule, now));
    if let Some(rule) = in_force().find(|rule| rule.effect == PolicyEffect::Deny && denies(rule, wish)) {
        return Verdict::Denied(rule.id.clone());
    }
    if let Some(rule) = in_force().find(|rule| rule.effect == PolicyEffect::Allow && allows(rule, wish)) {
        return Verdict::Run(Some(rule.id.clone()));
    }
    match wish.deed {
        Deed::Read => Verdict::Run(None),
        Deed::Does(scope) => Verdict::Ask(choices(scope, wish)),
        Deed::Secret => Verdict::NotOffered,
    }
}

/// A rule holds from when it was made, so that a clock that was set back does not make it longer.
pub fn is_in_force(rule: &PolicyRule, now: Millis) -> bool {
    rule.made_at <= now && rule.until.is_none_or(|until| now < until)
}

/// The rule that an answer leaves behind: its scope, site and conversation; none where it holds for once.
pub fn remembered(wish: &Wish, decision: Decision, id: String, now: Millis) -> Option<PolicyRule> {
    let Deed::Does(scope) = wish.deed else { return None };
    let (site, conversation_id) = match decision {
        Decision::AllowOnce | Decision::Deny => return None,
        Decision::AllowSite => (Some(wish.site.clone()?), None),
        Decision::AllowConversation => (None, Some(wish.conversation_id.clone())),
        Decision::AllowAlways => (None, None),
    };
    Some(PolicyRule { id, effect: PolicyEffect::Allow, scope, site, conversation_id, until: None, made_at: now })
}

fn denies(rule: &PolicyRule, wish: &Wish) -> bool {
    let scope = match wish.deed {
        // Only who is kept from everything is kept from looking.
        Deed::Read => rule.scope == PolicyScope::Everything,
        Deed::Does(scope) => rule.scope == PolicyScope::Everything || rule.scope == scope,
        Deed::Secret => true,
    };
    // A place that can't be told may be the one that is closed.
    let site = match (&rule.site, &wish.site) {
        (Some(closed), Some(site)) => closed == site,
        (Some(_), None) => wish.shape != Shape::Plain,
        (None, _) => true,
    };
    scope && site && rule.conversation_id.as_ref().is_none_or(|only| *only == wish.conversation_id)
}

fn allows(rule: &PolicyRule, wish: &Wish) -> bool {
    let Deed::Does(scope) = wish.deed else { return false };
    let in_scope = rule.scope == PolicyScope::Everything || rule.scope == scope;
    let on_site = rule.site.as_ref().is_none_or(|open| wish.site.as_ref() == Some(open));
    let in_conversation = rule.conversation_id.as_ref().is_none_or(|only| *only == wish.conversation_id);
    let far_enough = match wish.shape {
        Shape::Plain => true,
        // "In this conversation" was said before anybody knew where a page would send it.
        Shape::NewSite => rule.site.is_some() || is_wide(rule),
        Shape::Carrying => is_wide(rule),
        // What somebody may do on pages says nothing about taking them away.
        Shape::ClosesTheirs => rule.scope == PolicyScope::Everything,
    };
    in_scope && on_site && in_conversation && far_enough
}

/// The person meant everywhere: always, or while they are away.
fn is_wide(rule: &PolicyRule) -> bool {
    rule.scope == PolicyScope::Everything || (rule.site.is_none() && rule.conversation_id.is_none())
}

/// The answers that would have an effect, widest last before the no.
fn choices(scope: PolicyScope, wish: &Wish) -> Vec<Decision> {
    use Decision::{AllowAlways, AllowConversation, AllowOnce, AllowSite, Deny};
    let wider: &[Decision] = match (scope, wish.shape) {
        (_, Shape::Carrying | Shape::ClosesTheirs) => &[],
        (_, Shape::NewSite) => &[AllowSite],
        (PolicyScope::Act, _) => &[AllowSite, AllowConversation, AllowAlways],
        (PolicyScope::Download, _) => &[AllowSite, AllowConversation],
        (PolicyScope::Control | PolicyScope::Upload | PolicyScope::Password, _) => &[AllowSite],
        (PolicyScope::Shell | PolicyScope::Write, _) => &[AllowConversation],
        (PolicyScope::Everything, _) => &[],
    };
    let possible = |decision: &&Decision| **decision != AllowSite || wish.site.is_some();
    [AllowOnce].into_iter().chain(wider.iter().filter(possible).copied()).chain([Deny]).collect()
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;
