//! Determines whether a process was started by an agent, and by which one. Such a process is refused what only the
//! person may do.
//!
//! Owns the walk up the parent processes. On Linux an agent's minder stays the parent of everything that the agent
//! starts, so a process is recognised even if it detaches. A process whose ancestry cannot be followed to its start is
//! unknown, and never counts as the person's.

use super::process::{Process, ProcessTable, is_fork_of, variable};
use super::program::KEEPER_ROLE;

/// Set to our home in the environment of every agent, and inherited by everything it starts.
pub const AGENT_VARIABLE: &str = "GSTACK_AGENT";
/// Set beside it: the id of the agent's conversation.
pub const CONVERSATION_VARIABLE: &str = "GSTACK_CONVERSATION";
/// The maximum number of parents. A longer chain does not occur; a loop would mean a broken process table.
pub const LONGEST_CHAIN: usize = 64;
/// The maximum number of walks: a parent that ends during a walk has its children reparented, so the walk starts over.
const WALKS: usize = 4;

/// The origin of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lineage {
    /// None of its ancestors is an agent.
    Person,
    /// An agent started it. Holds the id of that agent's conversation, if known.
    Agent(Option<String>),
    /// It has ended, or one of its ancestors cannot be read. Has none of the person's authority.
    Unknown,
}

/// Returns the origin of `process`: checks whether it or one of its ancestors is an agent of this daemon or has an
/// agent's environment.
pub fn of(process: &Process) -> Lineage {
    let table = ProcessTable::read();
    for _ in 0..WALKS {
        match walk(&table, process.pid) {
            _ if !process.is_alive() => return Lineage::Unknown,
            Some(found) => return found,
            None => {}
        }
    }
    Lineage::Unknown
}

/// Returns whether an agent started this program. Checks the parent process and its ancestors, not this process itself.
pub fn agent_started_us() -> bool {
    let parent = rustix::process::getppid().and_then(|pid| Process::find(pid.as_raw_nonzero().get()));
    parent.is_some_and(|parent| matches!(of(&parent), Lineage::Agent(_)))
}

/// Returns whether exactly this process, not another one that reused its pid, is an ancestor of `process`.
pub fn descends_from_process(process: &Process, ancestor: &Process) -> bool {
    let table = ProcessTable::read();
    let mut current = process.pid;
    let mut child_began = u64::MAX;
    for _ in 0..LONGEST_CHAIN {
        let Some((parent, began)) = table.with_row(current, |row| (row.parent, row.began)) else { return false };
        // A parent that started after its child is another process with a reused pid.
        if began > child_began {
            return false;
        }
        if current == ancestor.pid {
            return ancestor.is_alive() && process.is_alive();
        }
        if parent <= 1 {
            return false;
        }
        (current, child_began) = (parent, began);
    }
    false
}

/// Returns the shell or program that ran `process`: its parent, or, if that is a subshell, the shell itself. `None` if it has
/// ended.
pub fn started_by(process: &Process) -> Option<Process> {
    let table = ProcessTable::read();
    let mut starter = table.parent(process.pid).filter(|parent| *parent > 1)?;
    for _ in 0..LONGEST_CHAIN {
        match table.parent(starter) {
            Some(above) if above > 1 && is_fork_of(starter, above) => starter = above,
            _ => break,
        }
    }
    // Checked last: a process that is still alive and still descends from the one found was started by it.
    let found = Process::find(starter)?;
    descends_from_process(process, &found).then_some(found)
}

/// Returns `None` if the chain changed during the walk.
fn walk(table: &ProcessTable, pid: i32) -> Option<Lineage> {
    let own = i32::try_from(std::process::id()).unwrap_or(i32::MAX);
    let mut current = pid;
    let mut child_began = u64::MAX;
    for _ in 0..LONGEST_CHAIN {
        // A parent that started after its child is another process with a reused pid.
        let (parent, began) = table.with_row(current, |row| (row.parent, row.began))?;
        if began > child_began {
            return None;
        }
        if variable(current, AGENT_VARIABLE).is_some() {
            return Some(Lineage::Agent(variable(current, CONVERSATION_VARIABLE)));
        }
        match parent {
            // The first process, or one that entered this container from outside.
            ..=1 => return Some(Lineage::Person),
            above if above == own && is_keeper(table, own) => return Some(Lineage::Person),
            above if above == own => return Some(of_child(table, current)),
            above => (current, child_began) = (above, began),
        }
    }
    // A process of the person never has this many ancestors.
    Some(Lineage::Agent(None))
}

