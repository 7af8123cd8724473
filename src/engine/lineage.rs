//! Whether a process was started by an agent: what is for the person alone is refused to it.
//!
//! Owns the look at the process table. A process that hides on purpose (new session, cleaned
//! environment, its parents gone) is not found: docs/SECURITY.md says what a shell gives away.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Set to our home in the environment of every agent, and so of what it starts.
pub const AGENT_VARIABLE: &str = "GSTACK_AGENT";
/// Longer chains of parents do not occur; a loop would be a broken process table.
const LONGEST_CHAIN: usize = 64;

/// Whether `pid` or one of its parents is an agent of this daemon, or carries an agent's environment.
pub fn descends_from_agent(pid: i32) -> bool {
    let own = i32::try_from(std::process::id()).unwrap_or(i32::MAX);
    let mut current = pid;
    for _ in 0..LONGEST_CHAIN {
        if current <= 1 {
            return false;
        }
        if carries_variable(current) {
            return true;
        }
        match parent(current) {
            Some(above) if above == own => return is_agent_child(current),
            Some(above) => current = above,
            None => return false,
        }
    }
    false
}

/// The daemon's children are agents, and browser keepers, which end the chain harmlessly.
fn is_agent_child(pid: i32) -> bool {
    let arguments = std::fs::read(process_file(pid, "cmdline")).unwrap_or_default();
    !arguments.split(|byte| *byte == 0).any(|argument| argument == crate::protocol::keeper::KEEPER_ROLE.as_bytes())
}

fn carries_variable(pid: i32) -> bool {
    let wanted = format!("{AGENT_VARIABLE}=");
    std::fs::read(process_file(pid, "environ"))
        .is_ok_and(|all| all.split(|byte| *byte == 0).any(|entry| entry.starts_with(wanted.as_bytes())))
}

/// A process as it was found: its pid, and when it began, so that a reused pid is not taken for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Marked {
    pid: i32,
    began: String,
}

/// Every process that carries the mark of an agent of this home. An agent of a daemon that was killed may live on, if
/// it does not care that nobody speaks to it.
pub(super) fn marked(home: &Path) -> Vec<Marked> {
    let mut mark = format!("{AGENT_VARIABLE}=").into_bytes();
    mark.extend(home.as_os_str().as_bytes());
    let Ok(listed) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = listed.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let carries = |pid: &i32| {
        let environment = std::fs::read(process_file(*pid, "environ"));
        environment.is_ok_and(|all| all.split(|byte| *byte == 0).any(|entry| entry == mark))
    };
    pids.filter(carries).filter_map(|pid| Some(Marked { pid, began: began(pid)? })).collect()
}

/// Ends those of them that still live.
pub(super) fn kill(processes: &[Marked]) {
    for Marked { pid, began: then } in processes {
        let same = began(*pid).as_ref() == Some(then);
        let Some(process) = rustix::process::Pid::from_raw(*pid).filter(|_| same) else { continue };
        match rustix::process::kill_process(process, rustix::process::Signal::KILL) {
            Ok(()) => tracing::warn!(pid, "what an agent left behind was ended"),
            Err(error) => tracing::debug!(pid, %error, "what an agent left behind had ended"),
        }
    }
}

/// When a process began, in the kernel's own words: the twentieth field after the command's closing parenthesis.
fn began(pid: i32) -> Option<String> {
    let stat = std::fs::read_to_string(process_file(pid, "stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(19).map(str::to_owned)
}

/// The parent's pid: the second field after the command's closing parenthesis.
fn parent(pid: i32) -> Option<i32> {
    let stat = std::fs::read_to_string(process_file(pid, "stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

fn process_file(pid: i32, name: &str) -> PathBuf {
    PathBuf::from(format!("/proc/{pid}/{name}"))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn a_child_of_an_agent_is_known_by_its_environment() {
        let mut child = Command::new("sh")
            .args(["-c", "read line"])
            .env(AGENT_VARIABLE, "1")
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        let found = descends_from_agent(pid);
        drop(child.stdin.take());
        child.wait().unwrap();
        assert!(found);
    }

    #[test]
    fn a_process_that_is_gone_is_nobody() {
        assert!(!descends_from_agent(i32::MAX - 1));
        assert!(!descends_from_agent(1));
        assert!(!descends_from_agent(0));
    }
}
