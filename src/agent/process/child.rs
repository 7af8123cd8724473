//! A long-lived child in its own process group that communicates in lines.
//!
//! Owns its start, its pipes and its end: stdin closed, then TERM to the group, then KILL to all descendants, reaped.
//! If it is dropped without that, it is killed immediately. Never interprets its output.

use super::lines::Lines;
use super::refused::LastWords;
use crate::adapter::AgentEnvironment;
use crate::sandbox::{self, Scratch};
use gstack_base::descendants::{self, ProcessId};
use rustix::process::{Pid, Signal, kill_process_group};
use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// The number of bytes kept from the end of stderr: enough for the last stack trace or message.
const STDERR_TAIL: usize = 8 * 1024;
/// The time limit for reading the rest of stderr once its writer has ended.
const STDERR_SETTLES: Duration = Duration::from_millis(200);
/// The number of lines queued for a child. One is a few bytes or one prompt.
const LINES_WAITING: usize = 16;

/// The parameters of a child's start.
pub struct Spawn<'a> {
    pub program: &'a Path,
    pub arguments: Vec<OsString>,
    pub environment: &'a AgentEnvironment,
    pub folder: &'a Path,
}

/// The time limits for each step of a child's end.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    pub after_stdin_closed: Duration,
    pub after_term: Duration,
}

#[derive(Debug, thiserror::Error)]
pub enum ChildError {
    #[error("the folder {} is not there", .0.display())]
    NoFolder(PathBuf),
    #[error("{} could not be started: {source}", program.display())]
    Start { program: PathBuf, source: io::Error },
}

/// A running child. Dropping it kills it and all its descendants.
pub struct LineChild {
    child: Child,
    pid: Option<u32>,
    writer: Option<mpsc::Sender<Vec<u8>>>,
    writing: JoinHandle<()>,
    stderr: Arc<Mutex<VecDeque<u8>>>,
    /// `None` once it has ended.
    reading_stderr: Option<JoinHandle<()>>,
    /// Its temporary files, which are removed with it.
    _scratch: Option<Scratch>,
}

impl LineChild {
    /// Starts the child. Returns it with a writer of lines to it and a reader of its lines. Fails if the folder does
    /// not exist or the program cannot be started.
    pub fn spawn(spawn: Spawn<'_>) -> Result<(Self, LineWriter, Lines<ChildStdout>), ChildError> {
        if !spawn.folder.is_dir() {
            return Err(ChildError::NoFolder(spawn.folder.to_owned()));
        }
        let failed = |source| ChildError::Start { program: spawn.program.to_owned(), source };
        let confined =
            sandbox::command(spawn.program, &spawn.arguments, spawn.environment, Some(spawn.folder)).map_err(failed)?;
        let mut child = Command::new(&confined.program)
            .args(&confined.arguments)
            .env_clear()
            .envs(&confined.environment.variables)
            .current_dir(spawn.folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(failed)?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(failed(io::Error::other("its pipes are missing")));
        };
        let (writer, waiting) = mpsc::channel(LINES_WAITING);
        let tail = Arc::new(Mutex::new(VecDeque::with_capacity(STDERR_TAIL)));
        let child = Self {
            pid: child.id(),
            child,
            writer: Some(writer.clone()),
            writing: tokio::spawn(write_lines(stdin, waiting)),
            reading_stderr: Some(tokio::spawn(keep_tail(stderr, Arc::clone(&tail)))),
            stderr: tail,
            _scratch: confined.scratch,
        };
        Ok((child, LineWriter { writer: writer.downgrade() }, Lines::new(stdout)))
    }

    /// Returns the process that was started; the agent itself may be below it.
    pub fn pid(&self) -> Option<u32> {
        self.pid
    }

    /// Waits until it has ended by itself and all of its stderr was read.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        let status = self.child.wait().await;
        self.settle_stderr().await;
        status
    }

    /// Returns what it wrote to stderr at last.
    pub fn last_words(&self) -> Option<LastWords> {
        let tail = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = tail.iter().copied().collect();
        drop(tail);
        LastWords::of(&String::from_utf8_lossy(&bytes))
    }

    /// Ends it gracefully. None of its processes runs when this returns.
    pub async fn end(mut self, patience: Patience) {
        let before = self.descendants().await;
        self.writer = None;
        if tokio::time::timeout(patience.after_stdin_closed, self.child.wait()).await.is_err() {
            signal_group(self.pid, Signal::TERM);
            if tokio::time::timeout(patience.after_term, self.child.wait()).await.is_err() {
                let mut all = self.descendants().await;
                all.extend(before.iter().cloned());
                kill_group(self.pid);
                descendants::kill(&all);
                if let Err(error) = self.child.wait().await {
                    tracing::warn!(%error, "an agent's process could not be reaped");
                }
            }
        }
        // Includes those in the group and those that left it before the process ended by itself.
        descendants::see_off(&before, patience.after_term).await;
        kill_group(self.pid);
        self.settle_stderr().await;
    }

    async fn descendants(&self) -> Vec<ProcessId> {
        let Some(pid) = self.pid.and_then(|pid| i32::try_from(pid).ok()) else { return Vec::new() };
        // Reading the process table blocks for some milliseconds.
        tokio::task::spawn_blocking(move || descendants::of(pid)).await.unwrap_or_default()
    }

    /// Stops waiting after a time limit, because a descendant may keep stderr open forever.
    async fn settle_stderr(&mut self) {
        self.writing.abort();
        if let Some(mut reading) = self.reading_stderr.take()
            && tokio::time::timeout(STDERR_SETTLES, &mut reading).await.is_err()
        {
            reading.abort();
        }
    }
}

