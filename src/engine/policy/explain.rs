//! Explains how the rules would decide about an action, and why each rule applies or not.
//!
//! Owns the text. Never decides: `rules` does, with the same function that judges an agent's calls.

use super::action_request::{ActionKind, ActionRequest, Risk};
use super::error::PolicyError;
use super::project::{self, Narrowed, ProjectFault, ProjectRules};
use super::requests::site_name;
use super::rules::{NotCovered, Verdict, decide, why_not_covered};
use super::service::PolicyService;
use gstack_base::browser_names::BrowserName;
use gstack_base::clock::now_millis;
use gstack_base::mutex::lock;
use gstack_base::site_limits::SiteLimits;
use gstack_base::visible::visible;
use gstack_command::registry;
use gstack_protocol::basics::Millis;
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::ConversationId;
use gstack_protocol::policy::{
    PolicyBrowser, PolicyEffect, PolicyExplain, PolicyExplained, PolicyPassedOver, PolicyRisk, PolicyRule, PolicyScope,
    PolicyVerdict,
};
use url::Url;

impl PolicyService {
    /// Explains how this action would be decided now.
    ///
    /// # Errors
    /// `BadRequest` if the action or the site is not valid; `NotFound` if the conversation does not exist.
    pub(crate) fn explain(
        &self,
        asked: &PolicyExplain,
        limits: &SiteLimits,
        (browser, of): (&BrowserName, PolicyBrowser),
    ) -> Result<PolicyExplained, Fault> {
        let kind = kind_of(&asked.what)?;
        let folder = match &asked.conversation_id {
            Some(id) => Some(self.0.store.get(id).map_err(|error| error.fault())?.info().folder),
            None => asked.folder.clone(),
        };
        let project = folder.map_or_else(|| Ok(ProjectRules::default()), |folder| self.project_rules(&folder));
        let request = ActionRequest {
            // An empty id matches no rule, so rules for one conversation are skipped.
            conversation_id: asked.conversation_id.clone().unwrap_or_else(|| ConversationId::new(String::new())),
            kind,
            site: asked.site.as_deref().map(site_name).transpose()?,
            tool: None,
            browser: is_in_browser(kind).then_some(of),
            risk: asked.risk.map_or(Risk::Plain, risk_of),
        };
        let now = now_millis();
        let rules = lock(&self.0.rules).in_force(now);
        let verdict = decide(rules.as_deref().ok(), &request, now);
        let found = narrowed(explained(rules.as_deref().ok(), &request, now), verdict, project.as_ref(), &request);
        Ok(limited(found, limits, browser, &request))
    }
}

fn is_in_browser(kind: ActionKind) -> bool {
    !matches!(kind, ActionKind::Does(PolicyScope::Shell | PolicyScope::Write))
}

/// Applies the allow-list, which decides before every rule about actions in a browser.
fn limited(
    found: PolicyExplained,
    limits: &SiteLimits,
    browser: &BrowserName,
    request: &ActionRequest,
) -> PolicyExplained {
    let is_limited = is_in_browser(request.kind)
        && !matches!(request.kind, ActionKind::Secret | ActionKind::Does(PolicyScope::Everything));
    let urls = request.site.as_deref().filter(|_| is_limited).map(addresses_of).unwrap_or_default();
    let refusing: Option<Vec<_>> = urls.iter().map(|url| limits.refusing(url)).collect();
    let Some(&sites) = refusing.as_deref().and_then(|lists| lists.first()) else { return found };
    let why = match *sites == limits.configured {
        true => "The allow-list leaves this site out".to_owned(),
        false => {
            let named = if browser.is_main() { String::new() } else { format!(" --browser {browser}") };
            format!(
                "The open browser still has an allow-list that leaves this site out, until `gstack disconnect{named}`"
            )
        }
    };
    let overruled = "the allow-list decides first".to_owned();
    let theirs = found.rule.into_iter().map(|rule| PolicyPassedOver { rule, why: overruled.clone() });
    PolicyExplained {
        verdict: PolicyVerdict::Refused,
        why: format!("{why}: gstack policy only {sites}."),
        choices: Vec::new(),
        rule: None,
        only_sites: Some(sites.to_string()),
        others: theirs.chain(found.others).collect(),
        scope: found.scope,
    }
}

