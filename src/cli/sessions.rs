//! `gstack sessions`: lists, shows, renames, moves, deletes and exports conversations.
//!
//! Owns the text and the lookup by the prefix of an id. The daemon owns the conversations.

use super::terminal::{Terminal, clean, clean_line, print, say, show};
use clap::{Arg, ArgMatches, Command};
use gstack_base::clock::now_millis;
use gstack_base::whole_file::WholeFile;
use gstack_client::http::Client;
use gstack_protocol::basics::Empty;
use gstack_protocol::chat::{ConversationInfo, ConversationState};
use gstack_protocol::chat_requests::ChatRef;
use gstack_protocol::control::{ConversationOpen, ConversationText};
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::history::{
    CompactConversations, CompactedConversations, ConversationExport, ConversationRename, Conversations,
    ConversationsList, ExportFormat,
};
use gstack_protocol::ids::{ConversationId, TabId};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The number of characters of an id that are shown, enough to identify it.
const SHOWN_ID: usize = 8;

/// The parsed subcommand. Ids are as they were typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sessions {
    List { search: Option<String> },
    Show { id: String },
    Open { id: String },
    Rename { id: String, title: String },
    Delete { id: String },
    Restore { id: String },
    Export { id: String, path: Option<PathBuf> },
    Compact { id: Option<String> },
}

pub(super) fn command() -> Command {
    let id = || Arg::new("id").required(true).value_name("ID").help("The conversation's id, or the start of it");
    Command::new("sessions")
        .about("List, search, show, open, rename, delete, restore, compact and export conversations")
        .arg(search())
        .args_conflicts_with_subcommands(true)
        .subcommand(Command::new("list").about("List conversations, newest first").arg(search()))
        .subcommand(Command::new("show").about("Print a conversation as Markdown").arg(id()))
        .subcommand(Command::new("open").about("Continue a conversation in the current tab, or in --tab N").arg(id()))
        .subcommand(
            Command::new("rename")
                .about("Rename a conversation; without a title, its first words become the title again")
                .arg(id())
                .arg(Arg::new("title").num_args(0..).value_name("TITLE")),
        )
        .subcommand(Command::new("delete").about("Delete a conversation; it can be restored for 7 days").arg(id()))
        .subcommand(Command::new("restore").about("Restore a deleted conversation").arg(id()))
        .subcommand(
            Command::new("compact")
                .about("Shrink the files of one conversation, or of all; no message is lost")
                .arg(id().required(false)),
        )
        .subcommand(
            Command::new("export")
                .about("Write a conversation to a file, or print it: as Markdown, or with --json as JSON")
                .arg(id())
                .arg(
                    Arg::new("path")
                        .value_name("PATH")
                        .value_parser(clap::value_parser!(PathBuf))
                        .help("The file to write"),
                ),
        )
}

fn search() -> Arg {
    Arg::new("search")
        .long("search")
        .value_name("TEXT")
        .help("Only conversations whose title, page or messages contain this")
}

pub(super) fn parse(matches: &ArgMatches) -> Sessions {
    let Some((name, matches)) = matches.subcommand() else {
        return Sessions::List { search: matches.get_one::<String>("search").cloned() };
    };
    let id = || matches.get_one::<String>("id").cloned().unwrap_or_default();
    match name {
        "show" => Sessions::Show { id: id() },
        "open" => Sessions::Open { id: id() },
        "rename" => {
            let words: Vec<String> = matches.get_many("title").map(|v| v.cloned().collect()).unwrap_or_default();
            Sessions::Rename { id: id(), title: words.join(" ") }
        }
        "delete" => Sessions::Delete { id: id() },
        "restore" => Sessions::Restore { id: id() },
        "compact" => Sessions::Compact { id: matches.get_one::<String>("id").cloned() },
        "export" => Sessions::Export { id: id(), path: matches.get_one::<PathBuf>("path").cloned() },
        _ => Sessions::List { search: matches.get_one::<String>("search").cloned() },
    }
}

