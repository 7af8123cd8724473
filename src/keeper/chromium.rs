//! The browser process: started with the DevTools pipe on file descriptors 3 and 4, ended by closing the pipe.
//!
//! Owns the child and its end. Never leaves a zombie or a browser process that does not end.

use super::stderr_tail::StderrTail;
use command_fds::{CommandFdExt, FdMapping};
use gstack_protocol::keeper::{BROWSER_VARIABLE, LaunchPlan};
use rustix::process::{Pid, Signal, kill_process_group};
use std::io;
use std::process::Stdio;
use std::time::Duration;
use tokio::net::unix::pipe;
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// A browser saves its profile when the pipe closes, which takes a while on a slow disk.
const CLOSING_LIMIT: Duration = Duration::from_secs(8);
const TERM_LIMIT: Duration = Duration::from_secs(4);
/// The children close stderr as they end.
const DRAIN_LIMIT: Duration = Duration::from_secs(1);

/// Our ends of the DevTools pipe.
pub(super) struct Pipe {
    pub(super) to_browser: pipe::Sender,
    pub(super) from_browser: pipe::Receiver,
}

pub(super) struct Chromium {
    child: Child,
    pid: u32,
    stderr: StderrTail,
    drain: Option<JoinHandle<()>>,
}

impl Chromium {
    pub(super) fn start(plan: &LaunchPlan) -> io::Result<(Self, Pipe)> {
        let (browser_reads, we_write) = io::pipe()?;
        let (we_read, browser_writes) = io::pipe()?;
        let mut command = Command::new(&plan.executable);
        command
            .args(&plan.args)
            .envs(&plan.env)
            .env(BROWSER_VARIABLE, plan.run.as_str())
            .current_dir("/")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            // A process group of its own, so that its children can be killed with it.
            .process_group(0);
        command
            .fd_mappings(vec![
                FdMapping { parent_fd: browser_reads.into(), child_fd: 3 },
                FdMapping { parent_fd: browser_writes.into(), child_fd: 4 },
            ])
            .map_err(io::Error::other)?;
        let mut child = command.spawn()?;
        // The command holds the browser's ends: until it is dropped we would never read the end of the stream.
        drop(command);
        let pid = child.id().ok_or_else(|| io::Error::other("it exited immediately"))?;
        let stderr = StderrTail::default();
        let drain = child.stderr.take().map(|stream| tokio::spawn(stderr.clone().drain(stream)));
        let pipe = Pipe {
            to_browser: pipe::Sender::from_owned_fd(we_write.into())?,
            from_browser: pipe::Receiver::from_owned_fd(we_read.into())?,
        };
        Ok((Self { child, pid, stderr, drain }, pipe))
    }

    pub(super) fn pid(&self) -> u32 {
        self.pid
    }
    pub(super) fn stderr_tail(&self) -> String {
        self.stderr.text()
    }
    /// Returns when the process has ended. Cancel safe.
    pub(super) async fn ended(&mut self) {
        if let Err(error) = self.child.wait().await {
            tracing::warn!(%error, "the browser's process can't be waited for");
        }
    }

    /// Waits for the process to end, and kills it if necessary. The pipe must be closed already, which asks it to end.
    pub(super) async fn end(&mut self) {
        for (limit, next) in [(CLOSING_LIMIT, Signal::TERM), (TERM_LIMIT, Signal::KILL)] {
            if timeout(limit, self.ended()).await.is_ok() {
                break;
            }
            tracing::warn!(pid = self.pid, signal = ?next, "the browser does not end");
            self.signal(next);
        }
        self.ended().await;
        if let Some(drain) = self.drain.take()
            && timeout(DRAIN_LIMIT, drain).await.is_err()
        {
            // A process of it still holds stderr: kill the rest of the group too.
            self.signal(Signal::KILL);
        }
    }

    fn signal(&self, signal: Signal) {
        let Some(group) = i32::try_from(self.pid).ok().and_then(Pid::from_raw) else { return };
        if let Err(error) = kill_process_group(group, signal) {
            tracing::debug!(%error, "the browser's processes were already gone");
        }
    }
}