/// Returns the addresses of a site: a host without a port is that of `http:` and of `https:`.
fn addresses_of(site: &str) -> Vec<Url> {
    ["http", "https"].iter().filter_map(|scheme| Url::parse(&format!("{scheme}://{site}/")).ok()).collect()
}

/// Adds what the project's file makes of the verdict.
fn narrowed(
    found: PolicyExplained,
    verdict: Verdict,
    project: Result<&ProjectRules, &ProjectFault>,
    request: &ActionRequest,
) -> PolicyExplained {
    let (verdict, choices, why) = match project::narrow(verdict, project, request) {
        Narrowed::Unchanged(_) => return found,
        Narrowed::Asks(rule) => {
            let why = format!("A rule of the project asks about it each time ({rule}).");
            (PolicyVerdict::Asks, project::choices(), why)
        }
        Narrowed::Denied(rule) => {
            (PolicyVerdict::Refused, Vec::new(), format!("A rule of the project denies it ({rule})."))
        }
        Narrowed::Unusable(ProjectFault { file, why }) => {
            let file = visible(&file.display().to_string());
            let why = format!("{file} is not usable, so agents may only look there: {}.", visible(&why));
            (PolicyVerdict::Refused, Vec::new(), why)
        }
    };
    let overruled = "it would allow this, but the project narrows it".to_owned();
    let theirs = found.rule.into_iter().map(|rule| PolicyPassedOver { rule, why: overruled.clone() });
    let others = theirs.chain(found.others).collect();
    PolicyExplained { verdict, why, choices, rule: None, only_sites: None, others, scope: found.scope }
}

/// Builds the explanation. `rules` are those in force, newest first, or `None` if they cannot be read.
fn explained(rules: Option<&[PolicyRule]>, request: &ActionRequest, now: Millis) -> PolicyExplained {
    let verdict = decide(rules, request, now);
    let held = rules.unwrap_or_default();
    let by_id = |id: &str| held.iter().find(|rule| rule.id == id).cloned();
    let mut choices = Vec::new();
    let (verdict, rule, why) = match verdict {
        Verdict::Run(Some(id)) => (PolicyVerdict::Runs, by_id(&id), "This rule allows it."),
        Verdict::Run(None) => (PolicyVerdict::Runs, None, "Agents may look without asking."),
        Verdict::Denied(id) => (
            PolicyVerdict::Refused,
            by_id(&id),
            "This rule denies it, and a rule that denies overrides every rule that allows.",
        ),
        Verdict::NotOffered => (
            PolicyVerdict::NotOffered,
            None,
            "It is in the class secret: it is not offered to agents, and no rule can allow it.",
        ),
        Verdict::Ask(answers) => {
            choices = answers;
            let why = if rules.is_some() { "No rule covers it." } else { "The rules can't be read, so you are asked." };
            (PolicyVerdict::Asks, None, why)
        }
    };
    let decides = |other: &&PolicyRule| rule.as_ref().is_none_or(|rule| rule.id != other.id);
    let others = held
        .iter()
        .filter(decides)
        .map(|other| PolicyPassedOver { why: why_not(other, request).to_owned(), rule: other.clone() });
    let scope = match request.kind {
        ActionKind::Does(scope) => Some(scope),
        ActionKind::Read | ActionKind::Secret => None,
    };
    PolicyExplained { verdict, scope, why: why.to_owned(), others: others.collect(), rule, only_sites: None, choices }
}

