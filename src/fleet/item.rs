//! Runs the script, the flow or the commands for one item in a session.
//!
//! Owns the process, its environment and its files. A script runs below the role that adopts what it leaves behind, so
//! none of its processes outlives it or the run.

use super::flow::{Flow, fill};
use super::items::as_text;
use super::journal::Outcome;
use super::session::Session;
use super::steps;
use gstack_base::descendants;
use gstack_base::home::{HOME_VARIABLE, SESSION_VARIABLE, private_folder};
use gstack_base::program::{self, MINDER_ROLE};
use gstack_flows::Found;
use gstack_protocol::command::{
    CommandRequest, CommandResult, NO_AUTOSTART_VARIABLE, PLACE_VARIABLES, PORT_VARIABLE, PROFILE_VARIABLE,
    TOKEN_VARIABLE,
};
use gstack_protocol::fault::Fault;
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::process::{Child, Command};
use tokio_util::sync::CancellationToken;

/// How much of the output is in the journal and the report; the files have all of it.
const SHOWN_OUTPUT: u64 = 4096;
/// The time that a script has to end after TERM.
const GRACE: Duration = Duration::from_secs(3);

/// The part of a run that all items share.
pub(crate) struct Setup {
    pub(crate) file: PathBuf,
    pub(crate) flow: Flow,
    pub(crate) shared: PathBuf,
    /// The folder of the items' folders.
    pub(crate) items: PathBuf,
    pub(crate) limit: Duration,
}

/// How one attempt ended.
#[derive(Default)]
pub(crate) struct Ended {
    pub(crate) outcome: Outcome,
    pub(crate) exit: Option<i32>,
    pub(crate) reason: Option<String>,
    pub(crate) output: String,
    pub(crate) result: Option<Value>,
}

impl Ended {
    pub(crate) fn failed(reason: String) -> Self {
        Self { reason: Some(reason), ..Self::default() }
    }
}

/// Runs one item. Returns `None` if the run was stopped meanwhile.
pub(crate) async fn run(
    setup: &Setup,
    session: &Session,
    (index, item): (usize, &Value),
    stop: &CancellationToken,
) -> Option<Ended> {
    let folder = setup.items.join(index.to_string());
    if let Err(error) = private_folder(&folder) {
        return Some(Ended::failed(error.to_string()));
    }
    match &setup.flow {
        Flow::Commands(commands) => match fill(commands, item) {
            Ok(commands) => run_commands(setup, session, commands, &folder, stop).await,
            Err(why) => Some(Ended::failed(why)),
        },
        Flow::Steps(found) => run_steps(setup, session, (found, item), &folder, stop).await,
        Flow::Node | Flow::Program => match start(setup, session, index, item, &folder) {
            Ok(child) => watch(setup, child, &folder, stop).await,
            Err(error) => Some(Ended::failed(format!("the script cannot be started: {error}"))),
        },
    }
}

async fn run_steps(
    setup: &Setup,
    session: &Session,
    (found, item): (&Found, &Value),
    folder: &Path,
    stop: &CancellationToken,
) -> Option<Ended> {
    let mut lines = steps::Lines::default();
    let run = steps::run(found, item, session, (folder, &mut lines));
    let ended = tokio::select! {
        ended = tokio::time::timeout(setup.limit, run) => ended,
        () = stop.cancelled() => return None,
    };
    let ended = ended.unwrap_or_else(|_| Ended { outcome: Outcome::TimedOut, ..Ended::failed(too_long(setup.limit)) });
    if let Err(error) = std::fs::write(folder.join("stdout"), lines.0.join("\n")) {
        return Some(Ended::failed(format!("its output cannot be written: {error}")));
    }
    Some(Ended { output: tail(&folder.join("stdout")).unwrap_or_default(), ..ended })
}

async fn run_commands(
    setup: &Setup,
    session: &Session,
    commands: Vec<Vec<String>>,
    folder: &Path,
    stop: &CancellationToken,
) -> Option<Ended> {
    let mut said = Said::default();
    let ended = tokio::select! {
        ended = tokio::time::timeout(setup.limit, said.run(session, commands, folder)) => ended,
        () = stop.cancelled() => return None,
    };
    let written = std::fs::write(folder.join("stdout"), said.blocks.join("\n\n"));
    let (outcome, reason) = match (ended, written) {
        (Err(_), _) => (Outcome::TimedOut, Some(too_long(setup.limit))),
        (Ok(Err(why)), _) => (Outcome::Failed, Some(why)),
        (Ok(Ok(())), Err(error)) => (Outcome::Failed, Some(format!("its output cannot be written: {error}"))),
        (Ok(Ok(())), Ok(())) => (Outcome::Ok, None),
    };
    let output = tail(&folder.join("stdout")).unwrap_or_default();
    Some(Ended { outcome, exit: None, reason, output, result: Some(Value::from(said.data)) })
}

/// The output of a flow's commands, as `chain` shows it.
#[derive(Default)]
struct Said {
    blocks: Vec<String>,
    data: Vec<Value>,
}

