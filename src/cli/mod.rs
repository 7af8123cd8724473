//! The command line: parses, asks the daemon, prints.
//!
//! Owns words and exit codes on a terminal. Never does a command's work itself.

mod action_lines;
mod activity;
mod approvals;
pub mod arguments;
#[cfg(test)]
mod arguments_tests;
mod asked;
mod audit;
pub mod browser_command;
mod chat;
pub mod command_line;
mod connect;
mod doctor;
mod help;
mod hosts;
mod mcp;
mod moment;
mod panels;
mod policy;
mod progress;
mod questions;
mod report;
mod sessions;
mod settings;
mod shell;
mod skill;
mod standard_input;
mod terminal;
mod upgrade;
mod usage;

use crate::base::home::{HOME_VARIABLE, Home};
use crate::base::lock::FileLock;
use crate::client::ending;
use crate::client::handover::{self, Takeover};
use crate::client::http::Client;
use crate::protocol::command::{PORT_VARIABLE, TAB_VARIABLE, TOKEN_VARIABLE};
use crate::protocol::control::{
    ChatRequest, ConnectRequest, ContinueTurns, Disconnect, Disconnected, HandingOver, LookForAgents, Status,
    StopTurns, Stopped, Stopping,
};
use crate::protocol::fault::{Fault, FaultCode};
use crate::protocol::ids::{AgentName, ClientMessageId, TabId};
use crate::protocol::methods::{Agents, Empty};
use arguments::{Globals, Invocation};
use serde::Serialize;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use terminal::{Terminal, print, print_line};

/// The daemon itself takes less: it gives its tasks a shorter time.
const STOP_LIMIT: Duration = Duration::from_secs(15);
/// Runs one invocation; the exit code says how it ended.
pub async fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let terminal = Terminal::detect();
    let arguments: Vec<String> = match arguments.into_iter().map(OsString::into_string).collect() {
        Ok(arguments) => arguments,
        Err(odd) => return terminal.fail(&not_utf8("the argument", odd.as_ref()), None),
    };
    let (globals, invocation) = match arguments::parse(&arguments) {
        Ok(parsed) => parsed,
        Err(error) => {
            let Some(fault) = usage::fault_of(&error) else {
                // Help and version come this way too; clap knows which stream and code they take.
                error.print().ok();
                return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(terminal::USAGE));
            };
            let json = arguments.iter().take_while(|word| *word != "--").any(|word| word == "--json");
            return fail(&fault, &arguments, json, terminal);
        }
    };
    let (json, session) = (globals.json, globals.session.clone());
    match dispatch(globals, invocation, terminal).await {
        Ok(code) => code,
        Err(fault) => fail(&usage::for_session(fault, session.as_deref()), &arguments, json, terminal),
    }
}

/// Who reads JSON gets the failure in the same place and form as over HTTP; the words stay on stderr.
fn fail(fault: &Fault, arguments: &[String], json: bool, terminal: Terminal) -> ExitCode {
    if json && let Ok(answer) = serde_json::to_string_pretty(&fault.answer()) {
        print_line(&answer);
    }
    let usage = usage::is_usage(fault).then(|| usage::line(arguments));
    terminal.fail(fault, usage.as_deref())
}

