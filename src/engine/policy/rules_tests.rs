//! The decision, tested by table and by property.

use super::{Verdict, decide, remembered};
use crate::policy::action_request::{ActionKind, ActionRequest, Risk};
use gstack_protocol::chat::Decision;
use gstack_protocol::ids::ConversationId;
use gstack_protocol::policy::{PolicyBrowser, PolicyEffect, PolicyRule, PolicyScope, PolicyTool};
use proptest::prelude::{Just, Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};

const NOW: u64 = 1_000_000;

fn request(kind: ActionKind, site: Option<&str>) -> ActionRequest {
    let conversation_id = ConversationId::new("c1");
    ActionRequest { conversation_id, kind, site: site.map(str::to_owned), browser: None, tool: None, risk: Risk::Plain }
}

fn does(scope: PolicyScope, site: Option<&str>) -> ActionRequest {
    request(ActionKind::Does(scope), site)
}

fn rule(effect: PolicyEffect, scope: PolicyScope) -> PolicyRule {
    let id = "r".to_owned();
    PolicyRule {
        id,
        effect,
        scope,
        site: None,
        tool: None,
        browser: None,
        conversation_id: None,
        until: None,
        made_at: 1,
    }
}

fn allow(scope: PolicyScope) -> PolicyRule {
    rule(PolicyEffect::Allow, scope)
}

fn on(site: &str, rule: PolicyRule) -> PolicyRule {
    PolicyRule { site: Some(site.to_owned()), ..rule }
}

fn within(conversation: &str, rule: PolicyRule) -> PolicyRule {
    PolicyRule { conversation_id: Some(ConversationId::new(conversation)), ..rule }
}

fn runs(rules: &[PolicyRule], request: &ActionRequest) -> bool {
    matches!(decide(Some(rules), request, NOW), Verdict::Run(_))
}

#[test]
fn a_rule_holds_only_in_the_kind_of_browser_that_it_was_made_in() {
    let act = ActionKind::Does(PolicyScope::Act);
    let within = |browser| ActionRequest { browser, ..request(act, Some("a.example")) };
    let (own, everyday) = (Some(PolicyBrowser::Own), Some(PolicyBrowser::Everyday));
    let is_asked = |rule: &PolicyRule, browser| {
        matches!(decide(Some(std::slice::from_ref(rule)), &within(browser), NOW), Verdict::Ask(_))
    };
    for wide in [on("a.example", allow(PolicyScope::Act)), allow(PolicyScope::Act), allow(PolicyScope::Everything)] {
        let made = PolicyRule { browser: own, ..wide.clone() };
        assert!(!is_asked(&made, own) && is_asked(&made, everyday), "{made:?}");
        for other in [Some(PolicyBrowser::Attached), Some(PolicyBrowser::Remote)] {
            assert!(is_asked(&made, other), "{made:?}");
        }
        // From before rules named a browser.
        assert!(is_asked(&wide, own) && is_asked(&wide, everyday), "{wide:?}");
        let answer = remembered(&within(everyday), Decision::AllowSite, "new".to_owned(), 1).unwrap();
        assert!(!is_asked(&answer, everyday) && is_asked(&answer, own));
    }
    let denied = rule(PolicyEffect::Deny, PolicyScope::Act);
    for browser in [own, everyday, None] {
        assert!(matches!(decide(Some(std::slice::from_ref(&denied)), &within(browser), NOW), Verdict::Denied(_)));
    }
    let shell = request(ActionKind::Does(PolicyScope::Shell), None);
    assert!(matches!(decide(Some(&[allow(PolicyScope::Shell)]), &shell, NOW), Verdict::Run(Some(_))));
}

