//! `gstack policy`: shows, adds, removes, explains and tests the rules about what agents may do.
//!
//! Owns the text. The daemon owns the meaning of a rule.

mod everything;
mod expectations;
mod only;

use super::here::Place;
use super::moment;
use super::terminal::{Terminal, clean_line, show};
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use gstack_base::clock::now_millis;
use gstack_client::http::Client;
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::ids::ConversationId;
use gstack_protocol::policy::{
    Policy, PolicyAdd, PolicyBrowser, PolicyEffect, PolicyExplain, PolicyExplained, PolicyRemove, PolicyRisk,
    PolicyRule, PolicyScope, PolicyVerdict,
};
use only::Only;
use std::path::PathBuf;
use std::process::ExitCode;

/// The parsed subcommand. Durations are as they were typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rules {
    List,
    Add {
        effect: PolicyEffect,
        scope: PolicyScope,
        site: Option<String>,
        conversation: Option<String>,
        browser: Option<PolicyBrowser>,
        span: Option<String>,
    },
    Remove {
        id: String,
    },
    Explain(PolicyExplain),
    /// Every action, explained like one.
    ExplainAll(PolicyExplain),
    /// The sites that gstack's own browser may reach.
    Only(Only),
    /// A file of expectations.
    Test {
        file: PathBuf,
    },
}

impl Rules {
    /// Whether the answer depends on the browser in which an action would run.
    pub(super) fn is_about_a_browser(&self) -> bool {
        matches!(self, Self::Explain(_) | Self::ExplainAll(_) | Self::Test { .. })
    }
}

pub(super) fn command() -> Command {
    let scope = || {
        let names = PolicyScope::ALL.iter().map(|scope| scope.name());
        Arg::new("scope")
            .required(true)
            .value_name("SCOPE")
            .value_parser(PossibleValuesParser::new(names))
            .help("What the rule covers")
    };
    let option = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    let place = |command: Command| {
        command.arg(option("site", "HOST", "Only on this site")).arg(option(
            "conversation",
            "ID",
            "Only in this conversation",
        ))
    };
    let kind = |command: Command| {
        command.arg(
            option("in", "KIND", "Only in this kind of browser (default: the one in use; for deny: every kind)")
                .value_parser(PossibleValuesParser::new(PolicyBrowser::ALL.map(PolicyBrowser::name))),
        )
    };
    Command::new("policy")
        .about("List and change the rules about what agents may do without asking")
        .subcommand(Command::new("list").about("List every rule (the default)"))
        .subcommand(
            kind(place(Command::new("allow").about("Allow agents to do this without asking"))).arg(scope()).arg(option(
                "for",
                "SPAN",
                "How long the rule lasts: 90m, 2h, 1d",
            )),
        )
        .subcommand(
            kind(place(Command::new("deny").about("Never let agents do this; overrides rules that allow it")))
                .arg(scope())
                .arg(option("for", "SPAN", "How long the rule lasts: 90m, 2h, 1d")),
        )
        .subcommand(
            kind(place(Command::new("unattended").about("Let agents do everything without asking, for a limited time")))
                .arg(Arg::new("span").required(true).value_name("SPAN").help("For how long: 90m, 2h, 1d")),
        )
        .subcommand(
            Command::new("remove")
                .about("Remove a rule")
                .arg(Arg::new("id").required(true).value_name("ID").help("The rule's id, as `gstack policy list` shows it")),
        )
        .subcommand(
            place(Command::new("explain").about(
                "Say whether an action would run in this folder, and what decides: your rules, its project's or the allow-list",
            ))
                .arg(
                    Arg::new("what")
                        .value_name("ACTION")
                        .help("A browser command, a scope as in `policy allow`, or look. Without one, all of them"),
                )
                .arg(
                    option("risk", "RISK", "How the action reaches beyond its page")
                        .value_parser(PossibleValuesParser::new(PolicyRisk::ALL.map(PolicyRisk::name))),
                ),
        )
        .subcommand(
            Command::new("only")
                .about("Limit gstack's own browser to certain sites, for every driver. An open browser follows a new list at once, but never reaches more than the list it was opened with")
                .arg(
                    Arg::new("sites")
                        .value_name("SITE")
                        .num_args(1..)
                        .value_delimiter(',')
                        .help("Hosts: shop.example, *.shop.example, localhost:3000. Without any, shows the list"),
                )
                .arg(
                    Arg::new("site")
                        .long("site")
                        .value_name("SITE")
                        .action(ArgAction::Append)
                        .value_delimiter(',')
                        .help("A site, as SITE; can be repeated"),
                )
                .arg(
                    Arg::new("off")
                        .long("off")
                        .action(ArgAction::SetTrue)
                        .conflicts_with_all(["sites", "site"])
                        .help("Allow every site again"),
                ),
        )
        .subcommand(
            Command::new("test")
                .about("Check your rules and those of this folder's project against a file of expectations; exits with 1 if one is not met")
                .arg(
                    Arg::new("file")
                        .required(true)
                        .value_name("FILE")
                        .value_parser(clap::value_parser!(PathBuf))
                        .help("TOML: [[expect]] with action and verdict, and optionally site, conversation and risk"),
                ),
        )
}