/// Returns the lineage of a child of the daemon. These are agents and browser keepers; the person's native hosts are
/// descendants of a keeper. Each host may start the next daemon, so a keeper's child, the browser, is the person's too.
fn of_child(table: &ProcessTable, pid: i32) -> Lineage {
    if is_keeper(table, pid) { Lineage::Person } else { Lineage::Agent(None) }
}

/// Returns whether a process is a browser keeper. The role is always the first argument: an agent's program may have
/// that word elsewhere.
fn is_keeper(table: &ProcessTable, pid: i32) -> bool {
    table.arguments(pid).get(1).is_some_and(|role| role == KEEPER_ROLE)
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    /// Returns the lineage of the last child of a shell that runs this line.
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
        let found = of(&Process::find(line.trim().parse().unwrap()).unwrap());
        drop(child.stdin.take());
        // The processes that it started read the same input and end with it.
        std::io::copy(&mut output, &mut std::io::sink()).unwrap();
        child.wait().unwrap();
        found
    }

    #[test]
    fn what_an_agent_starts_is_known_however_it_detaches() {
        let agent = Lineage::Agent(Some("c1".to_owned()));
        for script in [
            "echo $$; read line",
            "(sh -c 'echo $$; read line') | cat",
            // In its own session, with its parents gone.
            "exec 3<&0; (setsid sh -c 'echo $$; read line <&3' &)",
            "exec 3<&0; (setsid nohup sh -c 'echo $$; read line <&3' 2>/dev/null &) & wait",
        ] {
            assert_eq!(lineage_of(script), agent, "{script}");
        }
        // Its environment is clean, but its parent's is not.
        assert_eq!(lineage_of("env -i sh -c 'echo $$; read line'; true"), agent);
        // A child of the daemon that only has the keeper's role among its arguments.
        assert_eq!(lineage_of("exec env -i sh -c 'echo $$; read line' browser-keeper"), Lineage::Agent(None));
    }

    /// Returns the process that started the program whose pid a shell prints, and the pid of that shell.
    fn starter_of(script: &str) -> (Option<Process>, i32) {
        let mut child =
            Command::new("bash").args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let shell = i32::try_from(child.id()).unwrap();
        let mut line = String::new();
        let mut output = std::io::BufReader::new(child.stdout.take().unwrap());
        std::io::BufRead::read_line(&mut output, &mut line).unwrap();
        let found = started_by(&Process::find(line.trim().parse().unwrap()).unwrap());
        drop(child.stdin.take());
        std::io::copy(&mut output, &mut std::io::sink()).unwrap();
        child.wait().unwrap();
        (found, shell)
    }

    #[test]
    fn a_program_belongs_to_the_shell_that_ran_it_and_not_to_a_subshell() {
        let own = i32::try_from(std::process::id()).unwrap();
        for script in [
            "sh -c 'echo $$; read line'; true",
            "exec 3<&0; (sh -c 'echo $$; read line <&3'; true); true",
            "exec 3<&0; { sh -c 'echo $$; read line <&3'; true; } | cat; true",
        ] {
            let (found, shell) = starter_of(script);
            assert_eq!(found.map(|process| process.pid), Some(shell), "{script}");
        }
        // The shell itself was started by this process.
        assert_eq!(starter_of("echo $$; read line").0.map(|process| process.pid), Some(own));
    }

    #[test]
    fn a_process_that_is_gone_is_unknown() {
        let mut child = Command::new("sh").args(["-c", "read line"]).stdin(Stdio::piped()).spawn().unwrap();
        let process = Process::find(i32::try_from(child.id()).unwrap()).unwrap();
        assert_eq!(of(&process), Lineage::Agent(None), "a child of this process");
        let own = Process::find(crate::process::own_pid()).unwrap();
        assert!(descends_from_process(&process, &own) && descends_from_process(&process, &process));
        assert!(!descends_from_process(&own, &process), "it is the other way round");
        drop(child.stdin.take());
        child.wait().unwrap();
        assert!(!descends_from_process(&process, &own), "it has ended");
        assert_eq!(of(&process), Lineage::Unknown);
        for pid in [i32::MAX - 1, 0, -5] {
            assert_eq!(Process::find(pid), None, "{pid}");
        }
    }
}
