//! The hidden role `agent-minder`: starts one agent's program and adopts every process that the agent leaves behind.
//!
//! Owns the adoption (Linux: a child subreaper). So each process of an agent descends from the agent's minder even if
//! it detaches, and none of them outlives it, even if the daemon was killed. The agent's pipes and signals bypass the
//! minder, which passes on its exit status.

use super::renewal::{self, Renewals};
use gstack_base::descendants::{self, RECHECK_INTERVAL};
use gstack_base::process::EndWatch;
use gstack_base::program::MINDER_ROLE;
use gstack_base::say;
use rustix::process::{Signal, WaitOptions};
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};

/// The argument that selects this role of our program.
pub const ROLE: &str = MINDER_ROLE;
/// The first argument of the minder outside a sandbox. The minded program then creates the sandbox and ends with it.
pub const AROUND: &str = "--around";

/// The exit code of shells for a program that cannot be started.
const NOT_STARTED: u8 = 127;
/// The exit code for a signal, as in shells: this plus the signal's number.
const BY_SIGNAL: i32 = 128;
/// The time in which processes that an agent leaves behind can save their data: the program that an adapter starts
/// keeps a conversation's transcript, without which the conversation cannot be resumed.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// An agent whose daemon was killed ends by itself once its input closes; otherwise it is killed after this time.
const WITHOUT_DAEMON: Duration = Duration::from_secs(5);

/// Runs the role. `arguments`: the agent's program and its arguments. Returns once none of its processes runs.
pub fn run(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let mut first = arguments.next();
    let around = first.as_deref() == Some(OsStr::new(AROUND));
    if around {
        first = arguments.next();
    }
    let mut renewals = Renewals::default();
    while first.as_deref() == Some(OsStr::new(renewal::OPTION)) {
        renewals.add(arguments.next(), arguments.next());
        first = arguments.next();
    }
    renewals.watch();
    let Some(program) = first.map(PathBuf::from) else {
        say::line(format_args!("the role {ROLE} is gstack's own and needs a program"));
        return ExitCode::from(2);
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let ended = runtime.and_then(|runtime| runtime.block_on(mind(&program, arguments.collect(), around)));
    renewals.pass_on();
    match ended {
        Ok(status) => pass_on(status),
        Err(error) => {
            say::line(format_args!("{} could not be started: {error}", program.display()));
            ExitCode::from(NOT_STARTED)
        }
    }
}

async fn mind(program: &Path, arguments: Vec<OsString>, around: bool) -> io::Result<ExitStatus> {
    adopt_orphans()?;
    let mut children = signal(SignalKind::child())?;
    // The agent gets these signals too, through its process group. Catch them, because the minder must stay whether the
    // agent ends or not.
    let mut terminate = signal(SignalKind::terminate())?;
    let _not_ours = [SignalKind::interrupt(), SignalKind::hangup()].map(signal);
    let parent = parent_ends();
    let agent = start(program, arguments, around)?;
    release_output()?;
    let own = i32::try_from(std::process::id()).unwrap_or_default();
    let ended = async {
        loop {
            if let Some(status) = reap(agent) {
                return status;
            }
            tokio::select! {
                _ = children.recv() => {}
                // The sandbox's program would end by the signal, and everything inside it immediately. It is in its own
                // group.
                _ = terminate.recv() => if around { ask_within(own, agent) },
            }
        }
    };
    let orphaned = async {
        parent.await;
        tokio::time::sleep(WITHOUT_DAEMON).await;
        descendants::kill(&descendants::of(own));
        std::future::pending::<()>().await;
    };
    let status = tokio::select! {
        status = ended => status,
        () = orphaned => return Err(io::Error::other("the daemon is gone")),
    };
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
            () = tokio::time::sleep(RECHECK_INTERVAL) => {}
        }
        reap(agent);
    }
}

/// Returns its pid, by which it is reaped along with the adopted processes.
fn start(program: &Path, arguments: Vec<OsString>, around: bool) -> io::Result<u32> {
    let mut command = Command::new(program);
    command.args(arguments);
    if around {
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
    }
    Ok(command.spawn()?.id())
}

/// Lets go of the agent's output: only the agent keeps it open, so its end is noticed although the minder lives.
fn release_output() -> io::Result<()> {
    let nothing = std::fs::OpenOptions::new().write(true).open("/dev/null")?;
    Ok(rustix::stdio::dup2_stdout(nothing)?)
}

/// Sends TERM to the processes in the sandbox, except the one that keeps it alive.
fn ask_within(own: i32, holder: u32) {
    let holder = i32::try_from(holder).unwrap_or_default();
    let within: Vec<_> = descendants::of(own).into_iter().filter(|process| process.pid != holder).collect();
    descendants::ask_to_end(&within);
}

/// Returns when the process that started this one has ended: the daemon, or the sandbox's first process. Never returns
/// if the system does not report that, because the agent of a running daemon must not be ended.
fn parent_ends() -> impl Future<Output = ()> {
    let watch = rustix::process::getppid().and_then(EndWatch::on);
    async move {
        match watch {
            Some(watch) => watch.ended().await,
            None => std::future::pending().await,
        }
    }
}

#[cfg(target_os = "linux")]
fn adopt_orphans() -> io::Result<()> {
    Ok(rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?)
}

/// Does nothing: other systems have no such adoption, and start no minder.
#[cfg(not(target_os = "linux"))]
fn adopt_orphans() -> io::Result<()> {
    Ok(())
}

/// Reaps all ended processes. Returns the agent's status if it is among them.
fn reap(agent: u32) -> Option<ExitStatus> {
    let mut status = None;
    while let Ok(Some((pid, ended))) = rustix::process::wait(WaitOptions::NOHANG) {
        if u32::try_from(pid.as_raw_nonzero().get()) == Ok(agent) {
            status = Some(ExitStatus::from_raw(ended.as_raw()));
        }
    }
    status
}

/// Ends in the same way as the agent.
fn pass_on(status: ExitStatus) -> ExitCode {
    if status.signal() == Some(Signal::KILL.as_raw()) {
        // Does not return.
        rustix::process::kill_process(rustix::process::getpid(), Signal::KILL).ok();
    }
    let code = status.code().or_else(|| status.signal().map(|signal| BY_SIGNAL + signal));
    code.and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from)
}