#[test]
fn without_rules_looking_runs_and_everything_else_asks_with_the_answers_that_make_sense() {
    use Decision::{AllowAlways, AllowConversation, AllowOnce, AllowSite, Deny};
    let site = Some("a.example");
    let table: &[(ActionKind, Option<&str>, Verdict)] = &[
        (ActionKind::Read, site, Verdict::Run(None)),
        (ActionKind::Secret, site, Verdict::NotOffered),
        (
            ActionKind::Does(PolicyScope::Act),
            site,
            Verdict::Ask(vec![AllowOnce, AllowSite, AllowConversation, AllowAlways, Deny]),
        ),
        (ActionKind::Does(PolicyScope::Act), None, Verdict::Ask(vec![AllowOnce, AllowConversation, AllowAlways, Deny])),
        (ActionKind::Does(PolicyScope::Control), site, Verdict::Ask(vec![AllowOnce, AllowSite, Deny])),
        (ActionKind::Does(PolicyScope::Control), None, Verdict::Ask(vec![AllowOnce, Deny])),
        (ActionKind::Does(PolicyScope::Shell), None, Verdict::Ask(vec![AllowOnce, AllowConversation, Deny])),
        (ActionKind::Does(PolicyScope::Write), None, Verdict::Ask(vec![AllowOnce, AllowConversation, Deny])),
        (
            ActionKind::Does(PolicyScope::Download),
            site,
            Verdict::Ask(vec![AllowOnce, AllowSite, AllowConversation, Deny]),
        ),
        (ActionKind::Does(PolicyScope::Upload), site, Verdict::Ask(vec![AllowOnce, AllowSite, Deny])),
        (ActionKind::Does(PolicyScope::Password), site, Verdict::Ask(vec![AllowOnce, AllowSite, Deny])),
    ];
    for (kind, site, expected) in table {
        assert_eq!(decide(Some(&[]), &request(*kind, *site), NOW), *expected, "{kind:?} {site:?}");
    }
}

#[test]
fn what_can_not_be_read_asks_about_everything_once() {
    for kind in [ActionKind::Read, ActionKind::Does(PolicyScope::Act), ActionKind::Does(PolicyScope::Everything)] {
        let asked = decide(None, &request(kind, Some("a.example")), NOW);
        assert_eq!(asked, Verdict::Ask(vec![Decision::AllowOnce, Decision::Deny]), "{kind:?}");
    }
    assert_eq!(decide(None, &request(ActionKind::Secret, None), NOW), Verdict::NotOffered);
}

#[test]
fn a_rule_is_for_its_scope_site_and_conversation_alone() {
    let act = |site| does(PolicyScope::Act, Some(site));
    let here = [on("a.example", allow(PolicyScope::Act))];
    assert!(runs(&here, &act("a.example")));
    for other in [
        act("b.example"),
        act("a.example:8080"),
        does(PolicyScope::Act, None),
        does(PolicyScope::Control, Some("a.example")),
        does(PolicyScope::Password, Some("a.example")),
    ] {
        assert!(!runs(&here, &other), "{other:?}");
    }
    let conversation = [within("c1", allow(PolicyScope::Act))];
    assert!(runs(&conversation, &act("anywhere.example")));
    let other = ActionRequest { conversation_id: ConversationId::new("c2"), ..act("anywhere.example") };
    assert!(!runs(&conversation, &other));
    let away = [PolicyRule { until: Some(NOW + 1), ..allow(PolicyScope::Everything) }];
    for scope in [PolicyScope::Act, PolicyScope::Control, PolicyScope::Shell, PolicyScope::Password] {
        assert!(runs(&away, &does(scope, None)), "{scope:?}");
    }
    assert!(!runs(&away, &request(ActionKind::Secret, None)), "no rule gives what identifies a person");
}

#[test]
fn a_site_that_is_closed_for_everything_is_not_even_read() {
    let closed = [on("bank.example", rule(PolicyEffect::Deny, PolicyScope::Everything)), allow(PolicyScope::Act)];
    assert!(!runs(&closed, &request(ActionKind::Read, Some("bank.example"))));
    assert!(!runs(&closed, &does(PolicyScope::Act, Some("bank.example"))));
    assert!(runs(&closed, &request(ActionKind::Read, Some("a.example"))));
    assert!(runs(&closed, &does(PolicyScope::Act, Some("a.example"))));
    // An address with an unknown destination may lead there.
    let unknown = ActionRequest { risk: Risk::NewSite, ..does(PolicyScope::Act, None) };
    assert!(!runs(&closed, &unknown));
}

