//! `gstack instances`: lists the instances of the home, and ends them.
//!
//! Owns the text. What runs is told by the locks of an instance and by its daemon's own answer. Never starts one to look
//! at it.

use super::choice::{self, Choice};
use super::profiles::{instance, readable};
use super::terminal::{Terminal, clean_line, show, tell, visible_line};
use super::{ending, moment};
use clap::{Arg, ArgAction, ArgMatches, Command};
use futures_util::future::join_all;
use gstack_base::browser_names::{BrowserName, MAIN};
use gstack_base::home::Home;
use gstack_base::instances::{self, Instance, Signs};
use gstack_base::memory;
use gstack_client::http::Client;
use gstack_protocol::control::Disconnected;
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::status::{NamedBrowserInfo, Status};
use serde::Serialize;
use std::fs;
use std::process::ExitCode;
use std::time::UNIX_EPOCH;

/// The parsed subcommand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Instances {
    /// Lists them.
    List,
    /// Ends the browser and the daemon of one, or of all.
    Stop {
        /// `None`: all of them.
        name: Option<String>,
        /// Kills a browser that does not respond.
        force: bool,
    },
    /// Allows the project's file to choose the session here.
    Trust,
    /// Forgets the answer about it.
    Untrust,
}

/// One instance, as `--json` prints it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    name: String,
    state: State,
    /// This terminal's commands go to it.
    current: bool,
    /// What chose it, as in `gstack status`, if it is the current one.
    #[serde(skip_serializing_if = "Option::is_none")]
    chosen_by: Option<String>,
    home: String,
    /// The daemon's process.
    pid: Option<u32>,
    browser_pid: Option<u32>,
    /// As in `gstack status`.
    mode: Option<String>,
    profile: Option<String>,
    tabs: Option<usize>,
    /// The browsers of its daemon, the main one first. What is above is about the main one. Empty if the daemon does not run.
    browsers: Vec<NamedBrowserInfo>,
    /// The names of the browsers that are open although the daemon does not run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_open: Vec<String>,
    /// In bytes: the daemon, its browsers and its agents.
    memory: Option<u64>,
    /// In milliseconds since 1970: when the daemon started, or the browser if it runs alone.
    since: Option<u64>,
    /// Why the daemon does not answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<Fault>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum State {
    Running,
    BrowserOnly,
    Stopped,
    /// It was killed: files are left of it.
    Dead,
    /// Its daemon does not answer.
    Silent,
}

pub(super) fn command() -> Command {
    Command::new("instances")
        .about("List and stop the instances: the default one, and one for each --session NAME")
        .subcommand(Command::new("list").about("List them (the default)"))
        .subcommand(
            Command::new("stop")
                .about("Close the browser of an instance and end its daemon; conversations are kept")
                .arg(
                    Arg::new("name")
                        .value_name("NAME")
                        .required_unless_present("all")
                        .help("The instance's name, as `gstack instances` shows it"),
                )
                .arg(
                    Arg::new("all")
                        .long("all")
                        .action(ArgAction::SetTrue)
                        .conflicts_with("name")
                        .help("Stop all of them, the default one too"),
                )
                .arg(
                    Arg::new("force")
                        .long("force")
                        .action(ArgAction::SetTrue)
                        .help("Kill a browser that does not respond; unsaved work in pages is lost"),
                ),
        )
        .subcommand(
            Command::new("trust")
                .about("Let .gstack/session.toml of this folder's project choose the session and profile here"),
        )
        .subcommand(Command::new("untrust").about("Forget your answer about that file"))
}

pub(super) fn parse(matches: &ArgMatches) -> Instances {
    match matches.subcommand() {
        Some(("stop", matches)) => {
            Instances::Stop { name: matches.get_one::<String>("name").cloned(), force: matches.get_flag("force") }
        }
        Some(("trust", _)) => Instances::Trust,
        Some(("untrust", _)) => Instances::Untrust,
        _ => Instances::List,
    }
}

