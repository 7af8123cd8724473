//! `gstack policy explain` without an action: explains all of them.
//!
//! Owns the table. Asks the daemon about every action, so the table uses the same code that judges agents.

use super::super::terminal::{Terminal, clean_line, show};
use super::{line, verdict};
use gstack_client::http::Client;
use gstack_command::registry;
use gstack_protocol::fault::Fault;
use gstack_protocol::policy::{PolicyExplain, PolicyExplained, PolicyScope};
use serde::Serialize;

/// The explanation of one action, for `--json`.
#[derive(Debug, Serialize)]
struct Row {
    /// As in `policy explain ACTION`.
    action: String,
    explained: PolicyExplained,
}

/// # Errors
/// `BadRequest` if the site is not valid; `NotFound` if the conversation does not exist.
pub(super) async fn run(client: &Client, asked: PolicyExplain, json: bool, terminal: Terminal) -> Result<(), Fault> {
    let mut rows = Vec::new();
    for action in actions() {
        let asked = PolicyExplain { what: action.to_owned(), folder: super::here(), ..asked.clone() };
        let explained = client.post("/policy/explain", &asked).await?;
        rows.push(Row { action: action.to_owned(), explained });
    }
    show(json, &rows, || table(&rows, terminal))
}

/// Returns every action: looking, the scopes of rules, and the browser's commands.
fn actions() -> impl Iterator<Item = &'static str> {
    let scopes = PolicyScope::ALL.into_iter().map(PolicyScope::name);
    let commands = registry::all().iter().map(|spec| spec.name);
    let mut seen = std::collections::BTreeSet::new();
    ["look"].into_iter().chain(scopes).chain(commands).filter(move |name| seen.insert(*name))
}

/// Formats the rows. Actions with the same explanation are grouped.
fn table(rows: &[Row], terminal: Terminal) -> String {
    let mut groups: Vec<(&PolicyExplained, Vec<&str>)> = Vec::new();
    for Row { action, explained: found } in rows {
        let same = |other: &PolicyExplained| {
            (other.verdict, other.scope, &other.why, &other.rule)
                == (found.verdict, found.scope, &found.why, &found.rule)
        };
        match groups.iter_mut().find(|(other, _)| same(other)) {
            Some((_, actions)) => actions.push(action),
            None => groups.push((found, vec![action])),
        }
    }
    let said = |(found, actions): &(&PolicyExplained, Vec<&str>)| {
        let mut lines = vec![
            clean_line(&actions.join(", ")),
            format!("  {} {}", verdict(found.verdict, terminal), clean_line(&found.why)),
        ];
        lines.extend(found.rule.iter().map(|rule| format!("  {}", line(rule, terminal))));
        lines.join("\n")
    };
    groups.iter().map(said).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use gstack_protocol::policy::PolicyVerdict;

    #[test]
    fn actions_with_the_same_explanation_are_grouped() {
        let row = |action: &str, verdict, why: &str| {
            let explained = PolicyExplained {
                verdict,
                scope: None,
                why: why.to_owned(),
                rule: None,
                only_sites: None,
                choices: Vec::new(),
                others: Vec::new(),
            };
            Row { action: action.to_owned(), explained }
        };
        let rows = [
            row("look", PolicyVerdict::Runs, "Agents may look."),
            row("act", PolicyVerdict::Asks, "No rule covers it."),
            row("text", PolicyVerdict::Runs, "Agents may look."),
        ];
        let said = "look, text\n  Runs without asking. Agents may look.\nact\n  Asks you first. No rule covers it.";
        assert_eq!(table(&rows, Terminal::PLAIN), said);
        let all: Vec<_> = actions().collect();
        assert!(["look", "shell", "click", "js"].iter().all(|name| all.iter().filter(|one| one == &name).count() == 1));
    }
}