/// Returns the reason why a rule in force does not apply.
fn why_not(rule: &PolicyRule, request: &ActionRequest) -> &'static str {
    if request.kind == ActionKind::Secret {
        return "no rule applies to the class secret";
    }
    match why_not_covered(rule, request) {
        None if rule.effect == PolicyEffect::Allow => "it would allow this, but another rule takes precedence",
        None => "it also denies this",
        Some(NotCovered::LookingIsFree) => "looking needs no rule",
        Some(NotCovered::OtherScope) => "it covers something else",
        Some(NotCovered::OtherSite) if request.site.is_none() => "it is for one site only, and no site is given",
        Some(NotCovered::OtherSite) => "it is for another site",
        Some(NotCovered::OtherBrowser) if rule.browser.is_none() => {
            "it is from before rules named the kind of browser: your next answer replaces it"
        }
        Some(NotCovered::OtherBrowser) => "it is for another kind of browser",
        Some(NotCovered::OtherTool) => "it is for one sign-in, or for one tool of a page as the page described it then",
        Some(NotCovered::OtherConversation) => "it is for one conversation only, not for this one",
        Some(NotCovered::TooNarrow(Risk::NewSite)) => {
            "the page would lead to another site: only a rule for that site, or one for every site and conversation, allows that"
        }
        Some(NotCovered::TooNarrow(Risk::Carrying)) => {
            "it could send data that was read on another site: only a rule for every site and conversation allows that"
        }
        Some(NotCovered::TooNarrow(Risk::ReadsSecret)) => "no rule can allow reading a password that gstack filled in",
        Some(NotCovered::TooNarrow(_)) => "only a rule that allows everything covers that",
    }
}

fn kind_of(what: &str) -> Result<ActionKind, PolicyError> {
    if what == "look" {
        return Ok(ActionKind::Read);
    }
    if let Some(scope) = PolicyScope::ALL.into_iter().find(|scope| scope.name() == what) {
        return Ok(ActionKind::Does(scope));
    }
    if let Some(spec) = registry::find(what) {
        return Ok(ActionKind::of(spec.class));
    }
    Err(PolicyError::NotAnAction(what.to_owned()))
}