impl Said {
    /// Runs the commands up to the first one that fails: the next ones were written for the page that it leads to. The
    /// error is a message.
    async fn run(&mut self, session: &Session, commands: Vec<Vec<String>>, folder: &Path) -> Result<(), String> {
        let client = session.client();
        for mut words in commands {
            let command = words.remove(0);
            let request = CommandRequest {
                command: command.clone(),
                args: words,
                cwd: folder.to_str().map(str::to_owned),
                no_autostart: true,
                ..CommandRequest::default()
            };
            let failed = match client.post::<_, CommandResult>("/command", &request).await {
                Ok(result) => {
                    self.blocks.push(format!("[{command}] {}", result.output));
                    let failed = result.failed_steps > 0;
                    self.data.push(json!({ "command": command, "ok": !failed, "output": result.output }));
                    failed.then(|| format!("{command}: {} of its steps failed", result.failed_steps))
                }
                Err(Fault { message, hint, .. }) => {
                    let next = hint.as_deref().map(|hint| format!("\n{hint}")).unwrap_or_default();
                    self.blocks.push(format!("[{command}] ERROR: {message}{next}"));
                    self.data.push(json!({ "command": command, "ok": false, "error": message, "hint": hint }));
                    Some(format!("{command}: {message}"))
                }
            };
            if let Some(why) = failed {
                return Err(why);
            }
        }
        Ok(())
    }
}

fn start(setup: &Setup, session: &Session, index: usize, item: &Value, folder: &Path) -> io::Result<Child> {
    let gstack = program::path()?;
    let mut command = Command::new(&gstack);
    command.arg(MINDER_ROLE);
    if setup.flow == Flow::Node {
        command.arg("node");
    }
    command
        .arg(&setup.file)
        .env(HOME_VARIABLE, &setup.shared)
        .env(SESSION_VARIABLE, &session.name)
        .env(NO_AUTOSTART_VARIABLE, "1")
        .env("GSTACK_BIN", &gstack)
        .env("GSTACK_ITEM", as_text(item))
        .env("GSTACK_ITEM_INDEX", index.to_string())
        .env("GSTACK_OUT", folder)
        .env("PATH", search_path(&gstack)?)
        .stdin(Stdio::null())
        .stdout(File::create(folder.join("stdout"))?)
        .stderr(File::create(folder.join("stderr"))?)
        .process_group(0);
    for name in PLACE_VARIABLES.into_iter().chain([TOKEN_VARIABLE, PORT_VARIABLE, PROFILE_VARIABLE]) {
        command.env_remove(name);
    }
    command.spawn()
}

/// Returns the PATH with our own folder first.
fn search_path(gstack: &Path) -> io::Result<OsString> {
    let own = gstack.parent().map(Path::to_owned);
    let rest = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(own.into_iter().chain(std::env::split_paths(&rest))).map_err(io::Error::other)
}

async fn watch(setup: &Setup, mut child: Child, folder: &Path, stop: &CancellationToken) -> Option<Ended> {
    let status = tokio::select! {
        status = child.wait() => Some(status),
        () = tokio::time::sleep(setup.limit) => None,
        () = stop.cancelled() => {
            kill(&mut child).await;
            return None;
        }
    };
    let Some(status) = status else {
        kill(&mut child).await;
        let output = tail(&folder.join("stdout")).unwrap_or_default();
        return Some(Ended { outcome: Outcome::TimedOut, output, ..Ended::failed(too_long(setup.limit)) });
    };
    Some(match status {
        Ok(status) => of_script(status, folder),
        Err(error) => Ended::failed(error.to_string()),
    })
}

fn of_script(status: ExitStatus, folder: &Path) -> Ended {
    let output = tail(&folder.join("stdout")).unwrap_or_default();
    if status.success() {
        let result = output.lines().last().and_then(|line| serde_json::from_str(line).ok());
        return Ended { outcome: Outcome::Ok, exit: status.code(), reason: None, output, result };
    }
    let said = tail(&folder.join("stderr")).unwrap_or_default();
    let reason = match said.trim().is_empty() {
        true => status.to_string(),
        false => said,
    };
    Ended { exit: status.code(), output, ..Ended::failed(reason) }
}

/// Ends a script and everything that it started.
async fn kill(child: &mut Child) {
    let Some(pid) = child.id().and_then(|pid| i32::try_from(pid).ok()) else { return };
    let signal_group = |signal| {
        // It may have ended by itself.
        Pid::from_raw(pid).map(|group| kill_process_group(group, signal).ok());
    };
    signal_group(Signal::TERM);
    if tokio::time::timeout(GRACE, child.wait()).await.is_ok() {
        return;
    }
    // Not by the group: a process may have left it. The minder stays, and ends once all are gone.
    descendants::kill(&descendants::of(pid));
    if tokio::time::timeout(GRACE, child.wait()).await.is_err() {
        signal_group(Signal::KILL);
    }
}

fn too_long(limit: Duration) -> String {
    format!("it took longer than {} s", limit.as_secs())
}

/// Returns the end of a file as text.
fn tail(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(SHOWN_OUTPUT)))?;
    let mut bytes = Vec::new();
    file.take(SHOWN_OUTPUT).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
