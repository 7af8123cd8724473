//! Finds the daemon, or starts it and waits until it reports that it is ready or why it is not.
//!
//! Starters queue at a lock, so that any number of them start only one daemon. Nothing sleeps: the daemon reports over
//! its standard output and then closes it.

use super::newer::{Next, Waiting};
use gstack_base::home::{Home, MECHANISM_VARIABLE};
use gstack_base::lineage;
use gstack_base::lock::FileLock;
use gstack_base::person_program;
use gstack_base::trouble;
use gstack_protocol::catalogue;
use gstack_protocol::fault::{Fault, FaultCode, Hop};
use serde::{Deserialize, Serialize};
use std::fs::OpenOptions;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use tokio::net::UnixStream;

/// The hidden subcommand of the daemon role.
pub const DAEMON_ROLE: &str = "daemon";
/// The time in which a daemon must report. It does nothing slow before that.
const START_LIMIT: Duration = Duration::from_secs(20);
/// A daemon may be stopped between its start and our connection to it.
const MOST_STARTS: usize = 3;
/// The variables of the starter's environment that the daemon keeps, besides those of the person's own programs, such as
/// a keyring's. It never uses the rest.
const KEPT_VARIABLES: [&str; 7] =
    ["SHELL", "PATH", "TMPDIR", "GSTACK_HOME", "GSTACK_LOG", MECHANISM_VARIABLE, "RUST_BACKTRACE"];

/// Makes glibc return freed memory: with an arena for each thread, and a threshold that grows with the largest block
/// freed so far, the daemon would keep the memory of its busiest moment. Other allocators ignore these.
const ALLOCATOR: [(&str, &str); 3] =
    [("MALLOC_ARENA_MAX", "2"), ("MALLOC_MMAP_THRESHOLD_", "131072"), ("MALLOC_TRIM_THRESHOLD_", "131072")];

/// The one line that a daemon writes to its starter.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Report {
    Ready {
        pid: u32,
    },
    /// Another daemon holds the lock and is ready.
    AlreadyRunning,
    Failed(Fault),
}

/// Connects to one of the daemon's sockets. Starts the daemon if none answers, unless a newer gstack is about to start
/// one. Fails if no daemon starts.
pub async fn connect(home: &Home, socket: PathBuf) -> Result<UnixStream, Fault> {
    let mut starts = 0;
    let mut waiting = Waiting::default();
    let refused = loop {
        match UnixStream::connect(&socket).await {
            Ok(stream) => return Ok(stream),
            Err(refused) if starts == MOST_STARTS => break refused,
            Err(_) => {}
        }
        let (for_starter, probe) = (home.clone(), socket.clone());
        let next;
        (waiting, next) = tokio::task::spawn_blocking(move || {
            let next = start_once(&for_starter, &probe, &mut waiting);
            (waiting, next)
        })
        .await
        .map_err(|e| internal(format!("the starter of the daemon ended: {e}")))?;
        match next? {
            Next::Start => starts += 1,
            Next::Wait => waiting.pause().await,
        }
    };
    Err(Fault::new(FaultCode::DaemonDown, catalogue::DAEMON_NO_ANSWER.with([&refused.to_string()]))
        .hint(catalogue::DAEMON_NO_ANSWER_NEXT)
        .command("gstack doctor")
        .at(Hop::Daemon))
}

/// Connects only if a daemon already runs.
pub async fn connect_running(socket: &Path) -> Option<UnixStream> {
    UnixStream::connect(socket).await.ok()
}

/// Starts the daemon unless another program has. Does nothing if a newer daemon is about to start.
fn start_once(home: &Home, socket: &Path, waiting: &mut Waiting) -> Result<Next, Fault> {
    let _starting = FileLock::take(&home.root().join("start.lock")).map_err(|e| storage(home, &e))?;
    if std::os::unix::net::UnixStream::connect(socket).is_ok() {
        return Ok(Next::Start);
    }
    if waiting.next(home) == Next::Wait {
        return Ok(Next::Wait);
    }
    // The agent's own daemon already runs. A second one, in the agent's sandbox, would kill the agent as an orphan.
    if lineage::agent_started_us() {
        return Err(Fault::new(
            FaultCode::DaemonDown,
            "gstack's daemon can't be reached from an agent's shell, and agents don't start it",
        )
        .hint("Use gstack's tools, or its command line with the GSTACK_TOKEN that you were given.")
        .at(Hop::Daemon));
    }
    match spawn(home)? {
        Report::Ready { .. } | Report::AlreadyRunning => Ok(Next::Start),
        Report::Failed(fault) => Err(fault),
    }
}

/// Starts a daemon and waits for its report.
fn spawn(home: &Home) -> Result<Report, Fault> {
    let binary = gstack_base::program::path().map_err(|e| internal(format!("the path of gstack is not known: {e}")))?;
    let log = OpenOptions::new()
        .create(true)
        .append(true)
        .mode(gstack_base::atomic::FILE_MODE)
        .open(home.daemon_log())
        // The daemon must start even if its log cannot be opened, for example on a full disk.
        .map_or_else(|_| Stdio::null(), Stdio::from);
    let mut command = Command::new(&binary);
    command
        .arg(DAEMON_ROLE)
        .arg(home.root())
        .current_dir("/")
        .env_clear()
        .envs(ALLOCATOR)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log);
    for name in KEPT_VARIABLES.into_iter().chain(person_program::PASSED) {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    let mut child = command.spawn().map_err(|e| internal(format!("{} could not be started: {e}", binary.display())))?;
    let Some(output) = child.stdout.take() else {
        return Err(internal("the daemon's report can't be read".to_owned()));
    };
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut line = String::new();
        let outcome = BufReader::new(output).read_line(&mut line).map(|_| line);
        // The starter may have given up by now; then nobody receives the line.
        sender.send(outcome).ok();
    });
    let line = match receiver.recv_timeout(START_LIMIT) {
        Ok(Ok(line)) => line,
        Ok(Err(error)) => return Err(died(home, &error.to_string())),
        Err(_) => {
            child.kill().ok();
            child.wait().ok();
            return Err(died(home, "it did not report in time"));
        }
    };
    serde_json::from_str(&line).map_err(|_| {
        // The daemon ended without a report, so it must be reaped.
        let status = child.wait().map_or_else(|e| e.to_string(), |s| s.to_string());
        died(home, &status)
    })
}

fn died(home: &Home, how: &str) -> Fault {
    let log = std::fs::read_to_string(home.daemon_log()).unwrap_or_default();
    let tail: Vec<&str> = log.lines().rev().take(3).collect();
    let tail: Vec<&str> = tail.into_iter().rev().collect();
    let message = match tail.is_empty() {
        true => catalogue::DAEMON_NOT_STARTED.with([how]),
        false => catalogue::DAEMON_NOT_STARTED_LOG.with([how, &tail.join(" / ")]),
    };
    Fault::new(FaultCode::DaemonDown, message)
        .hint(catalogue::WHOLE_LOG.with([&home.daemon_log().display().to_string()]))
        .at(Hop::Daemon)
}

fn storage(home: &Home, error: &std::io::Error) -> Fault {
    let root = home.root().display().to_string();
    Fault::new(FaultCode::Storage, catalogue::FILE_NOT_WRITTEN.with([&root, &error.to_string()]))
        .hint(catalogue::next_step_of_disk(trouble::code(error), &root).unwrap_or_default())
        .at(Hop::Daemon)
}

fn internal(message: String) -> Fault {
    Fault::new(FaultCode::Internal, message).at(Hop::Daemon)
}
