//! `gstack flow schedule`: runs a flow by the system's timer, with a grant that the person reads first.
//!
//! Owns the order: grant, confirmation, timer; and one scheduled run with its report. `timers` owns the files, the grant's checks
//! are `gstack_flows`'.

use super::super::chat;
use super::super::confirm;
use super::super::terminal::{Terminal, clean, print_line, show, visible_line};
use super::options::NewSchedule;
use super::timers::{self, Started};
use gstack_base::clock;
use gstack_base::home::Home;
use gstack_base::lineage;
use gstack_client::http::Client;
use gstack_flows::{Cron, Found, Grant, LastRun, find};
use gstack_protocol::command::{CommandRequest, CommandResult};
use gstack_protocol::control::ChatRequest;
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::ids::{ClientMessageId, TabId};
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;

/// Shows the grant, asks for it, and starts the timer.
pub(super) async fn add(home: &Home, folder: &Path, wanted: NewSchedule, json: bool) -> Result<(), Fault> {
    let NewSchedule { flow, cron, utc, until, set, yes } = wanted;
    let found = find(home, folder, &flow)?;
    let calendar = Cron::read(&cron).map_err(|why| {
        Fault::new(FaultCode::BadRequest, why)
            .hint("As in: --cron \"30 7 * * mon-fri\", which is 07:30 on working days.")
    })?;
    let grant = Grant::of(home, &found, &set, (&cron, utc), &until)?;
    let started = Started::of(home, &grant)?;
    let files = timers::files(&grant, &calendar, &started)?;
    if !yes && (!confirm::can_ask() || lineage::agent_started_us()) {
        return Err(
            Fault::new(FaultCode::Forbidden, "nobody can be asked here").hint("Run it in a terminal, or add --yes.")
        );
    }
    // With --json, it is in the answer.
    if !json || !yes {
        print_line(&clean(&told(&grant, &found, &calendar)));
    }
    if !yes && !confirm::ask("Let it run by itself?").await? {
        return Err(Fault::new(FaultCode::Denied, "it was not scheduled").hint("Nothing was changed."));
    }
    grant.keep(home)?;
    if let Err(fault) = timers::start(&grant, &files, &started.line()) {
        grant.remove(home)?;
        return Err(fault);
    }
    let paths: Vec<_> = files.iter().map(|file| file.path.clone()).collect();
    show(json, &json!({ "scheduled": grant, "files": paths }), || format!("Scheduled {}.", grant.flow))
}

fn told(grant: &Grant, found: &Found, calendar: &Cron) -> String {
    let list = |texts: &std::collections::BTreeSet<String>| texts.iter().cloned().collect::<Vec<_>>().join(", ");
    let zone = if grant.utc { "UTC" } else { "this machine's time" };
    let mut text = format!(
        "{} runs by itself, with your logins and without a question:\n  file   {} (with its present content only)\n  \
         when   {} ({zone})\n  until  {}\n  sites  {}\n  acts   {}",
        grant.flow,
        visible_line(&found.file.display().to_string()),
        grant.cron,
        grant.until,
        list(&grant.sites),
        list(&grant.kinds)
    );
    text.extend(grant.set.iter().map(|(name, value)| format!("\n  set    {name}={}", visible_line(value))));
    if calendar.may_skip() && !grant.utc {
        text.push_str(
            "\nOn the night when clocks are set forward, a time that does not exist is left out (--utc has none).",
        );
    }
    text
}

/// Lists the schedules.
pub(super) fn list(home: &Home, json: bool) -> Result<(), Fault> {
    let grants = Grant::list(home);
    show(json, &grants, || {
        let line = |grant: &Grant| {
            let last = match &grant.last {
                None => "has not run yet".to_owned(),
                Some(LastRun { at, done: true }) => format!("done {}", clock::iso(*at)),
                Some(LastRun { at, done: false }) => format!("stopped {}", clock::iso(*at)),
            };
            let zone = if grant.utc { " UTC" } else { "" };
            let over = if grant.is_over() { ", which is over" } else { "" };
            format!("{}  {}{zone}  until {}{over}  {last}", grant.flow, grant.cron, grant.until)
        };
        match grants.is_empty() {
            true => "No flow is scheduled.".to_owned(),
            false => grants.iter().map(|grant| visible_line(&line(grant))).collect::<Vec<_>>().join("\n"),
        }
    })
}

/// Ends the schedules of a flow.
pub(super) fn remove(home: &Home, flow: &str, json: bool) -> Result<(), Fault> {
    let grants: Vec<Grant> = Grant::list(home).into_iter().filter(|grant| grant.flow == flow).collect();
    if grants.is_empty() {
        return Err(Fault::new(FaultCode::NotFound, format!("{flow} is not scheduled"))
            .hint("`gstack flow schedule` lists what is."));
    }
    for grant in &grants {
        timers::stop(grant)?;
        grant.remove(home)?;
    }
    show(json, &json!({ "removed": grants }), || format!("{flow} no longer runs by itself."))
}

/// Runs a scheduled flow once, as a conversation in a tab of its own. The daemon checks the grant, and tells the person how it
/// ended.
pub(super) async fn run(client: &Client, id: &str, json: bool, terminal: Terminal) -> Result<ExitCode, Fault> {
    let home = client.home();
    let grant = Grant::read(home, id)?;
    let ended = run_in_tab(client, &grant, json, terminal).await;
    let last = Some(LastRun { at: clock::now_millis(), done: ended.is_ok() });
    Grant { last, ..grant.clone() }.keep(home)?;
    if grant.is_over() {
        timers::stop(&grant)?;
    }
    ended
}

async fn run_in_tab(client: &Client, grant: &Grant, json: bool, terminal: Terminal) -> Result<ExitCode, Fault> {
    let command =
        |name: &str, args: Vec<String>| CommandRequest { command: name.to_owned(), args, ..CommandRequest::default() };
    // Never the tab that the person works in.
    let opened: CommandResult = client.post("/command", &command("newtab", Vec::new())).await?;
    let tab = opened.data.as_ref().and_then(|data| serde_json::from_value::<TabId>(data.get("id")?.clone()).ok());
    let tab = tab.ok_or_else(|| Fault::internal("the new tab has no number"))?;
    let request = ChatRequest {
        client_id: ClientMessageId::random(),
        message: format!("/{} --scheduled {}", grant.flow, grant.id),
        tab_id: Some(tab),
        browser: None,
        agent: None,
        model: None,
        mode: None,
        cwd: grant.file.parent().map(|folder| folder.display().to_string()),
        path: None,
    };
    let ended = chat::chat(client, request, json, terminal).await;
    // The tab of a run that stopped stays open: the person looks at it.
    if ended.as_ref().err().is_none_or(|fault| fault.code == FaultCode::Forbidden) {
        client.post::<_, CommandResult>("/command", &command("closetab", vec![tab.to_string()])).await?;
    }
    ended
}
