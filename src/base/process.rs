//! Processes as the system shows them: parents, start times, arguments and environments. `/proc` on Linux, `ps`
//! elsewhere.
//!
//! Owns reading them, the identity of a process (a reused pid is a different process), and waiting for its end. Decides
//! nothing.

use rustix::process::Pid;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
#[cfg(any(not(target_os = "linux"), test))]
use std::process::Command;

/// The interval at which a process is polled on systems that do not notify about its end.
const LOOK_AGAIN: std::time::Duration = std::time::Duration::from_millis(20);

/// In bytes. A longer environment or command line takes more reads.
const MOST_OF_PROC: usize = 8 * 1024;

/// Returns the pid of this process, in the type that system calls take.
pub fn own_pid() -> i32 {
    std::process::id().cast_signed()
}

/// A process, identified by its pid and start time, so that a reused pid does not match it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Process {
    pub pid: i32,
    /// In the kernel's clock ticks since boot. 0 on systems other than Linux.
    began: u64,
}

impl Process {
    /// Returns the process that has this pid now. `None` if there is none or it is a zombie.
    pub fn find(pid: i32) -> Option<Self> {
        if pid <= 0 {
            return None;
        }
        if cfg!(target_os = "linux") {
            return Row::in_proc(pid).filter(|row| !row.ended).map(|row| Self { pid, began: row.began });
        }
        let alive = Pid::from_raw(pid).is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok());
        alive.then_some(Self { pid, began: 0 })
    }

    /// Returns whether exactly this process still runs.
    pub fn is_alive(&self) -> bool {
        Self::find(self.pid).as_ref() == Some(self)
    }

    /// Waits until the process has ended.
    pub async fn ended(&self) {
        // Watch before the check: if the process is alive then, this watches the right one.
        let watch = Pid::from_raw(self.pid).and_then(EndWatch::on);
        while self.is_alive() {
            match &watch {
                Some(watch) => return watch.ended().await,
                None => tokio::time::sleep(LOOK_AGAIN).await,
            }
        }
    }

    /// Kills the process unless it has ended.
    pub fn kill(&self) -> rustix::io::Result<()> {
        match Pid::from_raw(self.pid).filter(|_| self.is_alive()) {
            Some(pid) => rustix::process::kill_process(pid, rustix::process::Signal::KILL),
            None => Err(rustix::io::Errno::SRCH),
        }
    }
}

/// Watches for the end of a process, which need not be a child (pidfd). `None` on systems other than Linux, and if the
/// process is gone.
pub struct EndWatch(os::EndWatch);

impl EndWatch {
    /// Watches a process. Must be called within a runtime that has IO.
    pub fn on(pid: Pid) -> Option<Self> {
        os::EndWatch::on(pid).map(Self)
    }

    /// Returns when the process has ended, reaped or not.
    pub async fn ended(&self) {
        self.0.ended().await;
    }
}

#[cfg(target_os = "linux")]
mod os {
    use rustix::process::{Pid, PidfdFlags, pidfd_open};
    use std::os::fd::OwnedFd;
    use tokio::io::Interest;
    use tokio::io::unix::AsyncFd;

    pub(super) struct EndWatch(AsyncFd<OwnedFd>);

    impl EndWatch {
        pub(super) fn on(pid: Pid) -> Option<Self> {
            let process = pidfd_open(pid, PidfdFlags::empty()).ok()?;
            #[expect(
                deprecated,
                reason = "its successor is unsafe for types whose descriptor may change: this one owns its own"
            )]
            AsyncFd::with_interest(process, Interest::READABLE).ok().map(Self)
        }

        pub(super) async fn ended(&self) {
            // An error means that the runtime is shutting down, and this task with it.
            if self.0.readable().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod os {
    use rustix::process::Pid;

    pub(super) enum EndWatch {}

    impl EndWatch {
        pub(super) fn on(_pid: Pid) -> Option<Self> {
            None
        }

        pub(super) async fn ended(&self) {
            match *self {}
        }
    }
}

/// One entry of the process table.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) parent: i32,
    /// As in [`Process`].
    pub(super) began: u64,
    /// It is a zombie.
    pub(super) ended: bool,
    arguments: Vec<String>,
}

