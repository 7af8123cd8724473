//! The hidden role `agent-minder`: it starts one agent's program, and is the parent of whatever the agent leaves behind.
//!
//! Owns the adoption (Linux: a child subreaper). So a process of an agent's descends from an agent however it detaches, and
//! none of them outlives it, also where the daemon was killed. The agent's pipes and signals pass it by; its end is told on.

use super::descendants::{self, LOOK_AGAIN};
use rustix::process::{Signal, WaitOptions};
use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};

pub const ROLE: &str = "agent-minder";

/// The exit code of a shell for what can't be started.
const NOT_STARTED: u8 = 127;
/// Told as shells do: this and the signal's number.
const BY_SIGNAL: i32 = 128;
/// What an agent leaves behind may first write down what it holds: the program that an adapter started keeps a
/// conversation's transcript, without which the conversation can't go on.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// `arguments`: the agent's program and its own. Returns when nothing of it runs.
pub fn run(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let Some(program) = arguments.next().map(PathBuf::from) else {
        eprintln!("gstack: the role {ROLE} is gstack's own and needs a program");
        return ExitCode::from(2);
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let ended = runtime.and_then(|runtime| runtime.block_on(mind(&program, arguments.collect())));
    match ended {
        Ok(status) => pass_on(status),
        Err(error) => {
            eprintln!("{} could not be started: {error}", program.display());
            ExitCode::from(NOT_STARTED)
        }
    }
}

async fn mind(program: &Path, arguments: Vec<OsString>) -> io::Result<ExitStatus> {
    adopt_orphans()?;
    let mut children = signal(SignalKind::child())?;
    // They reach the agent by its process group, and it ends by them or not: either way somebody must stay.
    let _not_ours = [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()].map(signal);
    let agent = start(program, arguments)?;
    let status = loop {
        if let Some(status) = reap(agent) {
            break status;
        }
        children.recv().await;
    };
    let own = i32::try_from(std::process::id()).unwrap_or_default();
    descendants::ask_to_end(&descendants::of(own));
    let patience = tokio::time::Instant::now() + LAST_WORDS;
    loop {
        let left = descendants::of(own);
        if left.is_empty() {
            return Ok(status);
        }
        if tokio::time::Instant::now() >= patience {
            descendants::kill(&left);
        }
        tokio::select! {
            _ = children.recv() => {}
            () = tokio::time::sleep(LOOK_AGAIN) => {}
        }
        reap(agent);
    }
}

/// Its pid: it is reaped with the adopted ones, by their numbers.
fn start(program: &Path, arguments: Vec<OsString>) -> io::Result<u32> {
    Ok(Command::new(program).args(arguments).spawn()?.id())
}

#[cfg(target_os = "linux")]
fn adopt_orphans() -> io::Result<()> {
    Ok(rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?)
}

/// Elsewhere there is no such adoption, and no minder is started.
#[cfg(not(target_os = "linux"))]
fn adopt_orphans() -> io::Result<()> {
    Ok(())
}

/// Lets all that have ended go; how the agent did, where it is among them.
fn reap(agent: u32) -> Option<ExitStatus> {
    let mut status = None;
    while let Ok(Some((pid, ended))) = rustix::process::wait(WaitOptions::NOHANG) {
        if u32::try_from(pid.as_raw_nonzero().get()) == Ok(agent) {
            status = Some(ExitStatus::from_raw(ended.as_raw()));
        }
    }
    status
}

/// Ends as the agent has ended.
fn pass_on(status: ExitStatus) -> ExitCode {
    if status.signal() == Some(Signal::KILL.as_raw()) {
        // Nothing comes after this.
        rustix::process::kill_process(rustix::process::getpid(), Signal::KILL).ok();
    }
    let code = status.code().or_else(|| status.signal().map(|signal| BY_SIGNAL + signal));
    code.and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from)
}
