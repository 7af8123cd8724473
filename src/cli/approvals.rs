//! `gstack approvals`: the actions and questions that agents wait for, listed, watched and answered.
//!
//! Owns the text. The daemon accepts the first answer, from any surface, and reports that.

use super::action_lines;
use super::questions;
use super::terminal::{Terminal, clean_line, print_line, say, show, tell};
use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command};
use gstack_client::http::Client;
use gstack_protocol::approval_link::{ApprovalLink, ApprovalLinkCreate};
use gstack_protocol::basics::Empty;
use gstack_protocol::chat::Decision;
use gstack_protocol::chat_requests::{ApprovalAnswer, QuestionAnswer};
use gstack_protocol::control::{WaitingApproval, WaitingApprovals, WaitingQuestion};
use gstack_protocol::fault::{Fault, FaultCode};

/// The parsed subcommand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Approvals {
    List,
    Watch,
    Answer {
        /// The approval's id or a prefix of it. May be left out if only one is waiting.
        id: Option<String>,
        decision: Decision,
    },
    /// A one-time link that answers an approval.
    Link {
        id: Option<String>,
    },
    /// The answer to a question: one or more words for each of its parts.
    Reply {
        id: Option<String>,
        answers: Vec<String>,
    },
}

pub(super) fn command() -> Command {
    let id = || {
        Arg::new("id").value_name("ID").help("The approval's id, or the start of it; optional if only one is waiting")
    };
    let switch = |name: &'static str, help| Arg::new(name).long(name).action(ArgAction::SetTrue).help(help);
    Command::new("approvals")
        .about("List, watch and answer agents' approvals and questions")
        .args_conflicts_with_subcommands(true)
        .arg(switch("watch", "Print each approval and question when it opens and when it is answered"))
        .subcommand(
            Command::new("allow")
                .about("Allow an approval, by default once")
                .arg(id())
                .arg(switch("site", "Allow it on this site from now on"))
                .arg(switch("conversation", "Allow it in this conversation from now on"))
                .arg(switch("always", "Allow it everywhere from now on, until `gstack policy remove`"))
                .group(ArgGroup::new("how long").args(["site", "conversation", "always"])),
        )
        .subcommand(Command::new("deny").about("Deny an approval, or decline to answer a question").arg(id()))
        .subcommand(
            Command::new("link")
                .about("Print a one-time link that answers an approval; needs approval-link-base in config.toml")
                .arg(id()),
        )
        .subcommand(
            Command::new("answer")
                .about(
                    "Answer an agent's question with an option's number or text, or in your own words; give one \
                        answer per part",
                )
                .arg(
                    Arg::new("answer")
                        .value_name("ANSWER")
                        .required(true)
                        .num_args(1..)
                        .help("Several options by number, with commas, if the question allows several"),
                )
                .arg(
                    Arg::new("id")
                        .long("id")
                        .value_name("ID")
                        .help("The question's id, or the start of it; optional if only one is waiting"),
                ),
        )
}

