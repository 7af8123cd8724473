//! All descendants of a process, including those that moved to their own sessions.
//!
//! Owns finding and ending them. Never kills another process with a reused pid: each is identified by its pid and its
//! start time.

use rustix::process::{Pid, Signal, kill_process};
use std::collections::HashMap;
use std::time::Duration;

/// The polling interval: the end of another process's child is not reported to us.
pub const RECHECK_INTERVAL: Duration = Duration::from_millis(50);

/// One process, distinguished from a later one with the same pid.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProcessId {
    pub pid: i32,
    /// Its start time as the system writes it. Only used for comparison.
    started: String,
}

struct Entry {
    parent: i32,
    started: String,
}

/// Returns the descendants of `root`, without `root` itself.
pub fn of(root: i32) -> Vec<ProcessId> {
    let table = table();
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    for (pid, entry) in &table {
        children.entry(entry.parent).or_default().push(*pid);
    }
    let mut found = Vec::new();
    let mut open = vec![root];
    while let Some(parent) = open.pop() {
        for pid in children.remove(&parent).unwrap_or_default() {
            if let Some(entry) = table.get(&pid) {
                found.push(ProcessId { pid, started: entry.started.clone() });
            }
            open.push(pid);
        }
    }
    found
}

/// Kills those of `processes` that still run.
pub fn kill(processes: &[ProcessId]) {
    signal(processes, Signal::KILL);
}

/// Sends TERM to those of `processes` that still run.
pub fn ask_to_end(processes: &[ProcessId]) {
    signal(processes, Signal::TERM);
}

/// Sends TERM to `processes`, and kills those that still run after `patience`.
pub async fn see_off(processes: &[ProcessId], patience: Duration) {
    ask_to_end(processes);
    let gone = async {
        while !living(processes).is_empty() {
            tokio::time::sleep(RECHECK_INTERVAL).await;
        }
    };
    if tokio::time::timeout(patience, gone).await.is_err() {
        kill(processes);
    }
}

fn signal(processes: &[ProcessId], signal: Signal) {
    for pid in living(processes) {
        // It may have ended in between, which is fine.
        kill_process(pid, signal).ok();
    }
}

/// Returns those of `processes` that still run.
fn living(processes: &[ProcessId]) -> Vec<Pid> {
    if processes.is_empty() {
        return Vec::new();
    }
    let table = table();
    let same = |process: &&ProcessId| table.get(&process.pid).is_some_and(|entry| entry.started == process.started);
    processes.iter().filter(same).filter_map(|process| Pid::from_raw(process.pid)).collect()
}

#[cfg(target_os = "linux")]
fn table() -> HashMap<i32, Entry> {
    let Ok(folder) = std::fs::read_dir("/proc") else { return HashMap::new() };
    folder
        .flatten()
        .filter_map(|item| {
            let pid: i32 = item.file_name().to_str()?.parse().ok()?;
            let stat = std::fs::read_to_string(item.path().join("stat")).ok()?;
            Some((pid, parse_stat(&stat)?))
        })
        .collect()
}

/// Parses `/proc/PID/stat` (proc_pid_stat(5)). The name in parentheses may contain anything, so fields are counted
/// after it: state, parent … and the start time as field 22 of the line. A zombie counts as ended.
#[cfg(target_os = "linux")]
fn parse_stat(stat: &str) -> Option<Entry> {
    let fields: Vec<&str> = stat[stat.rfind(')')? + 1..].split_ascii_whitespace().collect();
    let entry = Entry { parent: fields.get(1)?.parse().ok()?, started: (*fields.get(19)?).to_owned() };
    (*fields.first()? != "Z").then_some(entry)
}

#[cfg(not(target_os = "linux"))]
fn table() -> HashMap<i32, Entry> {
    let Ok(output) = std::process::Command::new("ps").args(["-axo", "pid=,ppid=,lstart="]).output() else {
        return HashMap::new();
    };
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| {
            let mut words = line.split_ascii_whitespace();
            let pid = words.next()?.parse().ok()?;
            let parent = words.next()?.parse().ok()?;
            Some((pid, Entry { parent, started: words.collect::<Vec<_>>().join(" ") }))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    #[cfg(target_os = "linux")]
    #[test]
    fn a_name_with_parentheses_and_spaces_does_not_move_the_fields() {
        let fields: Vec<String> = (3..=52).map(|n| if n == 3 { "S".to_owned() } else { n.to_string() }).collect();
        let stat = format!("7 (odd ) name) {}", fields.join(" "));
        let entry = super::parse_stat(&stat).unwrap();
        assert_eq!((entry.parent, entry.started.as_str()), (4, "22"));
    }

    #[test]
    fn grandchildren_are_found() {
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", "sh -c 'echo up; read x' ; true"]);
        let mut child = shell.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stdout.take().unwrap()), &mut line).unwrap();
        assert_eq!(super::of(std::process::id() as i32).iter().filter(|p| p.pid == child.id() as i32).count(), 1);
        assert_eq!(super::of(child.id() as i32).len(), 1);
        drop(child.stdin.take());
        child.wait().unwrap();
        assert!(super::of(child.id() as i32).is_empty());
    }
}
