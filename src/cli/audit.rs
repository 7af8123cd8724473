//! `gstack audit`: the actions that agents requested, and who allowed or denied them.
//!
//! Owns the text of a line.

use super::moment;
use super::terminal::{Terminal, print_line, show, visible_line};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use gstack_client::http::Client;
use gstack_protocol::audit::{AuditBy, AuditEntry, AuditProof, AuditRequest, AuditVerify};
use gstack_protocol::chat::Decision;
use gstack_protocol::fault::{Fault, FaultCode};

pub(super) fn command() -> Command {
    Command::new("audit")
        .about("Show what agents wanted to do and who allowed or denied it")
        .arg(
            Arg::new("lines")
                .short('n')
                .long("lines")
                .value_name("N")
                .default_value("50")
                .value_parser(value_parser!(usize))
                .help("How many of the newest entries to print"),
        )
        .arg(Arg::new("follow").short('f').long("follow").action(ArgAction::SetTrue).help("Keep printing new entries"))
        .arg(
            Arg::new("verify")
                .long("verify")
                .action(ArgAction::SetTrue)
                .conflicts_with_all(["lines", "follow"])
                .help("Check that no line was changed, removed or inserted"),
        )
        .arg(
            Arg::new("head")
                .long("head")
                .value_name("HASH")
                .requires("verify")
                .value_parser(hash)
                .help("With --verify: compare with a hash that --verify printed earlier"),
        )
}

fn hash(typed: &str) -> Result<String, String> {
    let typed = typed.trim().to_ascii_lowercase();
    let is_hash = typed.len() == 64 && typed.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hash { Ok(typed) } else { Err("a hash has 64 digits of 0-9 and a-f".to_owned()) }
}

/// The parsed request: lines or a verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    Lines(AuditRequest),
    Proof(AuditVerify),
}

pub(super) fn parse(matches: &ArgMatches) -> Wanted {
    if matches.get_flag("verify") {
        return Wanted::Proof(AuditVerify { head: matches.get_one("head").cloned() });
    }
    Wanted::Lines(AuditRequest {
        lines: matches.get_one("lines").copied().unwrap_or_default(),
        follow: matches.get_flag("follow"),
    })
}

pub(super) async fn run(client: &Client, wanted: Wanted, json: bool, terminal: Terminal) -> Result<(), Fault> {
    match wanted {
        Wanted::Lines(request) => show_lines(client, request, json, terminal).await,
        Wanted::Proof(verify) => show_proof(client, &verify, json, terminal).await,
    }
}

async fn show_proof(client: &Client, verify: &AuditVerify, json: bool, terminal: Terminal) -> Result<(), Fault> {
    let proof: AuditProof = client.read("/audit/verify", verify).await?;
    if json {
        print_line(&serde_json::to_string(&proof).map_err(|e| Fault::new(FaultCode::Internal, e.to_string()))?);
    } else if proof.sound {
        print_line(&format!("{} {}", terminal.good("✓"), proved(&proof)));
    }
    match proof.trouble {
        None => Ok(()),
        Some(trouble) => {
            Err(Fault::new(FaultCode::Storage, format!("the audit failed verification: {}", visible_line(&trouble)))
                .hint("Compare audit.jsonl and audit.1.jsonl in gstack's home with a backup."))
        }
    }
}

/// Describes what the verification proves, and what it cannot prove.
fn proved(proof: &AuditProof) -> String {
    let mut said = match proof.lines {
        0 => "Nothing has been recorded yet.".to_owned(),
        1 => format!("1 line verified (number {}).", proof.first),
        lines => format!("{lines} lines verified (numbers {} to {}).", proof.first, proof.last),
    };
    if proof.torn > 0 {
        said.push_str(&format!("\n{} cut off by a crash before being recorded.", count(proof.torn)));
    }
    if proof.before_chaining > 0 {
        said.push_str(&format!("\n{} written by an older gstack: nothing proves them.", count(proof.before_chaining)));
    }
    if proof.lines > 0 {
        said.push_str(&format!(
            "\ngstack has kept the end of the audit since {} (number {}): lines that were removed from the end before that are not noticed.\n\
             Newest line: {}\nKeep this hash outside this computer. `gstack audit --verify --head HASH` then also notices if \
             somebody rewrote the whole record: a program that runs as you could.",
            moment::local(proof.since),
            proof.since_number,
            proof.head
        ));
    }
    said
}

