//! `gstack run`: runs a script or a flow for many items, over a bounded number of sessions.
//!
//! Owns the options and the order of a run. Each session is an instance of its own that cannot outlive the run.

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

use super::here::here;
use super::remote;
use super::terminal::{print, print_line, tell};
use clap::{Arg, ArgAction, ArgMatches, Command};
use flow::Flow;
use folder::{Folder, Manifest, encode};
use gstack_base::home::Home;
use gstack_base::profiles::DEFAULT;
use gstack_protocol::control::ConnectRequest;
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::remote::{RemoteBrowser, SecretVariables};
use item::Setup;
use journal::Journal;
use pool::{Plan, Pool};
use report::{Report, Run};
use serde_json::Value;
use session::{Left, Session};
use signals::Signals;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// The exit code of a program that Ctrl-C ended.
const INTERRUPTED: u8 = 130;
/// More would not fit into one machine's memory or ports.
const MOST_BROWSERS: u64 = 1000;

/// The parsed options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The script or the flow; `None` with `resume`.
    flow: Option<PathBuf>,
    /// A file with the items, or `-`.
    items: Option<PathBuf>,
    browsers: Option<usize>,
    remote: Option<RemoteBrowser>,
    headed: bool,
    fresh: bool,
    out: Option<PathBuf>,
    resume: Option<PathBuf>,
    /// In seconds.
    timeout: u64,
    retries: usize,
}

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
                    "A script (.mjs, .js, or an executable), or a file with a command on each line and {{item}} in it",
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

/// Runs it. Returns success if every item succeeded.
pub(super) async fn run(home: &Home, wanted: Wanted, json: bool) -> Result<ExitCode, Fault> {
    let shared = home.shared().to_owned();
    let is_resumed = wanted.resume.is_some();
    let (folder, manifest, items, flow) = match wanted.resume.clone() {
        Some(path) => resume(path, &wanted)?,
        None => begin(wanted)?,
    };
    let (remote, keys) = remote::resolve(manifest.remote.clone())?;
    let is_local = remote.is_none();
    let request = ConnectRequest {
        headless: is_local.then_some(!manifest.headed),
        // Each session has its own, whatever the configuration says.
        profile: is_local.then(|| DEFAULT.to_owned()),
        remote,
        keys,
        ..here()?
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
    told(&folder, &Report::of(run, end), json)
}

/// Writes and prints the report.
fn told(folder: &Folder, report: &Report, json: bool) -> Result<ExitCode, Fault> {
    let encoded = encode(report)?;
    folder.write("report.json", &encoded)?;
    folder.write("report.html", html::document(report).as_bytes())?;
    if json {
        print_line(&String::from_utf8_lossy(&encoded));
    } else {
        print(&report.summary());
        let place = folder.path().display();
        print_line(&format!("Report: {}", folder.at("report.html").display()));
        if report.totals.not_run + report.totals.lost > 0 {
            print_line(&format!("To run the rest: gstack run --resume {place}"));
        } else if !report.left.is_empty() {
            print_line(&format!("To end what is left: gstack run --resume {place}"));
        }
    }
    Ok(match (report.interrupted, report.is_well()) {
        (true, _) => ExitCode::from(INTERRUPTED),
        (false, true) => ExitCode::SUCCESS,
        (false, false) => ExitCode::FAILURE,
    })
}

fn begin(wanted: Wanted) -> Result<(Folder, Manifest, Vec<Value>, Flow), Fault> {
    let bad = |message: String| Fault::new(FaultCode::BadRequest, message).hint("See `gstack help run`.");
    let file = wanted.flow.ok_or_else(|| bad("no flow is named".to_owned()))?;
    let file = std::fs::canonicalize(&file)
        .map_err(|error| bad(format!("the flow {} cannot be read: {error}", file.display())))?;
    let (content, flow) = read(&file)?;
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
        None => (1..=browsers).map(Value::from).collect(),
    };
    // Capabilities of a file are kept with the run; keys are not.
    let (remote, _keys) = remote::resolve(wanted.remote)?;
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

fn resume(path: PathBuf, wanted: &Wanted) -> Result<(Folder, Manifest, Vec<Value>, Flow), Fault> {
    let (folder, manifest, items) = Folder::resume(absolute(path)?)?;
    let (content, flow) = read(&manifest.flow)?;
    manifest.check(&content, &items)?;
    let browsers = wanted.browsers.unwrap_or(manifest.browsers);
    Ok((folder, Manifest { browsers, ..manifest }, items, flow))
}

fn read(file: &Path) -> Result<(Vec<u8>, Flow), Fault> {
    let bad = |why: String| {
        let message = format!("{} cannot be run: {why}", file.display());
        Fault::new(FaultCode::BadRequest, message).hint("See `gstack help run`.")
    };
    let content = std::fs::read(file).map_err(|error| bad(error.to_string()))?;
    let flow = Flow::of(file, &content).map_err(bad)?;
    Ok((content, flow))
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