pub(super) fn parse(matches: &ArgMatches) -> Approvals {
    match matches.subcommand() {
        None if matches.get_flag("watch") => Approvals::Watch,
        None => Approvals::List,
        Some(("answer", matches)) => Approvals::Reply {
            id: matches.get_one::<String>("id").cloned(),
            answers: matches.get_many::<String>("answer").unwrap_or_default().cloned().collect(),
        },
        Some(("link", matches)) => Approvals::Link { id: matches.get_one::<String>("id").cloned() },
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

pub(super) async fn run(running: &Client, wanted: Approvals, json: bool, terminal: Terminal) -> Result<(), Fault> {
    match wanted {
        Approvals::List => {
            let waiting: WaitingApprovals = running.get("/approvals").await?;
            show(json, &waiting, || list(&waiting, terminal))
        }
        Approvals::Watch => watch(running, json, terminal).await,
        Approvals::Answer { id, decision } => answer(running, id.as_deref(), decision, json).await,
        Approvals::Link { id } => link(running, id.as_deref(), json).await,
        Approvals::Reply { id, answers } => reply(running, id.as_deref(), &answers, json).await,
    }
}

fn list(waiting: &WaitingApprovals, terminal: Terminal) -> String {
    let approvals = waiting.approvals.iter().map(|approval| lines_of(approval, terminal));
    let questions = waiting.questions.iter().map(|question| question_lines(question, terminal));
    let mut lines: Vec<String> = approvals.chain(questions).collect();
    if lines.is_empty() {
        return "Nothing is waiting for an answer.".to_owned();
    }
    lines.push(String::new());
    if !waiting.approvals.is_empty() {
        lines.push(how_to_answer(&waiting.approvals));
    }
    if let Some(question) = waiting.questions.first() {
        let each = vec!["ANSWER"; question.parts.len().max(1)].join(" ");
        lines.push(format!(
            "Answer with: gstack approvals answer {each} [--id ID] (an option's number, or your own words), or deny ID"
        ));
    }
    lines.join("\n")
}

/// Explains how to answer these approvals, with the options that at least one of them has.
fn how_to_answer(approvals: &[WaitingApproval]) -> String {
    let lasting = [
        (Decision::AllowSite, "--site"),
        (Decision::AllowConversation, "--conversation"),
        (Decision::AllowAlways, "--always"),
    ];
    let offered =
        lasting.into_iter().filter(|(decision, _)| approvals.iter().any(|one| one.choices.contains(decision)));
    let options: Vec<&str> = offered.map(|(_, option)| option).collect();
    let with = if options.is_empty() { String::new() } else { format!(" [{}]", options.join("|")) };
    format!("Allow with: gstack approvals allow ID{with}, or deny ID")
}

fn question_lines(question: &WaitingQuestion, terminal: Terminal) -> String {
    let parts = question.parts.iter().flat_map(|part| questions::lines_of(part, terminal));
    format!("{}  {}", question.question_id, parts.collect::<Vec<_>>().join("\n    "))
}

fn lines_of(approval: &WaitingApproval, terminal: Terminal) -> String {
    let site = approval.site.as_deref().map(|site| format!(" on {}", clean_line(site))).unwrap_or_default();
    let by = approval.driver.as_deref().map(|name| format!(" for {}", clean_line(name))).unwrap_or_default();
    let mut lines = format!("{}  {}{site}{by}", approval.approval_id, terminal.bold(&clean_line(&approval.ask)));
    // An older daemon sends no record.
    let record = if approval.action.command.is_empty() {
        vec![clean_line(&approval.does)]
    } else {
        action_lines::lines_of(&approval.action)
    };
    for line in record {
        lines.push_str(&format!("\n    {}", terminal.dim(&line)));
    }
    if let Some(why) = &approval.why {
        lines.push_str(&format!("\n    {}", terminal.warm(&clean_line(why))));
    }
    lines
}

/// Prints each change until the daemon ends or the terminal is closed.
async fn watch(running: &Client, json: bool, terminal: Terminal) -> Result<(), Fault> {
    let mut changes = running.stream("/approvals/watch", &Empty {}).await?;
    let mut known: Vec<(String, String)> = Vec::new();
    while let Some(waiting) = changes.next::<WaitingApprovals>().await? {
        if json {
            let line = serde_json::to_string(&waiting).map_err(|e| Fault::new(FaultCode::Internal, e.to_string()))?;
            print_line(&line);
            continue;
        }
        let approvals = waiting.approvals.iter().map(|one| (one.approval_id.to_string(), lines_of(one, terminal)));
        let questions =
            waiting.questions.iter().map(|one| (one.question_id.to_string(), question_lines(one, terminal)));
        let now: Vec<(String, String)> = approvals.chain(questions).collect();
        let is_in = |list: &[(String, String)], id: &String| list.iter().any(|(of, _)| of == id);
        for (gone, _) in known.iter().filter(|(id, _)| !is_in(&now, id)) {
            print_line(&terminal.dim(&format!("{gone}  is no longer waiting")));
        }
        for (_, lines) in now.iter().filter(|(id, _)| !is_in(&known, id)) {
            print_line(lines);
        }
        known = now;
    }
    Ok(())
}

async fn answer(running: &Client, id: Option<&str>, decision: Decision, json: bool) -> Result<(), Fault> {
    let waiting: WaitingApprovals = running.get("/approvals").await?;
    let found = match named(&waiting, id)? {
        Waits::Approval(found) => found,
        Waits::Question(found) if decision == Decision::Deny => {
            return send_reply(running, found, Vec::new(), json).await;
        }
        Waits::Question(found) => {
            let hint = found.parts.first().map(questions::how_to_answer).unwrap_or_default();
            return Err(Fault::new(FaultCode::BadRequest, "this is a question: there is nothing to allow")
                .hint(hint)
                .command("gstack approvals answer ANSWER"));
        }
    };
    let answer = ApprovalAnswer {
        conversation_id: found.conversation_id.clone(),
        approval_id: found.approval_id.clone(),
        decision,
        text: None,
    };
    running.post::<_, Empty>("/approvals/answer", &answer).await?;
    let words = match decision {
        Decision::AllowOnce => "Allowed once.".to_owned(),
        Decision::AllowSite => format!("Allowed on {}.", clean_line(found.site.as_deref().unwrap_or("this site"))),
        Decision::AllowConversation => "Allowed in this conversation.".to_owned(),
        Decision::AllowAlways if !found.choices.contains(&Decision::AllowOnce) => {
            "Always allowed. To undo it, remove its line from config.toml.".to_owned()
        }
        Decision::AllowAlways => {
            "Always allowed. `gstack policy list` shows the rule, `gstack policy remove` removes it.".to_owned()
        }
        Decision::Deny => "Denied.".to_owned(),
    };
    say(json, &words);
    Ok(())
}

/// Prints a link that answers an approval once.
async fn link(running: &Client, id: Option<&str>, json: bool) -> Result<(), Fault> {
    let waiting: WaitingApprovals = running.get("/approvals").await?;
    let Waits::Approval(found) = named(&waiting, id)? else {
        return Err(Fault::new(FaultCode::BadRequest, "a link answers approvals only, and this is a question")
            .command("gstack approvals answer ANSWER"));
    };
    let create = ApprovalLinkCreate { approval_id: found.approval_id.clone() };
    let link: ApprovalLink = running.post("/approvals/link", &create).await?;
    show(json, &link, || link.url.clone())?;
    if !json {
        tell("Anyone with this link can allow or deny the request, once, in the next ten minutes.");
    }
    Ok(())
}

/// Answers a question.
async fn reply(running: &Client, id: Option<&str>, typed: &[String], json: bool) -> Result<(), Fault> {
    let waiting: WaitingApprovals = running.get("/approvals").await?;
    let questions = WaitingApprovals { questions: waiting.questions, ..WaitingApprovals::default() };
    let Waits::Question(found) = named(&questions, id)? else {
        return Err(Fault::new(FaultCode::NotFound, "no question is waiting for an answer"));
    };
    if typed.len() != found.parts.len() {
        let message = format!("the question has {} parts, and {} answers were given", found.parts.len(), typed.len());
        return Err(Fault::new(FaultCode::BadRequest, message)
            .hint("Give one answer for each part; put an answer of several words in quotation marks."));
    }
    let answers = found.parts.iter().zip(typed).map(|(part, typed)| questions::answer_of(part, typed));
    send_reply(running, found, answers.collect::<Result<_, _>>()?, json).await
}

async fn send_reply(
    running: &Client,
    found: &WaitingQuestion,
    answers: Vec<Vec<String>>,
    json: bool,
) -> Result<(), Fault> {
    let said: Vec<String> = answers.iter().map(|part| clean_line(&part.join(", "))).collect();
    let answer = QuestionAnswer {
        conversation_id: found.conversation_id.clone(),
        question_id: found.question_id.clone(),
        answers,
    };
    running.post::<_, Empty>("/questions/answer", &answer).await?;
    let words = if said.is_empty() { "Left unanswered.".to_owned() } else { format!("Answered: {}", said.join("; ")) };
    say(json, &words);
    Ok(())
}

/// An approval or a question that is waiting.
#[derive(Debug)]
enum Waits<'a> {
    Approval(&'a WaitingApproval),
    Question(&'a WaitingQuestion),
}

/// Returns the approval or question with this id. Fails if the id is ambiguous.
fn named<'a>(waiting: &'a WaitingApprovals, id: Option<&str>) -> Result<Waits<'a>, Fault> {
    let is_meant = |of: &str| id.is_none_or(|id| of.starts_with(id));
    let approvals = waiting.approvals.iter().filter(|one| is_meant(one.approval_id.as_str())).map(Waits::Approval);
    let questions = waiting.questions.iter().filter(|one| is_meant(one.question_id.as_str())).map(Waits::Question);
    let mut found: Vec<Waits<'a>> = approvals.chain(questions).collect();
    match (found.len(), id) {
        (1, _) => Ok(found.swap_remove(0)),
        (0, Some(id)) => {
            Err(Fault::new(FaultCode::NotFound, format!("nothing with the id {id} is waiting for an answer"))
                .hint("`gstack approvals` lists the open approvals and questions."))
        }
        (0, None) => Err(Fault::new(FaultCode::NotFound, "nothing is waiting for an answer")),
        (several, _) => Err(Fault::new(FaultCode::BadRequest, format!("{several} approvals or questions match"))
            .hint("Give more of the id; `gstack approvals` shows the full ids.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gstack_protocol::chat::StepKind;
    use gstack_protocol::ids::{ApprovalId, ConversationId, QuestionId};

    fn approval(id: &str) -> WaitingApproval {
        WaitingApproval {
            driver: None,
            tab_id: None,
            phrase: None,
            why_words: None,
            kind: StepKind::Act,
            conversation_id: ConversationId::new("c"),
            approval_id: ApprovalId::new(id),
            ask: "Click “Pay”".to_owned(),
            site: Some("shop.example".to_owned()),
            does: "click @e1".to_owned(),
            action: Box::default(),
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
    fn an_answer_to_a_question_is_words_for_each_part() {
        let parsed = |line: &[&str]| command().try_get_matches_from(line).map(|matches| parse(&matches));
        let answers = vec!["2".to_owned(), "my own words".to_owned()];
        let reply = Approvals::Reply { id: Some("ab".to_owned()), answers };
        assert_eq!(parsed(&["approvals", "answer", "2", "my own words", "--id", "ab"]).unwrap(), reply);
        assert!(parsed(&["approvals", "answer"]).is_err());
    }

    #[test]
    fn which_one_is_meant_is_never_guessed() {
        let question = |id: &str| WaitingQuestion {
            conversation_id: ConversationId::new("c"),
            question_id: QuestionId::new(id),
            parts: vec![],
        };
        let waiting = |approvals: &[&str], questions: &[&str]| WaitingApprovals {
            approvals: approvals.iter().map(|id| approval(id)).collect(),
            questions: questions.iter().map(|id| question(id)).collect(),
        };
        let code = |waiting: &WaitingApprovals, id| {
            named(waiting, id)
                .map(|found| match found {
                    Waits::Approval(found) => found.approval_id.to_string(),
                    Waits::Question(found) => format!("?{}", found.question_id),
                })
                .map_err(|fault| fault.code)
        };
        let two = waiting(&["abc"], &["abd"]);
        assert_eq!(code(&two, Some("abc")), Ok("abc".to_owned()));
        assert_eq!(code(&two, Some("abd")), Ok("?abd".to_owned()));
        assert_eq!(code(&two, Some("ab")), Err(FaultCode::BadRequest));
        assert_eq!(code(&two, None), Err(FaultCode::BadRequest));
        assert_eq!(code(&waiting(&["abc"], &[]), None), Ok("abc".to_owned()));
        assert_eq!(code(&waiting(&[], &["q"]), None), Ok("?q".to_owned()));
        assert_eq!(code(&waiting(&[], &[]), None), Err(FaultCode::NotFound));
        assert_eq!(code(&two, Some("x")), Err(FaultCode::NotFound));
    }
}