pub(super) async fn run(
    client: &Client,
    wanted: Sessions,
    tab_id: Option<TabId>,
    json: bool,
    terminal: Terminal,
) -> Result<(), Fault> {
    match wanted {
        Sessions::List { search } => {
            let searched = search.is_some();
            let found = list(client, search).await?;
            show(json, &found, || list_text(&found, searched, terminal))
        }
        Sessions::Show { id } => {
            let text = text_of(client, &id, json).await?;
            print(&if json { text.text } else { clean(&text.text) });
            Ok(())
        }
        Sessions::Export { id, path } => {
            let text = text_of(client, &id, json).await?;
            match path {
                None => print(&text.text),
                Some(path) => {
                    write_new(&path, &text.text)?;
                    say(json, &format!("Written to {}.", path.display()));
                }
            }
            Ok(())
        }
        Sessions::Compact { id } => {
            let conversation_id = match id {
                Some(id) => Some(find(client, &id).await?.conversation_id),
                None => None,
            };
            let done: CompactedConversations =
                client.post("/conversations/compact", &CompactConversations { conversation_id }).await?;
            show(json, &done, || compacted_text(&done))
        }
        Sessions::Open { id } => {
            let conversation_id = find(client, &id).await?.conversation_id;
            let info: ConversationInfo =
                client.post("/conversations/open", &ConversationOpen { conversation_id, tab_id }).await?;
            let tab = info.tab_id.map(|tab| format!(" in tab {tab}")).unwrap_or_default();
            show(json, &info, || format!("Opened {:?}{tab}.", clean_line(&info.title)))
        }
        Sessions::Rename { id, title } => {
            let conversation_id = find(client, &id).await?.conversation_id;
            let info: ConversationInfo =
                client.post("/conversations/rename", &ConversationRename { conversation_id, title }).await?;
            show(json, &info, || format!("Renamed to {:?}.", clean_line(&info.title)))
        }
        Sessions::Delete { id } => {
            let conversation_id = find(client, &id).await?.conversation_id;
            let of = ChatRef { conversation_id };
            let _: Empty = client.post("/conversations/delete", &of).await?;
            show(json, &of, || {
                format!("Deleted. To restore it within 7 days: gstack sessions restore {}", of.conversation_id)
            })
        }
        Sessions::Restore { id } => {
            let of = ChatRef { conversation_id: ConversationId::new(id) };
            let info: ConversationInfo = client.post("/conversations/restore", &of).await?;
            show(json, &info, || format!("Restored {:?}.", clean_line(&info.title)))
        }
    }
}

async fn text_of(client: &Client, id: &str, json: bool) -> Result<ConversationText, Fault> {
    let conversation_id = find(client, id).await?.conversation_id;
    let format = if json { ExportFormat::Json } else { ExportFormat::Markdown };
    client.read("/conversations/text", &ConversationExport { conversation_id, format }).await
}

fn compacted_text(done: &CompactedConversations) -> String {
    let megabytes = |bytes: u64| format!("{:.1} MB", bytes as f64 / 1_000_000.0);
    let count = match done.conversations {
        1 => "1 conversation".to_owned(),
        n => format!("{n} conversations"),
    };
    let mut text = format!("Compacted {count}: {} → {}.", megabytes(done.bytes_before), megabytes(done.bytes_after));
    for why in &done.left {
        text.push_str(&format!("\nLeft as it is: {why}"));
    }
    text
}

/// Returns all pages of the list.
async fn list(client: &Client, search: Option<String>) -> Result<Conversations, Fault> {
    let mut all = Conversations::default();
    let mut before = None;
    loop {
        let asked = ConversationsList { search: search.clone(), before };
        let page: Conversations = client.read("/conversations/list", &asked).await?;
        before = page.next();
        all.conversations.extend(page.conversations);
        all.excerpts.extend(page.excerpts);
        if before.is_none() {
            return Ok(all);
        }
    }
}

