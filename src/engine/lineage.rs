//! Whether a process was started by an agent, and whose: what is for the person alone is refused to it.
//!
//! Owns the look at the process table. On Linux an agent's minder stays the parent of all that comes from the agent, so
//! that a process is found however it detaches; elsewhere one that hides on purpose is not. docs/SECURITY.md says what
//! a shell gives away.

mod connection;
mod process_table;

pub use connection::is_of_agent;

use crate::protocol::ids::ConversationId;
use process_table::{ProcessTable, began, variable};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Set to our home in the environment of every agent, and so of what it starts.
pub const AGENT_VARIABLE: &str = "GSTACK_AGENT";
/// Beside it: the id of the agent's conversation.
pub const CONVERSATION_VARIABLE: &str = "GSTACK_CONVERSATION";
/// Longer chains of parents do not occur; a loop would be a broken process table.
const LONGEST_CHAIN: usize = 64;

/// Where a process comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lineage {
    /// No agent is among its parents.
    Person,
    /// An agent started it: that of this conversation, where that can be told.
    Agent(Option<ConversationId>),
}

/// Whether `pid` or one of its parents is an agent of this daemon, or carries an agent's environment.
pub fn of(pid: i32) -> Lineage {
    let own = i32::try_from(std::process::id()).unwrap_or(i32::MAX);
    let table = ProcessTable::read();
    let mut current = pid;
    for _ in 0..LONGEST_CHAIN {
        if current <= 1 {
            return Lineage::Person;
        }
        if variable(current, AGENT_VARIABLE).is_some() {
            return Lineage::Agent(variable(current, CONVERSATION_VARIABLE).map(ConversationId::new));
        }
        match table.parent(current) {
            Some(above) if above == own => return of_child(&table, current),
            Some(above) => current = above,
            None => return Lineage::Person,
        }
    }
    // Nobody has so many parents.
    Lineage::Agent(None)
}

/// The daemon's children are agents, and browser keepers, which end the chain harmlessly.
fn of_child(table: &ProcessTable, pid: i32) -> Lineage {
    let keeper = crate::protocol::keeper::KEEPER_ROLE;
    if table.arguments(pid).iter().any(|argument| argument == keeper) { Lineage::Person } else { Lineage::Agent(None) }
}

/// A process as it was found: its pid, and when it began, so that a reused pid is not taken for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Marked {
    pid: i32,
    began: String,
}

/// Every process that carries the mark of an agent of this home, and all that descend from one. An agent of a daemon
/// that was killed may live on, if it does not care that nobody speaks to it.
pub(super) fn marked(home: &Path) -> Vec<Marked> {
    let Ok(listed) = std::fs::read_dir("/proc") else { return Vec::new() };
    let table = ProcessTable::read();
    let pids = listed.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let parents: HashMap<i32, i32> = pids.filter_map(|pid| Some((pid, table.parent(pid)?))).collect();
    let carries = |pid: i32| variable(pid, AGENT_VARIABLE).is_some_and(|of| Path::new(&of) == home);
    let carriers: HashSet<i32> = parents.keys().copied().filter(|pid| carries(*pid)).collect();
    let above = |pid: &i32| parents.get(pid).copied().filter(|parent| *parent > 1);
    let descends =
        |pid: i32| std::iter::successors(Some(pid), above).take(LONGEST_CHAIN).any(|pid| carriers.contains(&pid));
    let found = parents.keys().copied().filter(|pid| descends(*pid));
    found.filter_map(|pid| Some(Marked { pid, began: began(pid)? })).collect()
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

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    /// The lineage of a shell that this line starts, told by the shell's last child.
    fn lineage_of(script: &str) -> Lineage {
        let mut child = Command::new("sh")
            .args(["-c", script])
            .env(AGENT_VARIABLE, "/home")
            .env(CONVERSATION_VARIABLE, "c1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut output = std::io::BufReader::new(child.stdout.take().unwrap());
        std::io::BufRead::read_line(&mut output, &mut line).unwrap();
        let found = of(line.trim().parse().unwrap());
        drop(child.stdin.take());
        // What it started reads the same input and ends with it.
        std::io::copy(&mut output, &mut std::io::sink()).unwrap();
        child.wait().unwrap();
        found
    }

    #[test]
    fn what_an_agent_starts_is_known_however_it_detaches() {
        let agent = Lineage::Agent(Some(ConversationId::new("c1")));
        for script in [
            "echo $$; read line",
            "(sh -c 'echo $$; read line') | cat",
            // A session of its own, its parents gone.
            "exec 3<&0; (setsid sh -c 'echo $$; read line <&3' &)",
            "exec 3<&0; (setsid nohup sh -c 'echo $$; read line <&3' 2>/dev/null &) & wait",
        ] {
            assert_eq!(lineage_of(script), agent, "{script}");
        }
        // Its environment is clean, but its parent's is not.
        assert_eq!(lineage_of("env -i sh -c 'echo $$; read line'; true"), agent);
    }

    #[test]
    fn a_process_that_is_gone_or_first_is_a_persons() {
        for pid in [i32::MAX - 1, 1, 0, -5] {
            assert_eq!(of(pid), Lineage::Person);
        }
    }
}
