//! The command line: parses, asks the daemon, prints.
//!
//! Owns the text and exit codes on a terminal. Never does a command's work itself.

mod action_lines;
mod activity;
mod agents;
mod agents_shell;
mod approvals;
pub mod arguments;
#[cfg(test)]
mod arguments_tests;
mod audit;
mod auth;
pub mod browser_command;
mod cdp;
mod cdp_provider;
mod chat;
mod choice;
pub mod command_line;
mod confirm;
mod connect;
mod doctor;
mod ending;
mod evidence;
mod flow;
mod help;
mod here;
mod hidden_input;
mod hosts;
mod instances;
pub mod json_output;
mod mcp;
mod moment;
mod panels;
mod policy;
mod profiles;
mod progress;
mod questions;
mod remote;
mod remote_pictures;
mod report;
mod run;
mod sessions;
mod settings;
mod shell;
mod skill;
mod standard_input;
mod terminal;
mod terminal_prompts;
mod tunnel;
mod tunnel_client;
mod upgrade;
mod usage;
mod view;

use arguments::{Globals, Invocation};
use choice::Choice;
use ending::{disconnect, stop, stop_turns};
use gstack_base::browser_names::BrowserName;
use gstack_base::counted::counted;
use gstack_base::home::{HOME_VARIABLE, Home};
use gstack_client::agent_relay;
use gstack_client::http::Client;
use gstack_client::upgrade::{DaemonUpgrade, upgrade_daemon};
use gstack_protocol::agents::Agents;
use gstack_protocol::basics::Empty;
use gstack_protocol::command::{PORT_VARIABLE, TOKEN_VARIABLE};
use gstack_protocol::control::{ChatRequest, ConnectRequest, ContinueTurns, HandingOver, LookForAgents, StopTurns};
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::ids::{AgentName, ClientMessageId};
use gstack_protocol::status::Status;
use here::{here, not_utf8, place, tab};
use std::ffi::OsString;
use std::process::ExitCode;
use terminal::{Terminal, print, print_line, show, tell};

/// A command line that was understood, and that needs an async runtime.
pub struct Parsed {
    arguments: Vec<String>,
    globals: Globals,
    invocation: Invocation,
    terminal: Terminal,
}

/// Parses the command line. Prints help, the version, documents and usage errors, which need no runtime.
///
/// # Errors
///
/// Returns the exit code if there is nothing left to run.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Parsed, ExitCode> {
    let terminal = Terminal::detect();
    let arguments: Vec<String> = match arguments.into_iter().map(OsString::into_string).collect() {
        Ok(arguments) => arguments,
        Err(odd) => return Err(terminal.fail(&not_utf8("the argument", odd.as_ref()), None)),
    };
    let (globals, invocation) = match arguments::parse(&arguments) {
        Ok(parsed) => parsed,
        Err(error) => {
            let Some(fault) = usage::fault_of(&error) else {
                // Help and version are errors too; clap knows their stream and exit code.
                error.print().ok();
                return Err(ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(terminal::USAGE)));
            };
            let json = arguments.iter().take_while(|word| *word != "--").any(|word| word == "--json");
            return Err(fail(&fault, &arguments, json, terminal));
        }
    };
    // Documents need no home: a package's build generates them.
    if let Invocation::Document(document) = &invocation {
        return Err(match shell::show(document) {
            Ok(()) => ExitCode::SUCCESS,
            Err(fault) => fail(&fault, &arguments, globals.json, terminal),
        });
    }
    Ok(Parsed { arguments, globals, invocation, terminal })
}

/// Runs one invocation and returns its exit code.
pub async fn run(Parsed { arguments, globals, invocation, terminal }: Parsed) -> ExitCode {
    let (json, session) = (globals.json, globals.session.clone());
    match dispatch(globals, invocation, terminal).await {
        Ok(code) => code,
        Err(fault) => fail(&usage::for_session(fault, session.as_deref()), &arguments, json, terminal),
    }
}

/// Prints a failure. With `--json` it has the same form as over HTTP, on stdout; the message still goes to stderr.
fn fail(fault: &Fault, arguments: &[String], json: bool, terminal: Terminal) -> ExitCode {
    if json && let Ok(answer) = serde_json::to_string_pretty(&fault.answer()) {
        print_line(&terminal::escaped(&answer));
    }
    let usage = usage::is_usage(fault).then(|| usage::line(arguments));
    terminal.fail(fault, usage.as_deref())
}

