//! `gstack flow`: what was done once in a browser, run again without a model.
//!
//! Owns the order of each subcommand. `gstack_flows` owns the files and the runs, `options` the options, `text` the text.

pub(super) mod options;
mod recording;
mod report;
mod schedule;
mod text;
mod timers;

use super::arguments::Globals;
use super::choice::Choice;
use super::here::driver;
use super::terminal::{OUTCOME_UNKNOWN, Terminal, USAGE, clean, print, print_line, show, tell, visible_line};
use super::{browser_command, confirm};
use gstack_base::clock::now_millis;
use gstack_base::counted::counted;
use gstack_base::home::Home;
use gstack_base::lineage;
use gstack_client::http::Client;
use gstack_flows::{
    At, Begun, Change, Commands, FlowError, Follower, Found, INSTRUCTIONS, Made, Next, Outcome, Record, Runs, SCHEMA,
    StepReport, Wanted, allow, distil, export, find, import, keep as keep_healed, list, save,
};
use gstack_protocol::activity::ActivityPage;
use gstack_protocol::command::{CommandRequest, CommandResult};
use gstack_protocol::control::{AskAlone, AskedAlone};
use gstack_protocol::fault::{Fault, FaultCode};

use options::Flows;
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;
use text::{broken, healed_lines, lines, step_line, summary, told};

/// Sends the commands of a flow as this terminal sends its own.
struct Sender<'a> {
    client: &'a Client,
    globals: &'a Globals,
    choice: &'a Choice,
}

impl Commands for Sender<'_> {
    async fn run(&self, command: &str, words: Vec<String>, at: &At) -> Result<CommandResult, Fault> {
        let request = browser_command::request(command.to_owned(), words, self.globals, self.choice)?;
        let At { tab, acts_on } = at.clone();
        let request = CommandRequest { tab_id: tab.or(request.tab_id), acts_on, ..request };
        self.client.post("/command", &request).await
    }
}

/// Prints each step as it ends, and stops at one that is not done, unless it can be healed.
struct Printer<'a> {
    client: &'a Client,
    found: &'a Found,
    json: bool,
    /// Whether an agent may be asked.
    heal: bool,
    /// The last step that it was asked about: once each.
    healed: Option<usize>,
    /// The agent that answered.
    agent: String,
}

impl Follower for Printer<'_> {
    async fn begins(&mut self, _step: &Begun) {}

    async fn ended(&mut self, report: &StepReport) {
        if !self.json {
            print_line(&clean(&step_line(report)));
        }
    }

    async fn next(&mut self, report: &StepReport) -> Next {
        if self.heal && report.can_heal && self.healed.replace(report.step) != Some(report.step) {
            return Next::Heal;
        }
        if let Some(why) = report.message.as_ref().filter(|_| self.healed == Some(report.step)) {
            tell(&clean(why));
        }
        Next::Stop
    }

    async fn ask(&mut self, question: String) -> Result<String, Fault> {
        tell("Asking the agent, which can do nothing meanwhile …");
        let asked = AskAlone { instructions: INSTRUCTIONS.to_owned(), prompt: question };
        let AskedAlone { agent, text } = self.client.post("/agents/ask", &asked).await?;
        self.agent = agent;
        Ok(text)
    }

    async fn approve(&mut self, change: &Change) -> Result<bool, Fault> {
        tell(&clean(&healed_lines(&self.agent, self.found, change)));
        let approved = confirm::ask("Replace this line and go on with the step?").await?;
        if approved {
            keep_healed(self.client.home(), self.found, change)?;
        }
        Ok(approved)
    }
}

