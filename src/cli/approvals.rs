//! `gstack approvals`: what agents wait to be allowed, listed, watched and answered.
//!
//! Owns the words. The first answer counts, wherever it was given; the daemon says so.

use super::terminal::{Terminal, clean_line, print_line};
use super::{say, show};
use crate::client::http::Client;
use crate::protocol::chat::Decision;
use crate::protocol::control::{WaitingApproval, WaitingApprovals};
use crate::protocol::fault::{Fault, FaultCode};
use crate::protocol::methods::{ApprovalAnswer, Empty};
use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command};

/// What was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Approvals {
    List,
    Watch,
    Answer {
        /// The approval's id or its beginning; none where only one waits.
        id: Option<String>,
        decision: Decision,
    },
}

pub fn command() -> Command {
    let id = || {
        Arg::new("id")
            .value_name("ID")
            .help("The approval, or the beginning of its id; may be left out where one waits")
    };
    let switch = |name: &'static str, help| Arg::new(name).long(name).action(ArgAction::SetTrue).help(help);
    Command::new("approvals")
        .about("List what agents wait to be allowed, watch, or answer")
        .args_conflicts_with_subcommands(true)
        .arg(switch("watch", "Show each one as it comes, and when it is answered"))
        .subcommand(
            Command::new("allow")
                .about("Allow it: once, unless said otherwise")
                .arg(id())
                .arg(switch("site", "And from now on on this site"))
                .arg(switch("conversation", "And from now on in this conversation"))
                .arg(switch("always", "And from now on everywhere, until `gstack policy remove`"))
                .group(ArgGroup::new("how long").args(["site", "conversation", "always"])),
        )
        .subcommand(Command::new("deny").about("Say no").arg(id()))
}

pub fn parse(matches: &ArgMatches) -> Approvals {
    match matches.subcommand() {
        None if matches.get_flag("watch") => Approvals::Watch,
        None => Approvals::List,
        Some((word, matches)) => {
            let decision = match word {
                "deny" => Decision::Deny,
                _ if matches.get_flag("site") => Decision::AllowSite,
                _ if matches.get_flag("conversation") => Decision::AllowConversation,
                _ if matches.get_flag("always") => Decision::AllowAlways,
                _ => Decision::AllowOnce,
            };
            Approvals::Answer { id: matches.get_one::<String>("id").cloned(), decision }
        }
    }
}

pub async fn run(running: &Client, wanted: Approvals, json: bool, terminal: Terminal) -> Result<(), Fault> {
    match wanted {
        Approvals::List => {
            let waiting: WaitingApprovals = running.get("/approvals").await?;
            show(json, &waiting, || list(&waiting.approvals, terminal))
        }
        Approvals::Watch => watch(running, json, terminal).await,
        Approvals::Answer { id, decision } => answer(running, id.as_deref(), decision, json).await,
    }
}

fn list(waiting: &[WaitingApproval], terminal: Terminal) -> String {
    if waiting.is_empty() {
        return "Nothing waits for an answer.".to_owned();
    }
    let lines: Vec<String> = waiting.iter().map(|approval| lines_of(approval, terminal)).collect();
    format!(
        "{}\n\nAnswer with: gstack approvals allow ID [--site|--conversation|--always], or deny ID",
        lines.join("\n")
    )
}

fn lines_of(approval: &WaitingApproval, terminal: Terminal) -> String {
    let site = approval.site.as_deref().map(|site| format!(" on {}", clean_line(site))).unwrap_or_default();
    let mut lines = format!(
        "{}  {}{site}\n    {}",
        approval.approval_id,
        terminal.bold(&clean_line(&approval.ask)),
        terminal.dim(&clean_line(&approval.does))
    );
    if let Some(why) = &approval.why {
        lines.push_str(&format!("\n    {}", terminal.warm(&clean_line(why))));
    }
    lines
}

/// Prints each change until the daemon ends or the terminal is closed.
async fn watch(running: &Client, json: bool, terminal: Terminal) -> Result<(), Fault> {
    let mut changes = running.stream("/approvals/watch", &Empty {}).await?;
    let mut known: Vec<WaitingApproval> = Vec::new();
    while let Some(WaitingApprovals { approvals }) = changes.next().await? {
        if json {
            let line = serde_json::to_string(&WaitingApprovals { approvals: approvals.clone() })
                .map_err(|e| Fault::new(FaultCode::Internal, e.to_string()))?;
            print_line(&line);
        } else {
            let is_in =
                |list: &[WaitingApproval], one: &WaitingApproval| list.iter().any(|a| a.approval_id == one.approval_id);
            for gone in known.iter().filter(|approval| !is_in(&approvals, approval)) {
                print_line(&terminal.dim(&format!("{}  no longer waits", gone.approval_id)));
            }
            for new in approvals.iter().filter(|approval| !is_in(&known, approval)) {
                print_line(&lines_of(new, terminal));
            }
        }
        known = approvals;
    }
    Ok(())
}

