//! `gstack run`: runs a script or a flow for many items, over a bounded number of sessions.
//!
//! Owns the order of a run. Each session is an instance of its own that cannot outlive the run. The caller has the options
//! and prints the report.

#![deny(clippy::print_stdout, clippy::print_stderr)]
#![warn(unreachable_pub, missing_docs)]

mod flow;
mod folder;
mod html;
mod item;
mod items;
mod journal;
mod pool;
mod report;
mod session;
mod signals;
mod steps;

use flow::Flow;
use folder::{Folder, Manifest, encode};
use gstack_base::home::Home;
use gstack_base::profiles::DEFAULT;
use gstack_base::say::tell;
use gstack_protocol::control::ConnectRequest;
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::remote::{RemoteBrowser, SecretVariables};
use item::Setup;
use journal::Journal;
use pool::{Plan, Pool};
use report::{Report, Run};
use serde_json::{Value, json};
use session::{Left, Session};
use signals::Signals;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The parsed options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The script or the flow; `None` with `resume`.
    pub flow: Option<PathBuf>,
    /// A file with the items, or `-`.
    pub items: Option<PathBuf>,
    /// How many sessions at most run at once.
    pub browsers: Option<usize>,
    /// Where the browsers are; `None` for this machine.
    pub remote: Option<RemoteBrowser>,
    /// Opens windows on this machine.
    pub headed: bool,
    /// Uses a new session for each item.
    pub fresh: bool,
    /// The folder of the report.
    pub out: Option<PathBuf>,
    /// The folder of the run to go on with.
    pub resume: Option<PathBuf>,
    /// How long an item may take, in seconds.
    pub timeout: u64,
    /// How often an item whose session was lost is tried again.
    pub retries: usize,
}

/// A finished run, whose report is written.
#[derive(Debug)]
pub struct Finished {
    /// `report.json`.
    pub json: Vec<u8>,
    /// The end of the run for people. Nothing in it can act on the terminal.
    pub summary: String,
    /// Whether every item succeeded.
    pub is_well: bool,
    /// Whether a signal stopped it.
    pub interrupted: bool,
}

/// Runs it. `connects` says how a session opens a browser at a place: it reads what the person's terminal knows.
///
/// # Errors
///
/// Fails before the first session if something wanted cannot be used, and later if the report cannot be written.
pub async fn run(
    home: &Home,
    wanted: Wanted,
    connects: impl Fn(Option<RemoteBrowser>) -> Result<ConnectRequest, Fault>,
) -> Result<Finished, Fault> {
    let shared = home.shared().to_owned();
    let is_resumed = wanted.resume.is_some();
    let (folder, manifest, items, flow) = match wanted.resume.clone() {
        Some(path) => resume(home, path, &wanted)?,
        None => begin(home, wanted, &connects)?,
    };
    let request = connects(manifest.remote.clone())?;
    let is_local = request.remote.is_none();
    let request = ConnectRequest {
        headless: is_local.then_some(!manifest.headed),
        // Each session has its own, whatever the configuration says.
        profile: is_local.then(|| DEFAULT.to_owned()),
        ..request
    };
    let (journal, finished) = Journal::open(&folder.at("results.jsonl"))
        .map_err(|error| Fault::new(FaultCode::Storage, format!("results.jsonl cannot be opened: {error}")))?;
    let signals = Signals::default();
    let watching = signals.watch()?;
    let prefix = format!("run-{}", manifest.id);
    let left = if is_resumed { end_left(&shared, &prefix, &request.keys).await } else { Vec::new() };
    let limit = Duration::from_secs(manifest.timeout_seconds);
    let setup = Setup { file: manifest.flow.clone(), flow, shared: shared.clone(), items: folder.at("items"), limit };
    let count = items.len();
    let (retries, fresh) = (manifest.retries, manifest.fresh);
    let plan = Plan { setup, request, prefix, home: shared, retries, fresh, signals: signals.clone() };
    let end = Pool::new(plan, items, journal, (finished, left)).run(manifest.browsers).await;
    watching.abort();
    let run = Run {
        id: manifest.id,
        flow: manifest.flow.display().to_string(),
        started: manifest.started,
        browsers: manifest.browsers,
        items: count,
        interrupted: signals.interrupted.is_cancelled(),
    };
    finish(&folder, &Report::of(run, end))
}