fn risk_of(risk: PolicyRisk) -> Risk {
    match risk {
        PolicyRisk::NewSite => Risk::NewSite,
        PolicyRisk::Carries => Risk::Carrying,
        PolicyRisk::ClosesTab => Risk::ClosesTheirs,
        PolicyRisk::AnswersDialog => Risk::AnswersDialog,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gstack_base::site_list::SiteList;

    #[test]
    fn the_allow_list_decides_before_every_rule() {
        let list = |text: &str| SiteList::parse(text).unwrap();
        let of = |kind, site: Option<&str>, limits: &SiteLimits| {
            let site = site.map(str::to_owned);
            let id = ConversationId::new(String::new());
            let request =
                ActionRequest { conversation_id: id, kind, site, browser: None, tool: None, risk: Risk::Plain };
            limited(explained(Some(&[]), &request, 0), limits, &BrowserName::default(), &request)
        };
        let limits = SiteLimits { configured: list("a.example, localhost:81"), open: list("a.example:443, localhost") };
        let refused = of(ActionKind::Read, Some("b.example"), &limits);
        assert_eq!(refused.verdict, PolicyVerdict::Refused);
        assert_eq!(refused.only_sites.as_deref(), Some("a.example, localhost:81"));
        assert!(refused.why.contains("gstack policy only a.example, localhost:81"), "{}", refused.why);
        let still = of(ActionKind::Read, Some("a.example:8443"), &limits);
        assert!(still.verdict == PolicyVerdict::Refused && still.why.contains("open browser"), "{}", still.why);
        for (kind, site) in [
            (ActionKind::Read, Some("a.example")),
            (ActionKind::Read, Some("localhost:81")),
            (ActionKind::Read, None),
            (ActionKind::Does(PolicyScope::Shell), Some("b.example")),
            (ActionKind::Secret, Some("b.example")),
        ] {
            assert_eq!(of(kind, site, &limits).only_sites, None, "{kind:?} {site:?}");
        }
        assert_eq!(of(ActionKind::Read, Some("localhost"), &limits).verdict, PolicyVerdict::Refused);
        assert_eq!(of(ActionKind::Read, Some("b.example"), &SiteLimits::default()).verdict, PolicyVerdict::Runs);
    }

    fn rule(id: &str, effect: PolicyEffect, scope: PolicyScope, site: Option<&str>) -> PolicyRule {
        PolicyRule {
            id: id.to_owned(),
            effect,
            scope,
            site: site.map(str::to_owned),
            tool: None,
            browser: None,
            conversation_id: None,
            until: None,
            made_at: 0,
        }
    }

    fn action(kind: ActionKind, site: Option<&str>, risk: Risk) -> ActionRequest {
        ActionRequest {
            conversation_id: ConversationId::new("c".to_owned()),
            kind,
            site: site.map(str::to_owned),
            tool: None,
            browser: None,
            risk,
        }
    }

    #[test]
    fn every_rule_is_said_to_decide_or_why_it_does_not() {
        let act = ActionKind::of(gstack_command::Class::Act);
        let rules = [
            rule("a", PolicyEffect::Allow, PolicyScope::Act, Some("shop.example")),
            rule("b", PolicyEffect::Allow, PolicyScope::Act, None),
            rule("c", PolicyEffect::Deny, PolicyScope::Act, Some("bank.example")),
            rule("d", PolicyEffect::Allow, PolicyScope::Submit, None),
        ];
        let of = |site, risk| explained(Some(&rules), &action(act, Some(site), risk), 1);
        let others = |found: &PolicyExplained| -> Vec<String> {
            found.others.iter().map(|other| format!("{}: {}", other.rule.id, other.why)).collect()
        };
        let bank = of("bank.example", Risk::Plain);
        assert_eq!(
            (bank.verdict, bank.rule.as_ref().map(|rule| rule.id.as_str())),
            (PolicyVerdict::Refused, Some("c"))
        );
        assert_eq!(
            others(&bank),
            [
                "a: it is for another site",
                "b: it would allow this, but another rule takes precedence",
                "d: it covers something else"
            ]
        );
        let shop = of("shop.example", Risk::Carrying);
        assert_eq!((shop.verdict, shop.rule.as_ref().map(|rule| rule.id.as_str())), (PolicyVerdict::Runs, Some("b")));
        assert!(others(&shop)[0].contains("read on another site"), "{shop:?}");
        let closes = of("shop.example", Risk::ClosesTheirs);
        assert_eq!(closes.verdict, PolicyVerdict::Asks);
        assert!(!closes.choices.is_empty() && closes.others.len() == 4, "{closes:?}");
    }

    #[test]
    fn what_no_rule_decides_says_so() {
        let found = |rules, kind| explained(rules, &action(kind, None, Risk::Plain), 1);
        assert_eq!(found(Some(&[]), ActionKind::Read).verdict, PolicyVerdict::Runs);
        assert_eq!(found(Some(&[]), ActionKind::Secret).verdict, PolicyVerdict::NotOffered);
        let unreadable = found(None, ActionKind::Read);
        assert_eq!(unreadable.verdict, PolicyVerdict::Asks);
        assert!(unreadable.why.contains("can't be read"), "{unreadable:?}");
    }

    #[test]
    fn an_action_is_a_command_or_what_a_rule_covers() {
        assert_eq!(kind_of("look").unwrap(), ActionKind::Read);
        assert_eq!(kind_of("shell").unwrap(), ActionKind::Does(PolicyScope::Shell));
        assert_eq!(kind_of("click").unwrap(), ActionKind::Does(PolicyScope::Act));
        assert_eq!(kind_of("snapshot").unwrap(), ActionKind::Read);
        assert_eq!(kind_of("cookies").unwrap(), ActionKind::Secret);
        assert!(Fault::from(kind_of("nonsense").unwrap_err()).hint.unwrap().starts_with("Use look, act, submit"));
    }
}