impl Row {
    /// Reads `/proc/PID/stat`. Its second field, the command, may contain spaces and parentheses.
    fn in_proc(pid: i32) -> Option<Self> {
        let stat = in_proc(pid, "stat").ok()?;
        let after = stat.iter().rposition(|byte| *byte == b')')? + 1;
        let mut fields = std::str::from_utf8(&stat[after..]).ok()?.split_ascii_whitespace();
        let is_zombie = matches!(fields.next()?, "Z" | "X" | "x");
        let parent = fields.next()?.parse().ok()?;
        // The eighteenth and the twentieth field after the command, of which two were read. A process whose first thread has
        // ended looks like a zombie, but its other threads still hold its files and sockets.
        let threads: u32 = fields.nth(15)?.parse().ok()?;
        let ended = is_zombie && threads <= 1;
        let began = fields.nth(1)?.parse().ok()?;
        Some(Self { parent, began, ended, arguments: Vec::new() })
    }
}

/// Maps processes to their parents. On Linux each process is read on demand.
#[derive(Debug, Default)]
pub struct ProcessTable {
    rows: HashMap<i32, Row>,
}

impl ProcessTable {
    #[cfg(target_os = "linux")]
    pub fn read() -> Self {
        Self::default()
    }

    /// Reads all processes at once: reading each one separately would start a program for every step.
    #[cfg(not(target_os = "linux"))]
    pub fn read() -> Self {
        by_ps()
    }

    pub fn parent(&self, pid: i32) -> Option<i32> {
        self.with_row(pid, |row| row.parent)
    }

    pub(super) fn with_row<T>(&self, pid: i32, read: impl FnOnce(&Row) -> T) -> Option<T> {
        match self.rows.get(&pid) {
            Some(row) => Some(read(row)),
            None => Row::in_proc(pid).map(|row| read(&row)),
        }
    }

    /// Returns the arguments of a process; empty if they cannot be read.
    pub(super) fn arguments(&self, pid: i32) -> Vec<String> {
        match self.rows.get(&pid) {
            Some(row) => row.arguments.clone(),
            None => zero_ended(pid, "cmdline"),
        }
    }
}

/// Returns whether a process is stopped (`kill -STOP`), so it answers nothing. False on systems that do not tell.
pub fn is_stopped(pid: i32) -> bool {
    let state = || {
        let stat = in_proc(pid, "stat").ok()?;
        let after = stat.iter().rposition(|byte| *byte == b')')? + 2;
        stat.get(after).copied()
    };
    matches!(state(), Some(b'T' | b't'))
}

/// Returns a variable's value in the environment that a process started with.
pub fn variable(pid: i32, name: &str) -> Option<String> {
    let bytes = in_proc(pid, "environ").ok()?;
    let mut entries = bytes.split(|byte| *byte == 0);
    let value = entries.find_map(|entry| entry.strip_prefix(name.as_bytes())?.strip_prefix(b"="))?;
    Some(String::from_utf8_lossy(value).into_owned())
}

/// Returns whether a process runs the program that its parent runs, because it was forked and has started no other one:
/// a subshell. False on systems that do not tell the environment of a process.
pub fn is_fork_of(pid: i32, parent: i32) -> bool {
    let same = |file| match (in_proc(pid, file), in_proc(parent, file)) {
        (Ok(one), Ok(other)) => !one.is_empty() && one == other,
        _ => false,
    };
    same("cmdline") && same("environ")
}