fn count(lines: u64) -> String {
    if lines == 1 { "1 line was".to_owned() } else { format!("{lines} lines were") }
}

async fn show_lines(client: &Client, request: AuditRequest, json: bool, terminal: Terminal) -> Result<(), Fault> {
    let mut lines = client.stream("/audit", &request).await?;
    let mut empty = true;
    if json && !request.follow {
        let mut entries = Vec::new();
        while let Some(entry) = lines.next::<AuditEntry>().await? {
            entries.push(entry);
        }
        return show(true, &entries, String::new);
    }
    while let Some(entry) = lines.next::<AuditEntry>().await? {
        empty = false;
        if json {
            print_line(&serde_json::to_string(&entry).map_err(|e| Fault::new(FaultCode::Internal, e.to_string()))?);
        } else {
            print_line(&line(&entry, terminal));
        }
    }
    if empty && !request.follow {
        print_line("No decisions have been recorded yet.");
    }
    Ok(())
}

fn line(entry: &AuditEntry, terminal: Terminal) -> String {
    let mark = if entry.allowed { terminal.good("✓") } else { terminal.bad("✗") };
    let site = entry.site.as_deref().map(|site| format!(" on {}", visible_line(site))).unwrap_or_default();
    let agent = entry.agent.as_ref().map(|agent| format!("  {}", visible_line(agent.as_str()))).unwrap_or_default();
    format!(
        "{}  {mark} {}{site}  {}{}",
        terminal.dim(&moment::local(entry.at)),
        visible_line(&entry.action),
        terminal.dim(&decided(entry)),
        terminal.dim(&agent)
    )
}

/// Formats the decision: `allowed by you in the panel, for this site`
fn decided(entry: &AuditEntry) -> String {
    let word = if entry.allowed { "allowed" } else { "denied" };
    let rule = entry.rule.as_deref().unwrap_or_default();
    let by = match entry.by {
        AuditBy::Default if entry.allowed => "runs without asking".to_owned(),
        AuditBy::Default => "not offered to agents".to_owned(),
        AuditBy::Rule => format!("{word} by rule {rule}"),
        AuditBy::Panel => format!("{word} by you in the panel"),
        AuditBy::Terminal => format!("{word} by you in the terminal"),
        AuditBy::Typed => format!("{word}: you typed it"),
        AuditBy::Link => format!("{word} by you with a link"),
        AuditBy::Connect => format!("{word} by gstack connect"),
        AuditBy::Timeout => format!("{word}: nobody answered in time"),
        AuditBy::Withdrawn => format!("{word}: it was withdrawn"),
    };
    let reach = match entry.answer {
        Some(Decision::AllowSite) => ", for this site",
        Some(Decision::AllowConversation) => ", for this conversation",
        Some(Decision::AllowAlways) => ", always",
        Some(Decision::AllowOnce | Decision::Deny) | None => "",
    };
    format!("{by}{reach} ({})", entry.scope)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_who_decided() {
        let entry = AuditEntry {
            at: 0,
            conversation_id: None,
            agent: None,
            record: None,
            action: "click @e3".to_owned(),
            scope: "act".to_owned(),
            site: None,
            allowed: true,
            by: AuditBy::Panel,
            answer: Some(Decision::AllowSite),
            rule: Some("r1".to_owned()),
        };
        assert_eq!(decided(&entry), "allowed by you in the panel, for this site (act)");
        let ruled = AuditEntry { by: AuditBy::Rule, answer: None, allowed: false, ..entry };
        assert_eq!(decided(&ruled), "denied by rule r1 (act)");
    }
}
