//! `gstack evidence`: one agent turn as a file to keep or to pass on.
//!
//! Owns the path of the file. The daemon writes its content.

use super::sessions::write_new;
use super::terminal::{print, say, show};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use gstack_client::http::Client;
use gstack_protocol::evidence::{EvidenceFile, EvidenceRequest};
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::ids::TabId;
use std::io::{self, IsTerminal};
use std::path::PathBuf;

/// The parsed request. Without a turn: the newest finished one of the tab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    pub turn: Option<String>,
    pub output: Option<PathBuf>,
}

pub(super) fn command() -> Command {
    Command::new("evidence")
        .about("Write what an agent did in one turn to an HTML file, without secrets")
        .arg(
            Arg::new("turn")
                .value_name("TURN")
                .help("The turn's id, or the start of it; `sessions export ID --json` shows it; without it, the newest finished one"),
        )
        .arg(
            Arg::new("last")
                .long("last")
                .action(ArgAction::SetTrue)
                .conflicts_with("turn")
                .help("The newest finished turn of the current tab's conversation, or of --tab N (the default)"),
        )
        .arg(
            Arg::new("output")
                .long("output")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("The file to write, which must not exist; without it, the HTML is printed"),
        )
}

pub(super) fn parse(matches: &ArgMatches) -> Evidence {
    Evidence { turn: matches.get_one("turn").cloned(), output: matches.get_one("output").cloned() }
}

pub(super) async fn run(client: &Client, wanted: Evidence, tab_id: Option<TabId>, json: bool) -> Result<(), Fault> {
    if wanted.output.is_none() && !json && io::stdout().is_terminal() {
        return Err(Fault::new(FaultCode::BadRequest, "the HTML is not printed to a terminal")
            .hint("Name a file: gstack evidence --last --output turn.html"));
    }
    let made: EvidenceFile = client.read("/evidence", &EvidenceRequest { turn: wanted.turn, tab_id }).await?;
    match wanted.output {
        Some(path) => {
            write_new(&path, &made.html)?;
            say(json, &format!("Written to {}.", path.display()));
            Ok(())
        }
        None if json => show(true, &made, String::new),
        None => {
            print(&made.html);
            Ok(())
        }
    }
}
