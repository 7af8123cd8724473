//! `gstack audit`: what agents wanted to do, and who decided what about it.
//!
//! Owns the words of a line.

use super::moment;
use super::terminal::{Terminal, clean_line, print_line};
use crate::client::http::Client;
use crate::protocol::audit::{AuditBy, AuditEntry, AuditRequest};
use crate::protocol::chat::Decision;
use crate::protocol::fault::{Fault, FaultCode};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

pub fn command() -> Command {
    Command::new("audit")
        .about("What agents wanted to do and who allowed or denied it")
        .arg(
            Arg::new("lines")
                .short('n')
                .long("lines")
                .value_name("N")
                .default_value("50")
                .value_parser(value_parser!(usize))
                .help("The newest so many"),
        )
        .arg(Arg::new("follow").short('f').long("follow").action(ArgAction::SetTrue).help("Go on with what comes"))
}

pub fn parse(matches: &ArgMatches) -> AuditRequest {
    AuditRequest { lines: matches.get_one("lines").copied().unwrap_or_default(), follow: matches.get_flag("follow") }
}

pub async fn run(client: &Client, request: AuditRequest, json: bool, terminal: Terminal) -> Result<(), Fault> {
    let mut lines = client.stream("/audit", &request).await?;
    let mut empty = true;
    while let Some(entry) = lines.next::<AuditEntry>().await? {
        empty = false;
        if json {
            print_line(&serde_json::to_string(&entry).map_err(|e| Fault::new(FaultCode::Internal, e.to_string()))?);
        } else {
            print_line(&line(&entry, terminal));
        }
    }
    if empty && !json && !request.follow {
        print_line("No agent has wanted anything yet.");
    }
    Ok(())
}

fn line(entry: &AuditEntry, terminal: Terminal) -> String {
    let mark = if entry.allowed { terminal.good("✓") } else { terminal.bad("✗") };
    let site = entry.site.as_deref().map(|site| format!(" on {}", clean_line(site))).unwrap_or_default();
    let agent = entry.agent.as_ref().map(|agent| format!("  {}", clean_line(agent.as_str()))).unwrap_or_default();
    format!(
        "{}  {mark} {}{site}  {}{}",
        terminal.dim(&moment::local(entry.at)),
        clean_line(&entry.action),
        terminal.dim(&decided(entry)),
        terminal.dim(&agent)
    )
}

/// `allowed by you in the panel, for this site`
fn decided(entry: &AuditEntry) -> String {
    let word = if entry.allowed { "allowed" } else { "denied" };
    let rule = entry.rule.as_deref().unwrap_or_default();
    let by = match entry.by {
        AuditBy::Default if entry.allowed => "runs without asking".to_owned(),
        AuditBy::Default => "not offered to agents".to_owned(),
        AuditBy::Rule => format!("{word} by rule {rule}"),
        AuditBy::Panel => format!("{word} by you in the panel"),
        AuditBy::Terminal => format!("{word} by you in the terminal"),
        AuditBy::Timeout => format!("{word}: nobody answered in time"),
        AuditBy::Withdrawn => format!("{word}: it was taken back"),
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
