//! `gstack skill`: the guide for agents that use the command line.
//!
//! Owns the text. The installer owns the guide and its locations.

use crate::install::skill::{self, CLIENTS};
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command, value_parser};
use gstack_protocol::fault::Fault;
use serde_json::{Value, json};
use std::path::PathBuf;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Skill {
    Print,
    More,
    Install { client: String, folder: Option<PathBuf> },
    Uninstall { client: String, folder: Option<PathBuf> },
}

pub(super) fn command() -> Command {
    let names = CLIENTS.map(|(name, _)| name);
    let with_place = |name: &'static str, about: &'static str| {
        Command::new(name)
            .about(about)
            .arg(
                Arg::new("client")
                    .value_name("CLIENT")
                    .value_parser(PossibleValuesParser::new(names))
                    .default_value(CLIENTS[0].0),
            )
            .arg(
                Arg::new("folder")
                    .long("folder")
                    .value_name("DIR")
                    .value_parser(value_parser!(PathBuf))
                    .help("Another folder of skills, for example a project's"),
            )
    };
    Command::new("skill")
        .about("Print a guide to this command line for agents, or install it as a skill")
        .subcommand(Command::new("more").about("Print the guide to the less common commands"))
        .subcommand(with_place("install", "Write the guide where a client looks for skills"))
        .subcommand(with_place("uninstall", "Remove the guide"))
}

pub(super) fn parse(matches: &ArgMatches) -> Skill {
    let client = |matches: &ArgMatches| matches.get_one::<String>("client").cloned().unwrap_or_default();
    let folder = |matches: &ArgMatches| matches.get_one::<PathBuf>("folder").cloned();
    match matches.subcommand() {
        Some(("install", matches)) => Skill::Install { client: client(matches), folder: folder(matches) },
        Some(("uninstall", matches)) => Skill::Uninstall { client: client(matches), folder: folder(matches) },
        Some(("more", _)) => Skill::More,
        _ => Skill::Print,
    }
}

/// Runs the subcommand and returns its output as text and, for `--json`, as a value. The guide has only a text.
pub(super) fn run(wanted: Skill) -> Result<(String, Option<Value>), Fault> {
    let place = |client: &str, folder: Option<PathBuf>| match folder {
        Some(folder) => Ok(folder),
        None => skill::folder(client),
    };
    Ok(match wanted {
        Skill::Print => (skill::guide(), None),
        Skill::More => (skill::more().to_owned(), None),
        Skill::Install { client, folder } => {
            let file = skill::install(&place(&client, folder)?)?;
            (format!("Installed the skill: {}", file.display()), Some(json!({ "installed": file })))
        }
        Skill::Uninstall { client, folder } => {
            let removed = skill::uninstall(&place(&client, folder)?)?;
            let words = if removed { "Removed the skill." } else { "The skill was not installed." };
            (words.to_owned(), Some(json!({ "removed": removed })))
        }
    })
}