#[test]
fn what_was_allowed_for_a_site_or_a_conversation_carries_nothing_elsewhere() {
    let shaped = |risk| ActionRequest { risk, ..does(PolicyScope::Act, Some("b.example")) };
    let table = [
        (within("c1", allow(PolicyScope::Act)), false, false),
        (on("b.example", allow(PolicyScope::Act)), true, false),
        (allow(PolicyScope::Act), true, true),
        (PolicyRule { until: Some(NOW + 1), ..allow(PolicyScope::Everything) }, true, true),
        (within("c1", PolicyRule { until: Some(NOW + 1), ..allow(PolicyScope::Everything) }), true, true),
    ];
    for (rule, new_site, carrying) in table {
        assert_eq!(runs(std::slice::from_ref(&rule), &shaped(Risk::NewSite)), new_site, "{rule:?}");
        assert_eq!(runs(std::slice::from_ref(&rule), &shaped(Risk::Carrying)), carrying, "{rule:?}");
    }
    let asked = decide(Some(&[]), &shaped(Risk::Carrying), NOW);
    assert_eq!(asked, Verdict::Ask(vec![Decision::AllowOnce, Decision::Deny]));
}

#[test]
fn an_answer_leaves_the_rule_that_it_named() {
    let act = does(PolicyScope::Act, Some("a.example"));
    let left = |decision| remembered(&act, decision, "id".to_owned(), NOW);
    assert!(left(Decision::AllowOnce).is_none() && left(Decision::Deny).is_none());
    assert_eq!(left(Decision::AllowSite).unwrap().site.as_deref(), Some("a.example"));
    assert_eq!(left(Decision::AllowConversation).unwrap().conversation_id, Some(ConversationId::new("c1")));
    let always = left(Decision::AllowAlways).unwrap();
    assert!(always.site.is_none() && always.conversation_id.is_none() && always.until.is_none());
    assert!(remembered(&does(PolicyScope::Act, None), Decision::AllowSite, "id".to_owned(), NOW).is_none());
    assert!(remembered(&request(ActionKind::Read, None), Decision::AllowAlways, "id".to_owned(), NOW).is_none());
}

fn tool(name: &str, fingerprint: &str) -> PolicyTool {
    PolicyTool { name: name.to_owned(), fingerprint: fingerprint.to_owned() }
}

#[test]
fn a_pages_tool_is_allowed_by_a_rule_for_that_very_tool_alone() {
    let calls = |tool: PolicyTool, site| ActionRequest { tool: Some(tool), ..does(PolicyScope::PageTool, Some(site)) };
    let add = calls(tool("add", "1"), "a.example");
    assert_eq!(
        decide(Some(&[]), &add, NOW),
        Verdict::Ask(vec![Decision::AllowOnce, Decision::AllowSite, Decision::Deny])
    );
    let kept = remembered(&add, Decision::AllowSite, "kept".to_owned(), 1).unwrap();
    assert_eq!((kept.site.as_deref(), kept.tool.as_ref()), (Some("a.example"), Some(&tool("add", "1"))));
    let runs = |rule: &PolicyRule, request: &ActionRequest| {
        matches!(decide(Some(std::slice::from_ref(rule)), request, NOW), Verdict::Run(_))
    };
    assert!(runs(&kept, &add));
    for other in [
        calls(tool("add", "2"), "a.example"),
        calls(tool("pay", "1"), "a.example"),
        calls(tool("add", "1"), "b.example"),
        ActionRequest { tool: None, ..add.clone() },
        ActionRequest { risk: Risk::Carrying, ..add.clone() },
        does(PolicyScope::Act, Some("a.example")),
    ] {
        assert!(!runs(&kept, &other), "{other:?}");
    }
    // A rule without a tool, as one may be written into the file, allows none; one that denies keeps all away.
    let every = on("a.example", allow(PolicyScope::PageTool));
    assert!(!runs(&every, &add) && !runs(&allow(PolicyScope::Act), &add) && !runs(&allow(PolicyScope::Control), &add));
    assert!(runs(&PolicyRule { until: Some(NOW + 1), ..allow(PolicyScope::Everything) }, &add));
    let deny = on("a.example", rule(PolicyEffect::Deny, PolicyScope::PageTool));
    assert_eq!(decide(Some(&[kept, deny]), &add, NOW), Verdict::Denied("r".to_owned()));
    assert_eq!(remembered(&ActionRequest { tool: None, ..add }, Decision::AllowSite, "x".to_owned(), 1), None);
}