async fn dispatch(globals: Globals, invocation: Invocation, terminal: Terminal) -> Result<ExitCode, Fault> {
    // What a package's build asks for needs no home.
    if let Invocation::Document(document) = &invocation {
        shell::show(document)?;
        return Ok(ExitCode::SUCCESS);
    }
    let token = std::env::var(TOKEN_VARIABLE).ok().filter(|token| !token.is_empty());
    let port = std::env::var(PORT_VARIABLE).ok().and_then(|port| port.parse().ok()).filter(|_| token.is_some());
    // An agent's sandbox hides the home.
    let named = std::env::var_os(HOME_VARIABLE).filter(|_| port.is_some() && globals.session.is_none());
    let home = match named {
        Some(root) => Home::named(root.into()),
        None => Home::locate(globals.session.as_deref())
            .map_err(|e| Fault::new(FaultCode::Storage, e.to_string()).hint(e.hint()))?,
    };
    let client = Client::new(home.clone()).with_token(token.clone()).at_port(port);
    let running = Client::of_running(home.clone()).with_token(token).at_port(port);
    let json = globals.json;
    if port.is_none() {
        renew(&home, &invocation).await;
    }
    match invocation {
        Invocation::Connect { browser, headless, url, arguments, attach, everyday } => {
            let request = ConnectRequest { browser, headless, url, arguments, attach, everyday, ..here()? };
            connect::connect(&client, request, json, globals.session.as_deref(), terminal).await?;
        }
        Invocation::Disconnect { force } => {
            let disconnected = disconnect(&client, &running, force).await?;
            show(json, &disconnected, || match disconnected.closed {
                true => "Disconnected: the browser is closed. Conversations stay.".to_owned(),
                false => "Disconnected: the browser stays open without gstack. Conversations are kept.".to_owned(),
            })?;
        }
        Invocation::Stop => stop(&running, json).await?,
        Invocation::Restart => {
            match disconnect(&client, &running, false).await {
                Err(fault) if fault.code != FaultCode::DaemonDown && fault.code != FaultCode::BrowserDown => {
                    return Err(fault);
                }
                _ => {}
            }
            stop(&running, true).await?;
            connect::connect(&client, here()?, json, globals.session.as_deref(), terminal).await?;
        }
        Invocation::Status => {
            let status: Status = running.get("/status").await?;
            show(json, &status, || status.text())?;
        }
        Invocation::Doctor { report: true } => {
            let report = report(&client).await;
            show(true, &report, String::new)?;
        }
        Invocation::Doctor { report: false } => return check_hops(&client, json, terminal).await,
        Invocation::Upgrade { check } => {
            let by_agent = std::env::var_os(TOKEN_VARIABLE).is_some_and(|token| !token.is_empty());
            upgrade::run(&home, check, by_agent, json).await?;
        }
        Invocation::Skill(wanted) => match skill::run(wanted)? {
            (words, Some(done)) => show(json, &done, || words)?,
            (guide, None) => print(&guide),
        },
        Invocation::Chat { message, agent, model } => {
            let request = ChatRequest {
                client_id: ClientMessageId::random(),
                message,
                tab_id: tab(&globals)?,
                agent: agent.map(AgentName::new),
                model,
                cwd: here()?.cwd,
                path: here()?.path,
            };
            return chat::chat(&client, request, json, terminal).await;
        }
        Invocation::StopTurns => {
            stop_turns(&running, StopTurns { tab_id: tab(&globals)?, current: false }, json).await?;
        }
        Invocation::StopChat { all } => {
            let tab_id = if all { None } else { tab(&globals)? };
            stop_turns(&running, StopTurns { tab_id, current: !all }, json).await?;
        }
        Invocation::ContinueChat => {
            let request = ContinueTurns { tab_id: tab(&globals)? };
            let done: Empty = running.post("/continue", &request).await?;
            show(json, &done, || "What waited runs now.".to_owned())?;
        }
        Invocation::Sessions(wanted) => sessions::run(&client, wanted, tab(&globals)?, json, terminal).await?,
        Invocation::Settings(wanted) => settings::run(&client, wanted, json, terminal).await?,
        Invocation::Approvals(wanted) => approvals::run(&running, wanted, json, terminal).await?,
        Invocation::Panels(wanted) => panels::run(&client, wanted, json, terminal).await?,
        Invocation::Policy(wanted) => policy::run(&client, wanted, json, terminal).await?,
        Invocation::Mcp(wanted) => {
            let place = (globals.session.as_deref(), tab(&globals)?);
            mcp::run(&client, wanted, place, json).await?;
        }
        Invocation::Audit(request) => audit::run(&client, request, json, terminal).await?,
        Invocation::Agents => {
            let agents: Agents = client.read("/agents/look", &LookForAgents { path: here()?.path }).await?;
            show(json, &agents, || agents_text(&agents, terminal))?;
        }
        Invocation::Activity { follow } => activity::activity(&running, follow, json, terminal).await?,
        Invocation::InstallHost { user_data_dir, dry_run } => {
            hosts::install(&home, hosts::options(user_data_dir, dry_run), json, terminal)?;
        }
        Invocation::UninstallHost { user_data_dir, dry_run } => {
            hosts::uninstall(&hosts::options(user_data_dir, dry_run), json)?;
        }
        // Shown above.
        Invocation::Document(_) => {}
        Invocation::Browser { command, args } => {
            return browser_command::run(&client, command, args, &globals).await;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Asks an older daemon to hand over. Who converses or connects waits for the new one; a command goes on with the old
/// one where turns keep that busy.
async fn renew(home: &Home, invocation: &Invocation) {
    let patient = matches!(invocation, Invocation::Connect { .. } | Invocation::Chat { .. });
    if !patient && !matches!(invocation, Invocation::Browser { .. }) {
        return;
    }
    let waits = |handing_over: &HandingOver| {
        let minutes = handing_over.seconds / 60;
        tell(&format!("gstack is updated: {} turns finish first, within {minutes} minutes.", handing_over.turns));
    };
    match handover::take_over(home, patient, waits).await {
        Takeover::Done | Takeover::Busy => {}
        Takeover::Slow => tell("The older gstack has not ended yet; this command uses it."),
        Takeover::Refused(fault) => {
            tell(&format!("An older gstack runs and does not hand over ({fault}); `gstack stop` ends it."));
        }
    }
}

async fn stop_turns(running: &Client, request: StopTurns, json: bool) -> Result<(), Fault> {
    let stopped: Stopped = running.post("/stop-turns", &request).await?;
    let words = match stopped.turns {
        0 => "Nothing was running.".to_owned(),
        1 => "Stopped 1 turn.".to_owned(),
        n => format!("Stopped {n} turns."),
    };
    show(json, &stopped, || words)
}

/// What this terminal is: its folder, its PATH, and what a browser needs of its environment.
fn here() -> Result<ConnectRequest, Fault> {
    let cwd = match std::env::current_dir().map(PathBuf::into_os_string) {
        Ok(folder) => Some(folder.into_string().map_err(|odd| not_utf8("the current folder", odd.as_ref()))?),
        // It was deleted.
        Err(_) => None,
    };
    Ok(ConnectRequest {
        cwd,
        environment: connect::browser_environment(),
        path: std::env::var("PATH").ok().filter(|path| !path.is_empty()),
        ..ConnectRequest::default()
    })
}

/// Paths travel as JSON. Another name in the place of one that does not fit would be another file.
fn not_utf8(what: &str, name: &Path) -> Fault {
    Fault::new(FaultCode::BadRequest, format!("{what} is not valid UTF-8: {}", name.display()))
        .hint("Rename the file or folder, or use a link to it with another name.")
}

fn tab(globals: &Globals) -> Result<Option<TabId>, Fault> {
    if globals.tab.is_some() {
        return Ok(globals.tab);
    }
    let named = std::env::var_os(TAB_VARIABLE).map(|text| text.to_string_lossy().into_owned());
    match named.filter(|text| !text.is_empty()) {
        None => Ok(None),
        Some(text) => text.parse().map(Some).map_err(|_| {
            Fault::new(FaultCode::BadRequest, format!("{TAB_VARIABLE}={text} is not a tab number"))
                .hint("`gstack tabs` lists the numbers.")
        }),
    }
}

async fn disconnect(client: &Client, running: &Client, force: bool) -> Result<Disconnected, Fault> {
    // A browser that outlived its daemon is taken over by a new one to be closed.
    let kept = FileLock::is_held(&client.home().keeper_lock()).unwrap_or(false);
    let of_browser = if kept { client } else { running };
    of_browser.post("/disconnect", &Disconnect { force }).await
}

/// Ends the daemon and waits until it has; that none runs is success.
async fn stop(running: &Client, json: bool) -> Result<(), Fault> {
    match running.post::<_, Stopping>("/stop", &Empty {}).await {
        Ok(Stopping { pid }) => {
            if !ending::within(running.home(), pid, STOP_LIMIT).await {
                return Err(Fault::new(FaultCode::Timeout, "the daemon was told to end and has not ended yet")
                    .hint("Wait a moment, then run `gstack status`."));
            }
            say(
                json,
                match FileLock::is_held(&running.home().keeper_lock()).unwrap_or(false) {
                    true => "Stopped. The browser stays open; `gstack connect` uses it again.",
                    false => "Stopped.",
                },
            );
            Ok(())
        }
        Err(fault) if fault.code == FaultCode::DaemonDown => {
            say(json, "gstack was not running.");
            Ok(())
        }
        Err(fault) => Err(fault),
    }
}

async fn check_hops(client: &Client, json: bool, terminal: Terminal) -> Result<ExitCode, Fault> {
    let report = doctor::examine(client).await;
    let all_well = report.hops.iter().all(|hop| hop.ok);
    if json {
        show(true, &report, String::new)?;
    } else {
        doctor::print_report(&report, terminal);
    }
    Ok(if all_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What is known of this machine, for a maintainer.
async fn report(client: &Client) -> report::Report {
    let looked = doctor::examine(client).await;
    let agents = match here() {
        Ok(here) => client.read::<_, Agents>("/agents/look", &LookForAgents { path: here.path }).await.ok(),
        Err(_) => None,
    };
    report::of(client.home(), &looked, agents.as_ref())
}

fn agents_text(agents: &Agents, terminal: Terminal) -> String {
    let lines = agents.agents.iter().map(|agent| {
        let mark = if agent.fault.is_none() { terminal.good("✓") } else { terminal.bad("✗") };
        let version = agent.version.as_deref().unwrap_or_default();
        let default = if agent.default { " (default)" } else { "" };
        let label = format!("{} {version}", agent.label);
        let mut line = format!("{mark} {:<12} {}{default}", agent.name.as_str(), label.trim_end());
        if let Some(path) = &agent.path {
            line.push_str(&terminal.dim(&format!("  {path}")));
        }
        if let Some(account) = &agent.account {
            line.push_str(&format!("\n    Signed in: {account}"));
        }
        if let Some(warning) = &agent.warning {
            line.push_str(&format!("\n    {warning}"));
        }
        if let Some(fault) = &agent.fault {
            line.push_str(&format!("\n    {}", fault.message));
            if let Some(command) = &fault.command {
                line.push_str(&format!("\n    Run: {command}"));
            }
        }
        line
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Prints a value as JSON, or its text.
fn show<T: Serialize>(json: bool, value: &T, text: impl FnOnce() -> String) -> Result<(), Fault> {
    if json {
        let encoded =
            serde_json::to_string_pretty(value).map_err(|e| Fault::new(FaultCode::Internal, e.to_string()))?;
        print_line(&encoded);
    } else {
        let text = text();
        if text.is_empty() { print("") } else { print_line(&text) }
    }
    Ok(())
}

/// Talk beside the data.
fn tell(words: &str) {
    // A terminal that went away needs no words.
    writeln!(std::io::stderr(), "{words}").ok();
}

/// Says that something was done, unless JSON was asked for: then the exit code says it.
fn say(json: bool, words: &str) {
    if !json {
        print_line(words);
    }
}
