//! Parents, arguments and environments of processes, as the system tells them: `/proc` on Linux, `ps` elsewhere.

use std::collections::HashMap;
#[cfg(any(not(target_os = "linux"), test))]
use std::process::Command;

/// Who is whose parent. On Linux it is read as it is asked.
#[derive(Debug, Default)]
pub(super) struct ProcessTable {
    rows: HashMap<i32, Row>,
}

#[derive(Debug)]
struct Row {
    parent: i32,
    arguments: Vec<String>,
}

impl ProcessTable {
    #[cfg(target_os = "linux")]
    pub(super) fn read() -> Self {
        Self::default()
    }

    /// One look at all processes: asking for each alone would start a program a step.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn read() -> Self {
        by_ps()
    }

    pub(super) fn parent(&self, pid: i32) -> Option<i32> {
        self.rows.get(&pid).map(|row| row.parent).or_else(|| parent_in_proc(pid))
    }

    /// Empty where they can't be told.
    pub(super) fn arguments(&self, pid: i32) -> Vec<String> {
        match self.rows.get(&pid) {
            Some(row) => row.arguments.clone(),
            None => zero_ended(pid, "cmdline"),
        }
    }
}

/// The value of a variable in a process's first environment.
pub(super) fn variable(pid: i32, name: &str) -> Option<String> {
    zero_ended(pid, "environ").iter().find_map(|entry| Some(entry.strip_prefix(name)?.strip_prefix('=')?.to_owned()))
}

/// The parent's pid: the second field after the command's closing parenthesis.
fn parent_in_proc(pid: i32) -> Option<i32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// When a process began, in the kernel's own words: the twentieth field after the command's closing parenthesis.
pub(super) fn began(pid: i32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(19).map(str::to_owned)
}

fn zero_ended(pid: i32, file: &str) -> Vec<String> {
    let bytes = std::fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
    let words = bytes.split(|byte| *byte == 0).filter(|word| !word.is_empty());
    words.map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

/// Nothing where there is no `ps`.
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
    Some((pid, Row { parent, arguments: words.map(str::to_owned).collect() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_tell_this_process_the_same_parent() {
        let own = i32::try_from(std::process::id()).unwrap();
        let table = by_ps();
        if table.rows.is_empty() {
            // No `ps` on this machine.
            return;
        }
        assert_eq!(table.parent(own), parent_in_proc(own));
        let (pid, row) = row("  42     1 /usr/bin/gstack browser-keeper x").unwrap();
        assert_eq!((pid, row.parent, row.arguments[1].as_str()), (42, 1, "browser-keeper"));
    }
}