fn scopes() -> impl Strategy<Value = PolicyScope> {
    prop_oneof![
        Just(PolicyScope::Act),
        Just(PolicyScope::Control),
        Just(PolicyScope::Shell),
        Just(PolicyScope::Write),
        Just(PolicyScope::Download),
        Just(PolicyScope::Upload),
        Just(PolicyScope::Password),
        Just(PolicyScope::PageTool),
        Just(PolicyScope::Everything),
    ]
}

fn sites() -> impl Strategy<Value = Option<String>> {
    prop_oneof![Just(None), Just(Some("a".to_owned())), Just(Some("b".to_owned()))]
}

fn rules() -> impl Strategy<Value = PolicyRule> {
    let conversations = prop_oneof![Just(None), Just(Some("c1")), Just(Some("c2"))];
    let until = prop_oneof![Just(None), (0..2 * NOW).prop_map(Some)];
    (any::<bool>(), scopes(), sites(), conversations, until, 0..2 * NOW).prop_map(
        |(allows, scope, site, conversation, until, made_at)| PolicyRule {
            id: format!("{scope:?}{made_at}"),
            effect: if allows { PolicyEffect::Allow } else { PolicyEffect::Deny },
            scope,
            site,
            browser: None,
            tool: None,
            conversation_id: conversation.map(ConversationId::new),
            until,
            made_at,
        },
    )
}

fn action_requests() -> impl Strategy<Value = ActionRequest> {
    let kinds = prop_oneof![Just(ActionKind::Read), Just(ActionKind::Secret), scopes().prop_map(ActionKind::Does)];
    let risks = prop_oneof![Just(Risk::Plain), Just(Risk::NewSite), Just(Risk::Carrying)];
    (kinds, sites(), risks).prop_map(|(kind, site, risk)| ActionRequest { risk, site, ..request(kind, None) })
}

proptest! {
    #[test]
    fn nothing_but_looking_runs_that_no_rule_allows(request in action_requests(), all in proptest::collection::vec(rules(), 0..6)) {
        if let Verdict::Run(by) = decide(Some(&all), &request, NOW) {
            match by {
                None => prop_assert_eq!(request.kind, ActionKind::Read),
                Some(id) => {
                    let rule = all.iter().find(|rule| rule.id == id).unwrap();
                    prop_assert_eq!(rule.effect, PolicyEffect::Allow);
                    prop_assert!(rule.made_at <= NOW && rule.until.is_none_or(|until| NOW < until));
                    prop_assert!(rule.site.is_none() || rule.site == request.site);
                }
            }
        }
    }

    #[test]
    fn a_no_wins_whatever_else_is_said(request in action_requests(), all in proptest::collection::vec(rules(), 0..6)) {
        let mut all = all;
        all.push(rule(PolicyEffect::Deny, PolicyScope::Everything));
        prop_assert!(!matches!(decide(Some(&all), &request, NOW), Verdict::Run(_) | Verdict::Ask(_)));
    }

    #[test]
    fn a_rule_more_that_allows_never_takes_anything_away(
        request in action_requests(),
        all in proptest::collection::vec(rules(), 0..6),
        more in rules(),
    ) {
        let more = PolicyRule { effect: PolicyEffect::Allow, ..more };
        let before = matches!(decide(Some(&all), &request, NOW), Verdict::Run(_));
        let after: Vec<PolicyRule> = all.into_iter().chain([more]).collect();
        prop_assert!(!before || matches!(decide(Some(&after), &request, NOW), Verdict::Run(_)));
    }

    #[test]
    fn what_has_ended_or_is_not_yet_made_has_no_effect(request in action_requests(), all in proptest::collection::vec(rules(), 0..6)) {
        let held: Vec<PolicyRule> =
            all.iter().filter(|rule| rule.made_at <= NOW && rule.until.is_none_or(|until| NOW < until)).cloned().collect();
        prop_assert_eq!(decide(Some(&all), &request, NOW), decide(Some(&held), &request, NOW));
    }

    #[test]
    fn who_carries_needs_no_less_than_who_does_not(request in action_requests(), all in proptest::collection::vec(rules(), 0..6)) {
        let shaped = |risk| matches!(decide(Some(&all), &ActionRequest { risk, ..request.clone() }, NOW), Verdict::Run(_));
        prop_assert!(!shaped(Risk::Carrying) || shaped(Risk::NewSite));
        prop_assert!(!shaped(Risk::NewSite) || shaped(Risk::Plain));
    }
}