pub(super) fn parse(matches: &ArgMatches) -> Rules {
    let Some((word, matches)) = matches.subcommand() else { return Rules::List };
    let text = |name: &str| matches.try_get_one::<String>(name).ok().flatten().cloned();
    let add = |effect, scope, span| Rules::Add {
        effect,
        scope,
        site: text("site"),
        conversation: text("conversation"),
        browser: text("in").and_then(|name| PolicyBrowser::ALL.into_iter().find(|kind| kind.name() == name)),
        span,
    };
    let scope = || {
        let name = text("scope").unwrap_or_default();
        PolicyScope::ALL.into_iter().find(|scope| scope.name() == name).unwrap_or(PolicyScope::Act)
    };
    match word {
        "allow" => add(PolicyEffect::Allow, scope(), text("for")),
        "deny" => add(PolicyEffect::Deny, scope(), text("for")),
        "unattended" => add(PolicyEffect::Allow, PolicyScope::Everything, text("span")),
        "remove" => Rules::Remove { id: text("id").unwrap_or_default() },
        "explain" => {
            let asked = PolicyExplain {
                what: text("what").unwrap_or_default(),
                site: text("site"),
                conversation_id: text("conversation").map(ConversationId::new),
                folder: None,
                risk: text("risk").and_then(|name| PolicyRisk::ALL.into_iter().find(|risk| risk.name() == name)),
                tab_id: None,
                browser: None,
            };
            if matches.contains_id("what") { Rules::Explain(asked) } else { Rules::ExplainAll(asked) }
        }
        "only" if matches.get_flag("off") => Rules::Only(Only::Off),
        "only" => {
            let named = ["sites", "site"].into_iter().filter_map(|name| matches.get_many::<String>(name));
            let named: Vec<_> = named.collect();
            Rules::Only(match named.is_empty() {
                false => Only::Set(named.into_iter().flatten().map(|site| site.trim().to_owned()).collect()),
                true => Only::Show,
            })
        }
        "test" => {
            Rules::Test { file: matches.try_get_one::<PathBuf>("file").ok().flatten().cloned().unwrap_or_default() }
        }
        _ => Rules::List,
    }
}