/// Runs the subcommand. `session`: the option `--session`.
pub(super) async fn run(
    home: &Home,
    wanted: Instances,
    (session, choice): (Option<&str>, &Choice),
    json: bool,
    terminal: Terminal,
) -> Result<ExitCode, Fault> {
    let all = instances::all(home).map_err(|error| {
        Fault::new(FaultCode::Storage, format!("the instances can't be listed: {error}"))
            .hint(gstack_base::trouble::hint(home.shared(), &error))
    })?;
    match wanted {
        Instances::List => {
            let current = home.session_or_default();
            let chosen = |found: &Instance| (found.name == current).then(|| choice.source());
            let rows = join_all(all.iter().map(|found| row(found, chosen(found)))).await;
            show(json, &rows, || {
                let notes = choice.told().into_iter().map(|told| format!("* {told}"));
                let notes = notes.chain(choice::undecided(session));
                std::iter::once(text(&rows, terminal)).chain(notes).collect::<Vec<_>>().join("\n")
            })?;
            Ok(ExitCode::SUCCESS)
        }
        Instances::Trust => trust(true, json).await,
        Instances::Untrust => trust(false, json).await,
        Instances::Stop { name: Some(name), force } => {
            let found = all.into_iter().find(|found| found.name == name).ok_or_else(|| {
                Fault::new(FaultCode::NotFound, format!("there is no instance {name:?}"))
                    .hint("`gstack instances` lists them.")
                    .command("gstack instances")
            })?;
            let ended = stop(&found, force).await?;
            let stopped: Vec<&str> = ended.then_some(found.name.as_str()).into_iter().collect();
            show(json, &serde_json::json!({ "stopped": stopped }), || match ended {
                true => format!("Stopped {}. Conversations are kept.", instance(&found.name)),
                false => format!("{} was not running.", capital(&instance(&found.name))),
            })?;
            Ok(ExitCode::SUCCESS)
        }
        Instances::Stop { name: None, force } => stop_all(all, force, json).await,
    }
}