/// Returns the conversation whose id has this prefix. Fails if the prefix is ambiguous.
async fn find(client: &Client, id: &str) -> Result<ConversationInfo, Fault> {
    let all = list(client, None).await?;
    let mut named: Vec<ConversationInfo> =
        all.conversations.into_iter().filter(|info| info.conversation_id.as_str().starts_with(id)).collect();
    match (named.len(), named.pop()) {
        (1, Some(found)) => Ok(found),
        (0, _) => Err(Fault::new(FaultCode::NotFound, format!("there is no conversation {id}"))
            .hint("`gstack sessions` lists them.")),
        (count, _) => Err(Fault::new(FaultCode::BadRequest, format!("{count} conversations begin with {id:?}"))
            .hint("Give more of the id; `gstack sessions --json` shows the full ids.")),
    }
}

/// Writes a new file atomically. Fails if the path exists.
pub(super) fn write_new(path: &Path, text: &str) -> Result<(), Fault> {
    let failed = |error: std::io::Error| {
        let hint = match error.kind() {
            std::io::ErrorKind::AlreadyExists => "Name another file, or remove that one.",
            _ => "Name a file in a folder that you can write.",
        };
        Fault::new(FaultCode::Storage, format!("{} can't be written: {error}", path.display())).hint(hint)
    };
    let new = WholeFile::create(path).map_err(failed)?;
    new.file().write_all(text.as_bytes()).map_err(failed)?;
    new.finish_new().map_err(failed)
}

fn list_text(found: &Conversations, searched: bool, terminal: Terminal) -> String {
    if found.conversations.is_empty() {
        let nothing = if searched { "Nothing was found." } else { "No conversations yet." };
        return nothing.to_owned();
    }
    let now = now_millis();
    let lines = found.conversations.iter().map(|info| {
        let id: String = info.conversation_id.as_str().chars().take(SHOWN_ID).collect();
        let state = match info.state {
            ConversationState::Idle if info.queued > 0 => terminal.warm("  waits for your go-ahead"),
            ConversationState::Idle => String::new(),
            ConversationState::WaitingForSlot => terminal.warm("  waits for a free agent"),
            ConversationState::WaitingForApproval => terminal.warm("  waits for your answer"),
            ConversationState::Running | ConversationState::Stopping => terminal.good("  at work"),
        };
        let tab = info.tab_id.map(|tab| format!("  tab {tab}")).unwrap_or_default();
        let age = age(now.saturating_sub(info.updated_at));
        let mut line = format!(
            "{id}  {}{state}  {}",
            terminal.bold(&clean_line(&info.title)),
            terminal.dim(&format!("{age}{tab}"))
        );
        if let Some(worktree) = &info.worktree {
            line.push_str(&format!("\n          {}", terminal.dim(&clean_line(&worktree.words(&info.folder)))));
        }
        if let Some(excerpt) = found.excerpts.get(&info.conversation_id) {
            line.push_str(&format!("\n          {}", terminal.dim(&clean_line(excerpt))));
        }
        line
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn age(millis: u64) -> String {
    let minutes = millis / 60_000;
    match minutes {
        0 => "now".to_owned(),
        1..60 => format!("{minutes} min ago"),
        60..1440 => format!("{} h ago", minutes / 60),
        _ => format!("{} d ago", minutes / 1440),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &[&str]) -> Sessions {
        parse(&command().try_get_matches_from(line).unwrap())
    }

    #[test]
    fn a_plain_call_lists_and_a_title_needs_no_quotes() {
        assert_eq!(parsed(&["sessions"]), Sessions::List { search: None });
        assert_eq!(parsed(&["sessions", "--search", "x"]), Sessions::List { search: Some("x".into()) });
        let rename = parsed(&["sessions", "rename", "ab", "my", "title"]);
        assert_eq!(rename, Sessions::Rename { id: "ab".into(), title: "my title".into() });
        assert_eq!(parsed(&["sessions", "export", "ab"]), Sessions::Export { id: "ab".into(), path: None });
        assert!(command().try_get_matches_from(["sessions", "show"]).is_err());
    }

    #[test]
    fn an_age_is_in_the_unit_that_says_most() {
        assert_eq!([0, 60_000, 7_200_000, 200_000_000].map(age), ["now", "1 min ago", "2 h ago", "2 d ago"]);
    }

    #[test]
    fn an_export_replaces_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.md");
        write_new(&path, "one").unwrap();
        assert!(write_new(&path, "two").unwrap_err().hint.is_some());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one");
    }
}