/// Writes the report.
fn finish(folder: &Folder, report: &Report) -> Result<Finished, Fault> {
    let json = encode(report)?;
    folder.write("report.json", &json)?;
    folder.write("report.html", html::document(report).as_bytes())?;
    let place = folder.path().display();
    let mut summary = report.summary();
    summary.push_str(&format!("Report: {}", folder.at("report.html").display()));
    if report.totals.not_run + report.totals.lost > 0 {
        summary.push_str(&format!("\nTo run the rest: gstack run --resume {place}"));
    } else if !report.left.is_empty() {
        summary.push_str(&format!("\nTo end what is left: gstack run --resume {place}"));
    }
    Ok(Finished { json, summary, is_well: report.is_well(), interrupted: report.interrupted })
}

fn begin(
    home: &Home,
    wanted: Wanted,
    connects: impl Fn(Option<RemoteBrowser>) -> Result<ConnectRequest, Fault>,
) -> Result<(Folder, Manifest, Vec<Value>, Flow), Fault> {
    let bad = |message: String| Fault::new(FaultCode::BadRequest, message).hint("See `gstack help run`.");
    let file = wanted.flow.ok_or_else(|| bad("no flow is named".to_owned()))?;
    let (file, content, flow) = Flow::read(home, &file)?;
    let browsers = wanted.browsers.unwrap_or(1);
    let items = match wanted.items {
        Some(from) => {
            let text = match from.to_str() {
                Some("-") => std::io::read_to_string(std::io::stdin()).map_err(|error| bad(error.to_string()))?,
                _ => std::fs::read_to_string(&from)
                    .map_err(|error| bad(format!("the items cannot be read from {}: {error}", from.display())))?,
            };
            items::parse(&text).map_err(|why| bad(format!("the items cannot be used: {why}")))?
        }
        // A number would be taken for the value of a parameter.
        None if matches!(flow, Flow::Steps(_)) => vec![json!({}); browsers],
        None => (1..=browsers).map(Value::from).collect(),
    };
    flow.check_items(&items).map_err(bad)?;
    // Capabilities of a file are kept with the run; keys are not.
    let remote = connects(wanted.remote)?.remote;
    let manifest = Manifest {
        browsers,
        headed: wanted.headed,
        remote,
        timeout_seconds: wanted.timeout,
        retries: wanted.retries,
        fresh: wanted.fresh,
        ..Manifest::new(file, &content, &items)?
    };
    let out = wanted.out.unwrap_or_else(|| PathBuf::from(format!("gstack-run-{}", manifest.id)));
    let folder = Folder::create(absolute(out)?, &manifest, &items)?;
    Ok((folder, manifest, items, flow))
}

fn resume(home: &Home, path: PathBuf, wanted: &Wanted) -> Result<(Folder, Manifest, Vec<Value>, Flow), Fault> {
    let (folder, manifest, items) = Folder::resume(absolute(path)?)?;
    let (_, content, flow) = Flow::read(home, &manifest.flow)?;
    manifest.check(&content, &items)?;
    let browsers = wanted.browsers.unwrap_or(manifest.browsers);
    Ok((folder, Manifest { browsers, ..manifest }, items, flow))
}

fn absolute(path: PathBuf) -> Result<PathBuf, Fault> {
    std::path::absolute(&path)
        .map_err(|error| Fault::new(FaultCode::BadRequest, format!("{}: {error}", path.display())))
}

/// Ends the sessions that an earlier process of this run left. Returns what has not ended.
async fn end_left(shared: &Path, prefix: &str, keys: &SecretVariables) -> Vec<Left> {
    let entries = std::fs::read_dir(Home::instances_of(shared)).into_iter().flatten().filter_map(Result::ok);
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let ours: Vec<String> = names.filter(|name| name.starts_with(&format!("{prefix}-"))).collect();
    let mut left = Vec::new();
    for name in ours {
        match Session::prepare(shared, &name) {
            Ok(session) => left.extend(session.end(keys).await.err()),
            Err(fault) => tell(&format!("gstack: {}", fault.message)),
        }
    }
    left
}