async fn dispatch(globals: Globals, invocation: Invocation, terminal: Terminal) -> Result<ExitCode, Fault> {
    agents_shell::check(&invocation)?;
    if globals.browser.is_some() && (globals.remote.is_some() || !invocation.takes_browser()) {
        return Err(Fault::new(FaultCode::BadRequest, "--browser does not go with this command").hint(
            "It is for connect, disconnect, chat, status, mcp, cdp, tunnel, view, policy explain, policy test and the browser \
             commands. Others take --tab.",
        ));
    }
    if globals.driver.is_some() && (globals.remote.is_some() || !invocation.runs_browser_commands()) {
        return Err(Fault::new(FaultCode::BadRequest, "--driver is for browser commands on this machine")
            .hint("Leave it out here. A tunnel and `gstack mcp` take --name."));
    }
    if let Some(socket) = &globals.remote {
        return tunnel_client::run(socket, invocation, &globals).await;
    }
    if let Invocation::Mcp(mcp::Mcp::Socket { path }) = &invocation {
        tunnel_client::bridge(path).await?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Invocation::Mcp(mcp::Mcp::Agent { token_file }) = &invocation {
        agent_relay::relay(token_file).await?;
        return Ok(ExitCode::SUCCESS);
    }
    let token = std::env::var(TOKEN_VARIABLE).ok().filter(|token| !token.is_empty());
    let port = std::env::var(PORT_VARIABLE).ok().and_then(|port| port.parse().ok()).filter(|_| token.is_some());
    // An agent's sandbox hides the home.
    let named = std::env::var_os(HOME_VARIABLE).filter(|_| port.is_some() && globals.session.is_none());
    let choice = match invocation.acts_in_an_instance() {
        true => choice::asking(globals.session.as_deref()).await?,
        false => choice::without_asking(globals.session.as_deref()).unwrap_or_default(),
    };
    let home = match named {
        Some(root) => Home::named(root.into()),
        None => Home::locate(choice.session.as_deref())
            .map_err(|e| Fault::new(FaultCode::Storage, e.to_string()).hint(e.hint()))?,
    };
    let client = Client::new(home.clone()).with_token(token.clone()).at_port(port);
    let running = Client::of_running(home.clone()).with_token(token).at_port(port);
    let json = globals.json;
    if port.is_none() {
        renew(&home, &invocation).await;
    }
    match invocation {
        Invocation::Connect { name, program, headless, url, arguments, attach, everyday, remote, profile } => {
            let (remote, keys) = remote::resolve(remote)?;
            let name = connect::name(name, &globals)?;
            let is_own = attach.is_none() && !everyday && remote.is_none();
            let profile = match (is_own, &name) {
                (false, _) => None,
                (true, None) => choice.profile(profile),
                // No two browsers use the same profile, so only an option is for this one.
                (true, Some(_)) => profile,
            };
            let request = ConnectRequest {
                name,
                program,
                headless,
                url,
                arguments,
                attach,
                everyday,
                remote,
                keys,
                profile,
                ..here()?
            };
            connect::connect(&client, request, json, globals.session.as_deref(), terminal).await?;
        }
        Invocation::Disconnect { force } => {
            let (_, name) = place(globals.tab, globals.browser.as_ref())?;
            let name = name.and_then(|name| BrowserName::parse(&name).ok());
            let disconnected = disconnect(&client, &running, force, name.as_ref()).await?;
            show(json, &disconnected, || ending::text(&disconnected))?;
        }
        Invocation::Stop => stop(&running, json).await?,
        Invocation::Restart => {
            // The browser opens again with the logins that it had.
            let open = running.get::<Status>("/status").await.ok().and_then(|status| status.profile);
            match disconnect(&client, &running, false, None).await {
                Err(fault) if fault.code != FaultCode::DaemonDown && fault.code != FaultCode::BrowserDown => {
                    return Err(fault);
                }
                _ => {}
            }
            stop(&running, true).await?;
            let request = ConnectRequest { profile: open.or_else(|| choice.profile(None)), ..here()? };
            connect::connect(&client, request, json, globals.session.as_deref(), terminal).await?;
        }
        Invocation::Status => {
            let status: Status = running.get("/status").await?;
            let status = Status { chosen_by: Some(choice.source()), ..status };
            show(json, &status, || status.text(choice.told()))?;
        }
        Invocation::Doctor { report: true } => {
            let report = report(&client).await;
            show(true, &report, String::new)?;
        }
        Invocation::Doctor { report: false } => return check_hops(&client, &choice, json, terminal).await,
        Invocation::Upgrade { check } => {
            upgrade::run(&home, check, json).await?;
        }
        Invocation::Skill(wanted) => match skill::run(wanted)? {
            (words, Some(done)) => show(json, &done, || words)?,
            (guide, None) => print(&guide),
        },
        Invocation::Chat { message, agent, model, mode } => {
            let (tab_id, browser) = place(globals.tab, globals.browser.as_ref())?;
            let request = ChatRequest {
                client_id: ClientMessageId::random(),
                message,
                tab_id,
                browser,
                agent: agent.map(AgentName::new),
                model,
                mode,
                cwd: here()?.cwd,
                path: here()?.path,
            };
            return chat::chat(&client, request, json, terminal).await;
        }
        Invocation::StopTurns => {
            stop_turns(&running, StopTurns { tab_id: tab(globals.tab)?, current: false }, json).await?;
        }
        Invocation::StopChat { all } => {
            let tab_id = if all { None } else { tab(globals.tab)? };
            stop_turns(&running, StopTurns { tab_id, current: !all }, json).await?;
        }
        Invocation::ContinueChat => {
            let request = ContinueTurns { tab_id: tab(globals.tab)? };
            let done: Empty = running.post("/continue", &request).await?;
            show(json, &done, || "The waiting messages are running now.".to_owned())?;
        }
        Invocation::Sessions(wanted) => sessions::run(&client, wanted, tab(globals.tab)?, json, terminal).await?,
        Invocation::Evidence(wanted) => evidence::run(&client, wanted, tab(globals.tab)?, json).await?,
        Invocation::Settings(wanted) => settings::run(&client, wanted, json, terminal).await?,
        Invocation::Approvals(wanted) => approvals::run(&running, wanted, json, terminal).await?,
        Invocation::Auth(wanted) => auth::run(&client, wanted, json, terminal).await?,
        Invocation::Panels(wanted) => panels::run(&client, wanted, json, terminal).await?,
        Invocation::Instances(wanted) => {
            return instances::run(&home, wanted, (globals.session.as_deref(), &choice), json, terminal).await;
        }
        Invocation::Flow(wanted) => return flow::run(&client, wanted, (&globals, &choice), terminal).await,
        Invocation::Fleet(wanted) => return run::run(&home, wanted, json).await,
        Invocation::Profiles(wanted) => profiles::run(&home, wanted, json, terminal).await?,
        Invocation::Policy(wanted) => {
            let place = match wanted.is_about_a_browser() {
                true => place(globals.tab, globals.browser.as_ref())?,
                false => (None, None),
            };
            return policy::run(&client, wanted, place, json, terminal).await;
        }
        Invocation::Mcp(wanted) => {
            let place =
                (globals.session.as_deref(), place(globals.tab, globals.browser.as_ref())?, choice.profile(None));
            mcp::run(&client, wanted, place, json).await?;
        }
        Invocation::Cdp(wanted) => {
            cdp::run(&client, wanted, place(globals.tab, globals.browser.as_ref())?, json).await?
        }
        Invocation::View(wanted) => {
            view::run(&client, wanted, place(globals.tab, globals.browser.as_ref())?, json).await?
        }
        Invocation::Tunnel(wanted) => {
            return tunnel::run(&client, wanted, place(globals.tab, globals.browser.as_ref())?, json).await;
        }
        Invocation::Audit(request) => audit::run(&client, request, json, terminal).await?,
        Invocation::Agents => {
            let agents: Agents = client.read("/agents/look", &LookForAgents { path: here()?.path }).await?;
            show(json, &agents, || agents::text(&agents, terminal))?;
        }
        Invocation::Activity { follow } => activity::activity(&running, follow, json, terminal).await?,
        Invocation::InstallHost { user_data_dir, dry_run } => {
            hosts::install(&home, hosts::options(user_data_dir, dry_run), json, terminal)?;
        }
        Invocation::UninstallHost { user_data_dir, dry_run } => {
            hosts::uninstall(&hosts::options(user_data_dir, dry_run), json)?;
        }
        // `parse` has printed it.
        Invocation::Document(_) => {}
        Invocation::Browser { command, args } => {
            return browser_command::run(&client, command, args, (&globals, &choice)).await;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Asks an older daemon to end for an upgrade. `connect` and `chat` wait for the new one; a browser command uses the
/// old one if turns keep it busy.
async fn renew(home: &Home, invocation: &Invocation) {
    let patient = matches!(invocation, Invocation::Connect { .. } | Invocation::Chat { .. });
    if !patient && !invocation.runs_browser_commands() {
        return;
    }
    let waits = |handing_over: &HandingOver| {
        let minutes = handing_over.seconds / 60;
        let turns = counted(handing_over.turns, "running turn");
        tell(&format!("gstack is being updated: waiting for {turns}, {minutes} minutes at most."));
    };
    match upgrade_daemon(home, patient, waits).await {
        DaemonUpgrade::Done | DaemonUpgrade::Busy => {}
        DaemonUpgrade::Slow => tell("The older gstack has not ended yet; this command uses it."),
        DaemonUpgrade::Refused(fault) => {
            tell(&format!(
                "An older gstack is running and does not hand over ({fault}). To end it, run `gstack \
                stop`."
            ));
        }
    }
}

async fn check_hops(client: &Client, choice: &Choice, json: bool, terminal: Terminal) -> Result<ExitCode, Fault> {
    let report = doctor::examine(client).await;
    let all_well = report.hops.iter().all(|hop| hop.ok);
    if json {
        show(true, &report, String::new)?;
    } else {
        doctor::print_report(&report, client.home().session_or_default(), choice.told(), terminal);
    }
    Ok(if all_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Collects the report about this machine for a maintainer.
async fn report(client: &Client) -> report::Report {
    let looked = doctor::examine(client).await;
    let agents = match here() {
        Ok(here) => client.read::<_, Agents>("/agents/look", &LookForAgents { path: here.path }).await.ok(),
        Err(_) => None,
    };
    report::of(client.home(), &looked, agents.as_ref())
}
