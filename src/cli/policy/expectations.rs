//! `gstack policy test`: compares a file of expected verdicts with those that the rules give.
//!
//! Owns the format of the file. Asks the daemon for every verdict, so the test uses the same code that judges agents.

use super::super::here::Place;
use super::super::terminal::{Terminal, clean_line, show};
use gstack_client::http::Client;
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::ids::ConversationId;
use gstack_protocol::policy::{PolicyExplain, PolicyExplained, PolicyRisk, PolicyVerdict};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::process::ExitCode;

/// The id of the allow-list, which decides like a rule.
const ALLOW_LIST: &str = "policy only";

/// The limit of expectations in one file.
const MOST: usize = 1000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    expect: Vec<Expectation>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expectation {
    /// In the format of `policy explain`.
    action: String,
    verdict: PolicyVerdict,
    site: Option<String>,
    conversation: Option<String>,
    risk: Option<PolicyRisk>,
}

/// The result of one expectation, for `--json`.
#[derive(Debug, Serialize)]
struct Checked {
    action: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    site: Option<String>,
    expected: PolicyVerdict,
    found: PolicyVerdict,
    holds: bool,
    /// The reason for the verdict.
    why: String,
    /// The rule that decides, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<String>,
}

/// Checks every expectation and prints each result.
///
/// # Errors
/// `BadRequest`: the file cannot be read or parsed; `Conflict`: an expectation does not hold, unless `json` is set: the exit
/// code says so then.
pub(super) async fn check(
    client: &Client,
    path: &Path,
    (tab_id, browser): Place,
    json: bool,
    terminal: Terminal,
) -> Result<ExitCode, Fault> {
    let mut checked = Vec::new();
    for (number, expected) in read(path)?.into_iter().enumerate() {
        let asked = PolicyExplain {
            what: expected.action.clone(),
            site: expected.site.clone(),
            conversation_id: expected.conversation.clone().map(ConversationId::new),
            risk: expected.risk,
            folder: super::here(),
            tab_id,
            browser: browser.clone(),
        };
        let found: PolicyExplained = client.post("/policy/explain", &asked).await.map_err(|mut fault: Fault| {
            fault.message = format!("expectation {} of {}: {}", number + 1, path.display(), fault.message);
            fault
        })?;
        checked.push(Checked {
            action: expected.action,
            site: expected.site,
            expected: expected.verdict,
            found: found.verdict,
            holds: found.verdict == expected.verdict,
            why: found.why,
            rule: found.rule.map(|rule| rule.id).or_else(|| found.only_sites.map(|_| ALLOW_LIST.to_owned())),
        });
    }
    let failed = checked.iter().filter(|one| !one.holds).count();
    show(json, &checked, || checked.iter().map(|one| said(one, terminal)).collect::<Vec<_>>().join("\n"))?;
    if failed == 0 {
        return Ok(ExitCode::SUCCESS);
    }
    // The answer is one document, and it says which ones do not hold.
    if json {
        return Ok(ExitCode::FAILURE);
    }
    let fault = Fault::new(FaultCode::Conflict, format!("expectations not met: {failed} of {}", checked.len()));
    Err(fault.hint("`gstack policy explain` says which rule decides; `gstack policy` changes the rules."))
}

fn read(path: &Path) -> Result<Vec<Expectation>, Fault> {
    let bad = |what: String| {
        Fault::new(FaultCode::BadRequest, format!("{}: {what}", path.display()))
            .hint("Write one [[expect]] for each expectation, with action = \"click\" and verdict = \"asks\"; site, conversation and risk may follow.")
    };
    let text = std::fs::read_to_string(path).map_err(|error| bad(error.to_string()))?;
    let file: File = toml::from_str(&text).map_err(|error| bad(error.to_string().trim_end().to_owned()))?;
    match file.expect.len() {
        0 => Err(bad("it contains no expectations".to_owned())),
        count if count > MOST => Err(bad(format!("it contains {count} expectations; the limit is {MOST}"))),
        _ => Ok(file.expect),
    }
}

fn said(one: &Checked, terminal: Terminal) -> String {
    let action = clean_line(&one.action);
    let site = one.site.as_deref().map(|site| format!(" on {}", clean_line(site))).unwrap_or_default();
    if one.holds {
        return format!("{} {action}{site}: {}", terminal.good("✓"), one.found.name());
    }
    let rule = one.rule.as_deref().map(|id| format!(" ({id})")).unwrap_or_default();
    let (found, expected) = (one.found.name(), one.expected.name());
    format!("{} {action}{site}: {found}, expected {expected}. {}{rule}", terminal.bad("✗"), one.why)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Vec<Expectation>, Fault> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("expected.toml");
        std::fs::write(&path, text).unwrap();
        read(&path)
    }

    #[test]
    fn a_file_of_expectations_is_read_or_says_what_is_wrong() {
        let whole = "[[expect]]\naction = \"click\"\nsite = \"shop.example\"\nrisk = \"carries\"\nverdict = \"asks\"\n";
        assert_eq!(of(whole).unwrap().len(), 1);
        for (text, words) in [
            ("", "contains no expectations"),
            ("[[expect]]\naction = \"click\"\n", "verdict"),
            ("[[expect]]\naction = \"click\"\nverdict = \"maybe\"\n", "maybe"),
            ("[[expect]]\naction = \"click\"\nverdict = \"runs\"\nsites = \"a\"\n", "sites"),
            ("not toml", "expected"),
        ] {
            let fault = of(text).unwrap_err();
            assert!(fault.code == FaultCode::BadRequest && fault.message.contains(words), "{text}: {fault}");
        }
        assert!(read(Path::new("/nowhere/expected.toml")).unwrap_err().message.starts_with("/nowhere/expected.toml: "));
    }
}