/// Reads a file of a process. Its size is not known before the read; with this capacity, two reads are usually enough.
fn in_proc(pid: i32, file: &str) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(MOST_OF_PROC);
    // Without `take`, the file would be asked for its size, which is always 0.
    File::open(format!("/proc/{pid}/{file}"))?.take(u64::MAX).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn zero_ended(pid: i32, file: &str) -> Vec<String> {
    let bytes = in_proc(pid, file).unwrap_or_default();
    let words = bytes.split(|byte| *byte == 0).filter(|word| !word.is_empty());
    words.map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

/// Returns an empty table if there is no `ps`.
#[cfg(any(not(target_os = "linux"), test))]
fn by_ps() -> ProcessTable {
    let output = Command::new("ps").args(["-axo", "pid=,ppid=,args="]).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    ProcessTable { rows: text.lines().filter_map(row).collect() }
}

#[cfg(any(not(target_os = "linux"), test))]
fn row(line: &str) -> Option<(i32, Row)> {
    let mut words = line.split_whitespace();
    let pid = words.next()?.parse().ok()?;
    let parent = words.next()?.parse().ok()?;
    Some((pid, Row { parent, began: 0, ended: false, arguments: words.map(str::to_owned).collect() }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[test]
    fn both_ways_tell_this_process_the_same_parent() {
        let own = i32::try_from(std::process::id()).unwrap();
        let table = by_ps();
        if table.rows.is_empty() {
            // This machine has no `ps`.
            return;
        }
        assert_eq!(table.parent(own), ProcessTable::default().parent(own));
        let (pid, row) = row("  42     1 /usr/bin/gstack browser-keeper x").unwrap();
        assert_eq!((pid, row.parent, row.arguments[1].as_str()), (42, 1, "browser-keeper"));
    }

    #[tokio::test]
    async fn the_end_of_another_process_is_waited_for() {
        let mut child =
            Command::new("sh").args(["-c", "read line"]).stdin(std::process::Stdio::piped()).spawn().unwrap();
        let process = Process::find(child.id().cast_signed()).unwrap();
        let mut ended = std::pin::pin!(process.ended());
        assert!(ended.as_mut().now_or_never().is_none());
        drop(child.stdin.take());
        // Reap it at the same time: some systems do not report a zombie as ended.
        let reaped = tokio::task::spawn_blocking(move || child.wait().unwrap());
        ended.await;
        assert!(!process.is_alive());
        process.ended().await;
        reaped.await.unwrap();
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn linux_tells_of_the_end_of_a_process() {
        let mut child =
            Command::new("sh").args(["-c", "read line"]).stdin(std::process::Stdio::piped()).spawn().unwrap();
        let pid = child.id().cast_signed();
        let watch = EndWatch::on(Pid::from_raw(pid).unwrap()).unwrap();
        let mut ended = std::pin::pin!(watch.ended());
        assert!(ended.as_mut().now_or_never().is_none());
        drop(child.stdin.take());
        ended.await;
        assert_eq!(Process::find(pid), None, "it has ended and is not reaped");
        child.wait().unwrap();
        assert!(EndWatch::on(Pid::from_raw(pid).unwrap()).is_none(), "there is no such process");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_stopped_process_is_told_from_a_running_one() {
        let mut child =
            Command::new("sh").args(["-c", "read line"]).stdin(std::process::Stdio::piped()).spawn().unwrap();
        let pid = child.id().cast_signed();
        assert!(!is_stopped(pid) && !is_stopped(own_pid()));
        rustix::process::kill_process(Pid::from_raw(pid).unwrap(), rustix::process::Signal::STOP).unwrap();
        while !is_stopped(pid) {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!is_stopped(pid));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_that_waits_to_be_reaped_has_ended() {
        let mut child =
            Command::new("sh").args(["-c", "read line"]).stdin(std::process::Stdio::piped()).spawn().unwrap();
        let process = Process::find(i32::try_from(child.id()).unwrap()).unwrap();
        assert!(process.is_alive());
        drop(child.stdin.take());
        while process.is_alive() {
            std::thread::yield_now();
        }
        assert!(ProcessTable::read().parent(process.pid).is_some(), "it was reaped already");
        assert_eq!(Process::find(process.pid), None);
        child.wait().unwrap();
    }
}