pub(super) async fn run(
    client: &Client,
    wanted: Flows,
    (globals, choice): (&Globals, &Choice),
    terminal: Terminal,
) -> Result<ExitCode, Fault> {
    let (home, json) = (client.home(), globals.json);
    let folder = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    let found = |flow: &str| find(home, &folder, flow);
    match wanted {
        Flows::List => {
            let listed = list(home, &folder)?;
            show(json, &listed, || lines(&listed))?;
        }
        Flows::Show { flow } => {
            let found = found(&flow)?;
            let flow = match found.flow() {
                Err(FlowError::Problems { problems, .. }) => {
                    let shown = json!({ "file": found.file, "allowed": found.may_run, "problems": problems });
                    show(json, &shown, || broken(&found, &problems))?;
                    return Ok(ExitCode::from(USAGE));
                }
                flow => flow?,
            };
            let shown = json!({ "file": found.file, "allowed": found.may_run, "flow": flow });
            show(json, &shown, || clean(&told(&found, &flow)))?;
        }
        Flows::Check { flow } => return check(&found(&flow)?, json),
        Flows::Trust { flow, yes } => {
            let found = found(&flow)?;
            // It is shown and kept only if it can run.
            found.flow()?;
            trust(home, &found, yes, json).await?;
            let file = visible_line(&found.file.display().to_string());
            show(json, &json!({ "file": found.file, "allowed": true, "text": found.text }), || {
                format!("{file} may run with this content.")
            })?;
        }
        Flows::Run { flow, set, from, timeout, report: folder, heal } => {
            let found = found(&flow)?;
            if heal && (!confirm::can_ask() || lineage::agent_started_us()) {
                return Err(Fault::new(
                    FaultCode::Forbidden,
                    "--heal shows you each change, and nobody can be asked here",
                )
                .hint("Run it in a terminal, or without --heal."));
            }
            let sender = Sender { client, globals, choice };
            folder.as_deref().map(report::create).transpose()?;
            let (found, healed, agent) = (&found, None, String::new());
            let mut printer = Printer { client, found, json, heal, healed, agent };
            let wanted = Wanted { set, from, timeout, pictures: folder.clone() };
            let ran = gstack_flows::run(&Runs::of(home), found, &wanted, &sender, &mut printer).await;
            if let (Err(_), Some(folder)) = (&ran, &folder) {
                // Nothing was run, so nothing is in it.
                std::fs::remove_dir(folder).ok();
            }
            let report = ran?;
            folder.as_deref().map(|folder| report::write(folder, &report)).transpose()?;
            show(json, &report, || summary(&report))?;
            return Ok(match report.outcome {
                Outcome::Done => ExitCode::SUCCESS,
                Outcome::Failed | Outcome::Unmet => ExitCode::FAILURE,
                Outcome::Unknown => ExitCode::from(OUTCOME_UNKNOWN),
            });
        }
        Flows::Schedule(wanted) => schedule::add(home, &folder, wanted, json).await?,
        Flows::Schedules => schedule::list(home, json)?,
        Flows::Unschedule { flow } => schedule::remove(home, &flow, json)?,
        Flows::RunScheduled { id } => return schedule::run(client, &id, json, terminal).await,
        Flows::Save { name, turn, minutes, set, replace } => {
            let page: ActivityPage = client.get("/activity/history").await?;
            let record = match (turn, minutes) {
                (Some(turn), _) => Record::Turn(turn),
                (None, None) => Record::LastTurn,
                (None, Some(minutes)) => {
                    let since = now_millis().saturating_sub(minutes * 60_000);
                    Record::Terminal { driver: driver(globals.driver.as_deref())?, since }
                }
            };
            keep(home, &name, distil(&page.entries, &record, &set)?, replace, json)?;
        }
        Flows::Record { name, stop: true, .. } => {
            recording::stop(home, &name).await?;
            show(json, &json!({ "stopped": name }), || format!("Ended the recording of {name}."))?;
        }
        Flows::Record { name, replace, stop: false } => {
            let (made, _stops) = recording::record(client, &name, replace, globals).await?;
            keep(home, &name, made, replace, json)?;
        }
        Flows::Import { name, file, replace } => {
            let unreadable = |error: std::io::Error| {
                Fault::new(FaultCode::BadRequest, format!("{} cannot be read: {error}", file.display()))
                    .hint("Name the file of a recording, or - for standard input.")
            };
            let text = match file.to_str() {
                Some("-") => std::io::read_to_string(std::io::stdin()).map_err(unreadable)?,
                _ => std::fs::read_to_string(&file).map_err(unreadable)?,
            };
            keep(home, &name, import(&text)?, replace, json)?;
        }
        Flows::Export { flow, form, set } => {
            let found = found(&flow)?;
            print(&clean(&export(&found.name, &found.flow()?, form, &set)?));
        }
        Flows::Schema => print(SCHEMA),
    }
    Ok(ExitCode::SUCCESS)
}

/// Keeps a new flow in the person's own folder, and says what is not in it.
fn keep(home: &Home, name: &str, made: Made, replace: bool, json: bool) -> Result<(), Fault> {
    let Made { flow, left_out } = made;
    let file = save(home, name, &flow.to_text(), replace)?;
    let unset = flow.parameters.iter().filter(|(_, parameter)| parameter.default.is_none());
    let set: Vec<String> = unset.map(|(name, _)| format!(" --set {name}=…")).collect();
    show(json, &json!({ "file": file, "flow": flow, "leftOut": left_out }), || {
        let steps = counted(flow.steps.len(), "step");
        let mut text =
            format!("Saved {steps} in {}\nTo run it: gstack flow run {name}{}", file.display(), set.concat());
        text.extend(left_out.iter().map(|line| format!("\nLeft out: {}", visible_line(line))));
        text
    })
}

/// Prints every problem on a line: `FILE:LINE: what is wrong. What to do.`
fn check(found: &Found, json: bool) -> Result<ExitCode, Fault> {
    let problems = match found.flow() {
        Ok(_) => Vec::new(),
        Err(FlowError::Problems { problems, .. }) => problems,
        Err(other) => return Err(other.into()),
    };
    let file = visible_line(&found.file.display().to_string());
    show(json, &json!({ "file": found.file, "problems": problems }), || match problems.is_empty() {
        true => format!("{file}: no problems"),
        false => {
            let lines = problems
                .iter()
                .map(|problem| clean(&format!("{file}:{}: {}. {}", problem.line, problem.message, problem.hint)));
            lines.collect::<Vec<_>>().join("\n")
        }
    })?;
    Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(USAGE) })
}

/// Shows the content before it is allowed, with `--yes` too.
async fn trust(home: &Home, found: &Found, yes: bool, json: bool) -> Result<(), Fault> {
    if found.is_own {
        return Ok(());
    }
    if !yes && (!confirm::can_ask() || lineage::agent_started_us()) {
        return Err(Fault::new(FaultCode::Forbidden, "nobody can be asked here")
            .hint("Run it in a terminal, or read the file and add --yes."));
    }
    // With --json, the content is in the answer.
    if !json || !yes {
        print_line(&found.text.lines().map(visible_line).collect::<Vec<_>>().join("\n"));
    }
    if !yes && !confirm::ask("It acts in your browser, with your logins. Allow this content to run?").await? {
        return Err(Fault::new(FaultCode::Denied, "it was not allowed").hint("Nothing was changed."));
    }
    Ok(allow(home, found)?)
}
