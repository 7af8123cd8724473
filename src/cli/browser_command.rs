//! Runs a browser command: sends its request to the daemon and prints the result.
//!
//! Owns the fast path that most of them take: one request by `client::direct`, without an async runtime. Anything other
//! than a plain browser command, or one that needs to start or upgrade the daemon, is left to `cli::parse` and `cli::run`.

use super::arguments::{self, Globals};
use super::choice::{self, Choice};
use super::here::{browser_environment, driver, here, place};
use super::terminal::{Terminal, show, tell};
use super::{fail, progress, standard_input, usage};
use gstack_base::counted::counted;
use gstack_base::home::Home;
use gstack_base::state::State;
use gstack_client::{direct, http::Client, upgrade};
use gstack_command::{envelope, registry};
use gstack_protocol::command::{CommandRequest, CommandResult, NO_AUTOSTART_VARIABLE, TOKEN_VARIABLE};
use gstack_protocol::fault::{Fault, FaultCode, Hop};
use std::ffi::OsString;
use std::io::IsTerminal;
use std::process::ExitCode;

/// Runs a command if the fast path can serve it. `None`: nothing was printed, and nothing was sent that may not be sent
/// again.
pub fn run_directly(words: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    // An agent's shell may have no access to the socket.
    if std::env::var_os(TOKEN_VARIABLE).is_some_and(|token| !token.is_empty()) {
        return None;
    }
    let words: Vec<String> = words.into_iter().map(OsString::into_string).collect::<Result<_, _>>().ok()?;
    let (globals, command, args) = arguments::browser_command(&words)?;
    if globals.remote.is_some() {
        return None;
    }
    let spec = registry::find(&command)?;
    if spec.tells_progress().is_some() || spec.reads_commands() && args.is_empty() {
        return None;
    }
    let choice = choice::without_asking(globals.session.as_deref())?;
    let home = Home::existing(choice.session.as_deref())?;
    if upgrade::runs_older(&home) {
        return None;
    }
    let request = request(command, args, &globals, &choice).ok()?;
    let answer = direct::post(&home, "/command", &request)?;
    if !spec.changes() && answer.as_ref().is_err_and(|fault| was_killed(&home, fault)) {
        // The normal path starts the next daemon and asks that.
        return None;
    }
    Some(told(answer, spec.changes(), globals.json).unwrap_or_else(|fault| {
        fail(&usage::for_session(fault, globals.session.as_deref()), &words, globals.json, Terminal::detect())
    }))
}

/// Runs a command on the normal path.
pub(super) async fn run(
    client: &Client,
    command: String,
    mut args: Vec<String>,
    (globals, choice): (&Globals, &Choice),
) -> Result<ExitCode, Fault> {
    let spec = registry::find(&command);
    if spec.is_some_and(|spec| spec.reads_commands()) && args.is_empty() {
        args.push(standard_input::chain().await?);
    }
    let request = request(command, args, globals, choice)?;
    let answer = match spec.and_then(|spec| spec.tells_progress()) {
        Some(doing) if !globals.json => progress::run(client, &request, doing).await,
        _ => client.post("/command", &request).await,
    };
    let answer = match answer {
        // The next daemon drives the same browser.
        Err(fault) if spec.is_some_and(|spec| !spec.changes()) && was_killed(client.home(), &fault) => {
            client.post("/command", &request).await
        }
        answer => answer,
    };
    told(answer, spec.is_none_or(|spec| spec.changes()), globals.json)
}

/// Returns true if the daemon was killed before it answered. One that was stopped removes its state, and is not started
/// again by a command that was running.
fn was_killed(home: &Home, fault: &Fault) -> bool {
    let is_cut_off = fault.code == FaultCode::OutcomeUnknown && fault.hop == Some(Hop::Daemon);
    is_cut_off && State::read(home).is_some()
}

/// Returns the request of a command that this terminal runs.
pub(super) fn request(
    command: String,
    args: Vec<String>,
    globals: &Globals,
    choice: &Choice,
) -> Result<CommandRequest, Fault> {
    let here = here()?;
    let (tab_id, browser) = place(globals.tab, globals.browser.as_ref())?;
    Ok(CommandRequest {
        command,
        args,
        tab_id,
        browser,
        cwd: here.cwd,
        environment: browser_environment(),
        profile: choice.profile(None),
        no_autostart: std::env::var_os(NO_AUTOSTART_VARIABLE).is_some_and(|v| !v.is_empty() && v != "0"),
        for_model: false,
        keeps: None,
        cursor: None,
        driver_id: None,
        driver_name: driver(globals.driver.as_deref())?,
        acts_on: None,
    })
}

/// Prints a command's result. `writes`: the command changes something, so it may have taken effect even if its answer
/// is lost.
pub(super) fn told(answer: Result<CommandResult, Fault>, writes: bool, json: bool) -> Result<ExitCode, Fault> {
    let result = answer.map_err(|fault| if writes { fault.of_writer() } else { fault.of_reader() })?;
    // The same format as over HTTP.
    show(json, &result.answer(), || match std::io::stdout().is_terminal() {
        // A pipe may be an agent's.
        true => envelope::unwrapped(&result.output),
        false => result.output.clone(),
    })?;
    if result.opened_browser && std::io::stderr().is_terminal() {
        tell("Opened a browser without a window. For one with the side panel: gstack disconnect, then gstack connect.");
    }
    if result.failed_steps > 0 {
        tell(&format!("gstack: {}", failed_steps(result.failed_steps)));
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

fn failed_steps(count: usize) -> String {
    format!("{} failed", counted(count, "step"))
}