async fn trust(allow: bool, json: bool) -> Result<ExitCode, Fault> {
    let (found, outcome) = choice::trust(allow).await?;
    let file = visible_line(&found.file.display().to_string());
    show(json, &serde_json::json!({ "file": file, "trusted": allow && outcome }), || match (allow, outcome) {
        (true, true) => format!("{file} chooses the session and profile of commands in this project."),
        (true, false) => format!("{file} is ignored."),
        (false, true) => format!("Forgot your answer about {file}."),
        (false, false) => format!("You had not decided about {file}."),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Stops all instances. One that can't be stopped does not keep the others running.
async fn stop_all(all: Vec<Instance>, force: bool, json: bool) -> Result<ExitCode, Fault> {
    let (mut stopped, mut failed) = (Vec::new(), 0);
    for found in all {
        match stop(&found, force).await {
            Ok(true) => stopped.push(found.name),
            Ok(false) => {}
            Err(fault) => {
                failed += 1;
                let hint = fault.hint.as_deref().unwrap_or_default();
                tell(&format!("gstack: {}: {} {hint}", found.name, fault.message));
            }
        }
    }
    show(json, &serde_json::json!({ "stopped": stopped, "failed": failed }), || match stopped.len() {
        0 if failed == 0 => "No instance was running.".to_owned(),
        0 => "No instance was stopped.".to_owned(),
        _ => format!("Stopped: {}. Conversations are kept.", stopped.join(", ")),
    })?;
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Closes the instance's browser and ends its daemon. Returns false if neither ran.
async fn stop(found: &Instance, force: bool) -> Result<bool, Fault> {
    let signs = signs(found)?;
    if !matches!(signs, Signs::Daemon | Signs::BrowserOnly) {
        return Ok(false);
    }
    let home = Home::at(found.home.root().to_owned())
        .map_err(|error| Fault::new(FaultCode::Storage, error.to_string()).hint(error.hint()))?;
    let (client, running) = (Client::new(home.clone()), Client::of_running(home));
    let open = |name: &BrowserName| found.home.kept_browsers().is_ok_and(|kept| kept.contains(name));
    for name in found.home.kept_browsers().unwrap_or_default() {
        match ending::disconnect(&client, &running, force, Some(&name)).await {
            Ok(Disconnected { .. }) => {}
            // It ended in the meantime, or another browser is in use.
            Err(fault) if fault.code == FaultCode::BrowserDown && !open(&name) => {}
            Err(fault) => return Err(fault),
        }
    }
    ending::stop(&running, true).await?;
    Ok(true)
}

fn signs(found: &Instance) -> Result<Signs, Fault> {
    found.signs().map_err(|error| {
        Fault::new(FaultCode::Storage, format!("the locks of {} can't be read: {error}", found.name))
            .hint(gstack_base::trouble::hint(found.home.root(), &error))
    })
}

async fn row(found: &Instance, chosen_by: Option<String>) -> Row {
    let mut row = Row {
        name: found.name.clone(),
        state: State::Stopped,
        current: chosen_by.is_some(),
        chosen_by,
        home: found.home.root().display().to_string(),
        pid: None,
        browser_pid: None,
        mode: None,
        profile: None,
        tabs: None,
        browsers: Vec::new(),
        left_open: Vec::new(),
        memory: None,
        since: None,
        fault: None,
    };
    let (mut looked, mut answer) = (signs(found), None);
    if matches!(looked, Ok(Signs::Daemon)) {
        let told = Client::of_running(found.home.clone()).get::<Status>("/status").await;
        if told.is_err() {
            // It may have ended since its lock was looked at.
            looked = signs(found);
        }
        answer = Some(told);
    }
    match (looked, answer) {
        (_, Some(Ok(status))) => running(&mut row, status),
        (Ok(Signs::Daemon), Some(Err(fault))) | (Err(fault), _) => {
            (row.state, row.fault) = (State::Silent, Some(fault));
        }
        (Ok(Signs::BrowserOnly), _) => browser_only(&mut row, found),
        (Ok(Signs::Dead), _) => row.state = State::Dead,
        (Ok(Signs::Stopped | Signs::Daemon), _) => {}
    }
    row.memory = memory(&row);
    row
}

fn running(row: &mut Row, status: Status) {
    row.state = State::Running;
    row.pid = Some(status.pid);
    row.browser_pid = status.browser_pid;
    row.mode = Some(status.mode);
    row.profile = status.profile;
    row.tabs = Some(status.tabs);
    row.browsers = status.browsers;
    row.since = Some(status.since).filter(|since| *since > 0);
}

/// A keeper answers only a daemon, so its files are all there is to read.
fn browser_only(row: &mut Row, found: &Instance) {
    row.state = State::BrowserOnly;
    let profile = found.held_profile();
    let browser = profile.as_ref().and_then(|name| gstack_base::profiles::browser_in(&found.home.profile(name)));
    row.browser_pid = browser.map(|browser| browser.pid);
    row.profile = profile.map(|name| name.to_string());
    row.left_open = found.home.kept_browsers().unwrap_or_default().iter().map(ToString::to_string).collect();
    let began = fs::metadata(found.home.keeper_key()).and_then(|found| found.modified()).ok();
    let began = began.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    row.since = began.and_then(|time| u64::try_from(time.as_millis()).ok());
}

fn memory(row: &Row) -> Option<u64> {
    // A browser that gstack did not start is not this instance's.
    let is_own = |mode: &str| matches!(mode, "headed" | "headless");
    let main = row.browser_pid.filter(|_| row.mode.as_deref().is_none_or(is_own));
    let named = named(row).filter(|browser| is_own(&browser.mode)).filter_map(|browser| browser.browser_pid);
    let pids = row.pid.into_iter().chain(main).chain(named);
    memory::of_trees(&pids.filter_map(|pid| i32::try_from(pid).ok()).collect::<Vec<_>>())
}

/// Returns the browsers that are not the main one.
fn named(row: &Row) -> impl Iterator<Item = &NamedBrowserInfo> {
    row.browsers.iter().filter(|browser| browser.name != MAIN)
}

fn text(rows: &[Row], terminal: Terminal) -> String {
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or_default();
    let lines = rows.iter().map(|row| {
        let mark = if row.current { "*" } else { " " };
        let name = format!("{:<width$}", row.name);
        let line = format!("{mark} {}  {}", terminal.bold(&name), described(row, terminal));
        let named = named(row).map(|browser| clean_line(&browser.line()));
        let left = row.left_open.iter().filter(|name| *name != MAIN).map(|name| format!("Browser {name}: open"));
        let more = named.chain(left).map(|line| format!("    {line}"));
        std::iter::once(line).chain(more).collect::<Vec<_>>().join("\n")
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn described(row: &Row, terminal: Terminal) -> String {
    let state = match row.state {
        State::Running => terminal.good("running"),
        State::BrowserOnly => terminal.warm("browser open, daemon not running"),
        State::Stopped => return "stopped".to_owned(),
        State::Dead => return terminal.bad("ended unexpectedly (the next command starts it again)"),
        State::Silent => terminal.bad("does not answer"),
    };
    let mode = row.mode.as_deref().map(|mode| if mode == "none" { "no browser" } else { mode }.to_owned());
    let profile = row.profile.as_ref().map(|profile| format!("profile {profile}"));
    let tabs = row.tabs.filter(|_| row.mode.as_deref() != Some("none"));
    let tabs = tabs.map(|tabs| gstack_base::counted::counted(tabs, "tab"));
    let since = row.since.map(|since| format!("since {}", moment::local(since)));
    let why = row.fault.as_ref().map(|fault| clean_line(&fault.message));
    let parts = [mode, profile, tabs, row.memory.map(readable), since, why];
    std::iter::once(state).chain(parts.into_iter().flatten()).collect::<Vec<_>>().join(", ")
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_or_one_instance_is_stopped_and_never_none() {
        let parsed = |line: &[&str]| command().try_get_matches_from(line).map(|matches| parse(&matches));
        assert_eq!(parsed(&["instances"]).unwrap(), Instances::List);
        let stop = |name: Option<&str>, force| Instances::Stop { name: name.map(str::to_owned), force };
        assert_eq!(parsed(&["instances", "stop", "shop"]).unwrap(), stop(Some("shop"), false));
        assert_eq!(parsed(&["instances", "stop", "--all", "--force"]).unwrap(), stop(None, true));
        assert!(parsed(&["instances", "stop"]).is_err() && parsed(&["instances", "stop", "a", "--all"]).is_err());
    }
}
