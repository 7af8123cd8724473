//! The options of `gstack run`, and what it prints.
//!
//! Owns the command line; `gstack_fleet` runs it.

use super::here::here;
use super::remote;
use super::terminal::{escaped, print_line};
use clap::{Arg, ArgAction, ArgMatches, Command};
use gstack_base::home::Home;
use gstack_fleet::Wanted;
use gstack_protocol::control::ConnectRequest;
use gstack_protocol::fault::Fault;
use std::path::PathBuf;
use std::process::ExitCode;

/// The exit code of a program that Ctrl-C ended.
const INTERRUPTED: u8 = 130;
/// More would not fit into one machine's memory or ports.
const MOST_BROWSERS: u64 = 1000;

pub(super) fn command() -> Command {
    let path = |name: &'static str, value: &'static str| {
        Arg::new(name).long(name).value_name(value).value_parser(clap::value_parser!(PathBuf))
    };
    let number = |name: &'static str, range: std::ops::RangeInclusive<u64>| {
        Arg::new(name).long(name).value_name("N").value_parser(clap::value_parser!(u64).range(range))
    };
    Command::new("run")
        .about("Run a script or a flow of commands for many items, over many browsers at once")
        .arg(
            Arg::new("flow")
                .value_name("FLOW")
                .required_unless_present("resume")
                .value_parser(clap::value_parser!(PathBuf))
                .help(
                    "A script (.mjs, .js, or an executable), a flow of `gstack flow`, or a file with a command on each line",
                ),
        )
        .arg(path("items", "FILE|-").help("A JSON array, or an item a line; without it, once for each browser"))
        .arg(number("browsers", 1..=MOST_BROWSERS).help("How many sessions at most run at once (default 1)"))
        .args(remote::arguments(&["headed"]))
        .arg(Arg::new("headed").long("headed").action(ArgAction::SetTrue).help("Open windows on this machine"))
        .arg(Arg::new("fresh").long("fresh").action(ArgAction::SetTrue).help("Use a new session for each item"))
        .arg(path("out", "DIR").conflicts_with("resume").help("The folder of the report (default gstack-run-ID)"))
        .arg(
            path("resume", "DIR")
                .conflicts_with_all([
                    "flow", "items", "cdp", "grid", "provider", "headed", "fresh", "timeout", "retries",
                ])
                .help("Go on with a run, with its options: finished items are skipped"),
        )
        .arg(number("timeout", 1..=86_400).default_value("300").help("How many seconds an item may take"))
        .arg(number("retries", 0..=100).default_value("2").help("How often an item whose session was lost is retried"))
}

pub(super) fn parse(matches: &ArgMatches) -> Wanted {
    let path = |key: &str| matches.get_one::<PathBuf>(key).cloned();
    let number = |key: &str| matches.get_one::<u64>(key).copied();
    let count = |key: &str| number(key).and_then(|count| usize::try_from(count).ok());
    Wanted {
        flow: path("flow"),
        items: path("items"),
        browsers: count("browsers"),
        remote: remote::parse(matches),
        headed: matches.get_flag("headed"),
        fresh: matches.get_flag("fresh"),
        out: path("out"),
        resume: path("resume"),
        timeout: number("timeout").unwrap_or_default(),
        retries: count("retries").unwrap_or_default(),
    }
}

/// Runs it and prints the report. Returns success if every item succeeded.
pub(super) async fn run(home: &Home, wanted: Wanted, json: bool) -> Result<ExitCode, Fault> {
    let connects = |wanted| {
        let (remote, keys) = remote::resolve(wanted)?;
        Ok(ConnectRequest { remote, keys, ..here()? })
    };
    let finished = gstack_fleet::run(home, wanted, connects).await?;
    print_line(&if json { escaped(&String::from_utf8_lossy(&finished.json)) } else { finished.summary });
    Ok(match (finished.interrupted, finished.is_well) {
        (true, _) => ExitCode::from(INTERRUPTED),
        (false, true) => ExitCode::SUCCESS,
        (false, false) => ExitCode::FAILURE,
    })
}