/// `place`: the tab and the browser that explanations are about, if they were named.
pub(super) async fn run(
    client: &Client,
    wanted: Rules,
    (tab_id, browser): Place,
    json: bool,
    terminal: Terminal,
) -> Result<ExitCode, Fault> {
    let policy: Policy = match wanted {
        Rules::List => client.get("/policy").await?,
        Rules::Explain(asked) => {
            let asked = PolicyExplain { folder: here(), tab_id, browser, ..asked };
            let found: PolicyExplained = client.post("/policy/explain", &asked).await?;
            show(json, &found, || explanation(&found, terminal))?;
            return Ok(ExitCode::SUCCESS);
        }
        Rules::ExplainAll(asked) => {
            everything::run(client, PolicyExplain { tab_id, browser, ..asked }, json, terminal).await?;
            return Ok(ExitCode::SUCCESS);
        }
        Rules::Only(wanted) => {
            only::run(client, wanted, json).await?;
            return Ok(ExitCode::SUCCESS);
        }
        Rules::Test { file } => return expectations::check(client, &file, (tab_id, browser), json, terminal).await,
        Rules::Remove { id } => client.post("/policy/remove", &PolicyRemove { id }).await?,
        Rules::Add { effect, scope, site, conversation, browser, span } => {
            let until = span.as_deref().map(end_of).transpose()?;
            let conversation_id = conversation.map(ConversationId::new);
            client.post("/policy/add", &PolicyAdd { effect, scope, site, conversation_id, browser, until }).await?
        }
    };
    show(json, &policy, || {
        if policy.rules.is_empty() {
            return "No rules: agents look without asking, and ask before anything else.".to_owned();
        }
        let lines: Vec<String> = policy.rules.iter().map(|rule| line(rule, terminal)).collect();
        lines.join("\n")
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the folder whose project narrows the rules.
fn here() -> Option<String> {
    std::env::current_dir().ok()?.into_os_string().into_string().ok()
}

fn end_of(span: &str) -> Result<u64, Fault> {
    let length = moment::span(span).ok_or_else(|| {
        Fault::new(FaultCode::BadRequest, format!("{span:?} is not a duration"))
            .hint("Write it as 90m, 2h, 1h30m or 1d.")
    })?;
    Ok(now_millis().saturating_add(length))
}

fn line(rule: &PolicyRule, terminal: Terminal) -> String {
    let effect = match rule.effect {
        PolicyEffect::Allow => terminal.good("allow"),
        PolicyEffect::Deny => terminal.bad("deny "),
    };
    let site = rule.site.as_deref().map(|site| format!(" on {}", clean_line(site))).unwrap_or_default();
    let tool = rule.tool.as_ref().map(|tool| format!(" {}", clean_line(&tool.name))).unwrap_or_default();
    let conversation = rule.conversation_id.as_ref().map(|id| format!(" in conversation {id}")).unwrap_or_default();
    let browser = rule.browser.map(|kind| format!(" {}", kind.place())).unwrap_or_default();
    let until = rule.until.map(|until| format!(" until {}", moment::local(until))).unwrap_or_default();
    let everywhere = if rule.site.is_none() && rule.conversation_id.is_none() { " everywhere" } else { "" };
    format!("{}  {effect} {}{tool}{site}{conversation}{everywhere}{browser}{until}", rule.id, rule.scope.name())
}

/// Formats an explanation: the verdict with its reason, then the rule that decides, then every other rule and why it
/// does not apply.
fn explanation(found: &PolicyExplained, terminal: Terminal) -> String {
    let mut lines = vec![format!("{} {}", verdict(found.verdict, terminal), found.why)];
    lines.extend(found.rule.iter().map(|rule| format!("  {}", line(rule, terminal))));
    if !found.others.is_empty() {
        lines.push("Other rules:".to_owned());
    }
    lines.extend(found.others.iter().map(|other| format!("  {}: {}", line(&other.rule, terminal), other.why)));
    lines.join("\n")
}

fn verdict(verdict: PolicyVerdict, terminal: Terminal) -> String {
    match verdict {
        PolicyVerdict::Runs => terminal.good("Runs without asking."),
        PolicyVerdict::Asks => "Asks you first.".to_owned(),
        PolicyVerdict::Refused => terminal.bad("Refused."),
        PolicyVerdict::NotOffered => terminal.bad("Not offered to agents."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_said_in_words() {
        let parsed = |line: &[&str]| command().try_get_matches_from(line).map(|matches| parse(&matches));
        assert_eq!(parsed(&["policy"]).unwrap(), Rules::List);
        let added = parsed(&["policy", "allow", "act", "--site", "a.example", "--for", "2h"]).unwrap();
        assert!(matches!(
            added,
            Rules::Add { effect: PolicyEffect::Allow, scope: PolicyScope::Act, site: Some(site), span: Some(span), browser: None, .. }
                if site == "a.example" && span == "2h"
        ));
        let there = parsed(&["policy", "allow", "act", "--in", "everyday"]).unwrap();
        assert!(matches!(there, Rules::Add { browser: Some(PolicyBrowser::Everyday), .. }));
        assert!(parsed(&["policy", "allow", "act", "--in", "any"]).is_err());
        let away = parsed(&["policy", "unattended", "90m"]).unwrap();
        assert!(matches!(away, Rules::Add { scope: PolicyScope::Everything, span: Some(span), .. } if span == "90m"));
        assert_eq!(parsed(&["policy", "only"]).unwrap(), Rules::Only(Only::Show));
        let only = parsed(&["policy", "only", "a.example,*.a.example", "localhost"]).unwrap();
        let sites = ["a.example", "*.a.example", "localhost"].map(str::to_owned).to_vec();
        assert_eq!(only, Rules::Only(Only::Set(sites)));
        let same = parsed(&["policy", "only", "a.example", "--site", "*.a.example", "--site", "localhost"]).unwrap();
        assert_eq!(same, only);
        assert_eq!(parsed(&["policy", "only", "--off"]).unwrap(), Rules::Only(Only::Off));
        assert!(parsed(&["policy", "only", "--off", "--site", "a.example"]).is_err());
        assert!(matches!(parsed(&["policy", "explain"]).unwrap(), Rules::ExplainAll(_)));
        assert!(matches!(parsed(&["policy", "explain", "act"]).unwrap(), Rules::Explain(asked) if asked.what == "act"));
        assert!(parsed(&["policy", "only", "--off", "a.example"]).is_err());
        assert!(parsed(&["policy", "allow", "anything"]).is_err());
        assert!(parsed(&["policy", "unattended"]).is_err());
        assert!(end_of("soon").is_err() && end_of("1h").unwrap() > now_millis());
    }
}