impl Drop for LineChild {
    fn drop(&mut self) {
        self.writing.abort();
        if let Some(reading) = &self.reading_stderr {
            reading.abort();
        }
        if matches!(self.child.try_wait(), Ok(None)) {
            let all = self.pid.and_then(|pid| i32::try_from(pid).ok()).map(descendants::of).unwrap_or_default();
            kill_group(self.pid);
            descendants::kill(&all);
        }
    }
}

/// Queues lines for a child, in order, without waiting until it reads them. Cheap to clone; keeps nothing open.
#[derive(Clone)]
pub struct LineWriter {
    writer: mpsc::WeakSender<Vec<u8>>,
}

#[derive(Debug, thiserror::Error)]
#[error("it takes no more input")]
pub struct InputClosed;

impl LineWriter {
    /// Queues one line, given without its line break. Fails if the child's stdin is closed.
    pub async fn line(&self, mut line: Vec<u8>) -> Result<(), InputClosed> {
        line.push(b'\n');
        let writer = self.writer.upgrade().ok_or(InputClosed)?;
        writer.send(line).await.map_err(|_| InputClosed)
    }
}

async fn write_lines(mut stdin: ChildStdin, mut waiting: mpsc::Receiver<Vec<u8>>) {
    while let Some(line) = waiting.recv().await {
        let written = async {
            stdin.write_all(&line).await?;
            stdin.flush().await
        };
        if let Err(error) = written.await {
            // The end of its output reports the same with a reason.
            tracing::debug!(%error, "an agent closed its input");
            return;
        }
    }
}

async fn keep_tail(mut stderr: ChildStderr, tail: Arc<Mutex<VecDeque<u8>>>) {
    let mut chunk = [0; 4096];
    loop {
        match stderr.read(&mut chunk).await {
            Ok(0) | Err(_) => return,
            Ok(count) => {
                let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
                tail.extend(&chunk[..count]);
                let surplus = tail.len().saturating_sub(STDERR_TAIL);
                tail.drain(..surplus);
            }
        }
    }
}

/// Sends KILL to a whole process group. Does nothing if it has ended.
pub fn kill_group(group: Option<u32>) {
    signal_group(group, Signal::KILL);
}

fn signal_group(group: Option<u32>, signal: Signal) {
    if let Some(pid) = group.and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw) {
        // The group has already ended.
        kill_process_group(pid, signal).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::{LineChild, Patience, Spawn};
    use crate::adapter::AgentEnvironment;
    use std::path::Path;
    use std::time::Duration;

    const PATIENCE: Patience =
        Patience { after_stdin_closed: Duration::from_millis(50), after_term: Duration::from_millis(50) };

    fn environment() -> AgentEnvironment {
        AgentEnvironment { variables: [("PATH".into(), "/usr/bin:/bin".into())].into(), ..AgentEnvironment::default() }
    }

    fn shell<'a>(script: &str, environment: &'a AgentEnvironment) -> Spawn<'a> {
        let arguments = vec!["-c".into(), script.into()];
        Spawn { program: Path::new("/bin/sh"), arguments, environment, folder: Path::new("/") }
    }

    fn runs(pid: i32) -> bool {
        std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
    }

    #[tokio::test]
    async fn lines_go_in_and_come_out_and_the_last_words_are_kept() {
        let environment = environment();
        let (mut child, writer, mut lines) =
            LineChild::spawn(shell("read x; echo \"got $x\"; echo trouble >&2; exit 4", &environment)).unwrap();
        writer.line(b"hello".to_vec()).await.unwrap();
        assert_eq!(lines.next().await.unwrap().as_deref(), Some("got hello"));
        assert_eq!(lines.next().await.unwrap(), None);
        assert_eq!(child.wait().await.unwrap().code(), Some(4));
        assert_eq!(child.last_words().map(|words| words.line).as_deref(), Some("trouble"));
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn one_that_ignores_term_and_one_in_its_own_session_are_killed() {
        let environment = environment();
        let script = "trap '' TERM; setsid sleep 1000 & echo $!; while :; do sleep 1000; done";
        let (child, _writer, mut lines) = LineChild::spawn(shell(script, &environment)).unwrap();
        let away: i32 = lines.next().await.unwrap().unwrap().parse().unwrap();
        let own = child.pid().unwrap() as i32;
        child.end(PATIENCE).await;
        assert!(!runs(own));
        // It is not our child and is reaped by another process, so it may take a moment to disappear.
        while runs(away) {
            tokio::task::yield_now().await;
        }
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn dropping_kills() {
        let environment = environment();
        let (child, _writer, mut lines) = LineChild::spawn(shell("sleep 1000 & echo $!; wait", &environment)).unwrap();
        let sleeper: i32 = lines.next().await.unwrap().unwrap().parse().unwrap();
        drop(child);
        // The output ends once all processes that hold it have ended.
        assert_eq!(lines.next().await.unwrap(), None);
        assert!(!runs(sleeper));
    }
}