async fn answer(running: &Client, id: Option<&str>, decision: Decision, json: bool) -> Result<(), Fault> {
    let waiting: WaitingApprovals = running.get("/approvals").await?;
    let found = named(&waiting.approvals, id)?;
    let answer = ApprovalAnswer {
        conversation_id: found.conversation_id.clone(),
        approval_id: found.approval_id.clone(),
        decision,
    };
    running.post::<_, Empty>("/approvals/answer", &answer).await?;
    let words = match decision {
        Decision::AllowOnce => "Allowed once.".to_owned(),
        Decision::AllowSite => format!("Allowed on {}.", clean_line(found.site.as_deref().unwrap_or("this site"))),
        Decision::AllowConversation => "Allowed in this conversation.".to_owned(),
        Decision::AllowAlways => {
            "Allowed always. `gstack policy list` shows it, `gstack policy remove` takes it back.".to_owned()
        }
        Decision::Deny => "Denied.".to_owned(),
    };
    say(json, &words);
    Ok(())
}

/// Which one is meant is never guessed.
fn named<'a>(waiting: &'a [WaitingApproval], id: Option<&str>) -> Result<&'a WaitingApproval, Fault> {
    let matching = |approval: &&WaitingApproval| id.is_none_or(|id| approval.approval_id.as_str().starts_with(id));
    let found: Vec<_> = waiting.iter().filter(matching).collect();
    match (&found[..], id) {
        ([found], _) => Ok(found),
        ([], Some(id)) => Err(Fault::new(FaultCode::NotFound, format!("no approval {id} waits for an answer"))
            .hint("`gstack approvals` lists those that do.")),
        ([], None) => Err(Fault::new(FaultCode::NotFound, "nothing waits for an answer")),
        (several, _) => Err(Fault::new(FaultCode::BadRequest, format!("{} approvals could be meant", several.len()))
            .hint("Give more of the id; `gstack approvals` lists them whole.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::ids::{ApprovalId, ConversationId};

    fn approval(id: &str) -> WaitingApproval {
        WaitingApproval {
            conversation_id: ConversationId::new("c"),
            approval_id: ApprovalId::new(id),
            ask: "Click “Pay”".to_owned(),
            site: Some("shop.example".to_owned()),
            does: "click @e1".to_owned(),
            why: None,
            choices: vec![],
        }
    }

    #[test]
    fn an_answer_names_one_approval_and_how_far_it_reaches() {
        let parsed = |line: &[&str]| command().try_get_matches_from(line).map(|matches| parse(&matches));
        assert_eq!(parsed(&["approvals"]).unwrap(), Approvals::List);
        assert_eq!(parsed(&["approvals", "--watch"]).unwrap(), Approvals::Watch);
        for (flags, decision) in [
            (&[][..], Decision::AllowOnce),
            (&["--site"], Decision::AllowSite),
            (&["--conversation"], Decision::AllowConversation),
            (&["--always"], Decision::AllowAlways),
        ] {
            let line = [&["approvals", "allow", "ab"], flags].concat();
            let id = Some("ab".to_owned());
            assert_eq!(parsed(&line).unwrap(), Approvals::Answer { id, decision }, "{line:?}");
        }
        let none = Approvals::Answer { id: None, decision: Decision::Deny };
        assert_eq!(parsed(&["approvals", "deny"]).unwrap(), none);
        assert!(parsed(&["approvals", "allow", "x", "--site", "--always"]).is_err());
    }

    #[test]
    fn which_approval_is_meant_is_never_guessed() {
        let two = [approval("abc"), approval("abd")];
        let code =
            |waiting, id| named(waiting, id).map(|found| found.approval_id.to_string()).map_err(|fault| fault.code);
        assert_eq!(code(&two, Some("abc")), Ok("abc".to_owned()));
        assert_eq!(code(&two, Some("ab")), Err(FaultCode::BadRequest));
        assert_eq!(code(&two, None), Err(FaultCode::BadRequest));
        assert_eq!(code(&two[..1], None), Ok("abc".to_owned()));
        assert_eq!(code(&[], None), Err(FaultCode::NotFound));
        assert_eq!(code(&two, Some("x")), Err(FaultCode::NotFound));
    }
}
