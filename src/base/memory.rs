//! The memory of processes and everything that they started.
//!
//! Owns reading it: `/proc` on Linux, where memory that processes share is divided among them, and `ps` elsewhere.

use super::process::ProcessTable;
use std::collections::{HashMap, HashSet};
use std::fs;
#[cfg(not(target_os = "linux"))]
use std::process::Command;

/// Returns the bytes that these processes and their descendants use; `None` if none of them can be read.
pub fn of_trees(roots: &[i32]) -> Option<u64> {
    let parents = parents();
    let wanted: Vec<i32> = descendants(roots, &parents).into_iter().collect();
    let found: Vec<u64> = of_each(&wanted);
    (!found.is_empty()).then(|| found.iter().sum())
}

/// Returns these processes that exist, and all their descendants.
fn descendants(roots: &[i32], parents: &HashMap<i32, i32>) -> HashSet<i32> {
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    for (pid, parent) in parents {
        children.entry(*parent).or_default().push(*pid);
    }
    let mut found = HashSet::new();
    let mut open: Vec<i32> = roots.iter().copied().filter(|pid| parents.contains_key(pid)).collect();
    while let Some(pid) = open.pop() {
        if found.insert(pid) {
            open.extend(children.get(&pid).into_iter().flatten());
        }
    }
    found
}

#[cfg(target_os = "linux")]
fn parents() -> HashMap<i32, i32> {
    let table = ProcessTable::read();
    let entries = fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter_map(|pid| Some((pid, table.parent(pid)?))).collect()
}

#[cfg(target_os = "linux")]
fn of_each(pids: &[i32]) -> Vec<u64> {
    let of_one = |pid: &i32| {
        let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup"));
        let share = rollup.ok().and_then(|text| kilobytes(&text, "Pss:"));
        // A process that we may not trace only shows its whole resident memory.
        share.or_else(|| kilobytes(&fs::read_to_string(format!("/proc/{pid}/status")).ok()?, "VmRSS:"))
    };
    pids.iter().filter_map(of_one).map(|kilobytes| kilobytes * 1024).collect()
}

/// Returns the number of a line such as `Pss:   1234 kB`.
#[cfg(target_os = "linux")]
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
}

#[cfg(not(target_os = "linux"))]
fn parents() -> HashMap<i32, i32> {
    ps().into_iter().map(|(pid, parent, _)| (pid, parent)).collect()
}

#[cfg(not(target_os = "linux"))]
fn of_each(pids: &[i32]) -> Vec<u64> {
    ps().into_iter().filter(|(pid, _, _)| pids.contains(pid)).map(|(_, _, kilobytes)| kilobytes * 1024).collect()
}

/// Returns the pid, the parent and the resident kilobytes of each process; nothing if there is no `ps`.
#[cfg(not(target_os = "linux"))]
fn ps() -> Vec<(i32, i32, u64)> {
    let output = Command::new("ps").args(["-axo", "pid=,ppid=,rss="]).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let row = |line: &str| {
        let mut words = line.split_whitespace();
        Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?, words.next()?.parse().ok()?))
    };
    text.lines().filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descendants_are_found_once_and_a_loop_ends() {
        let parents = HashMap::from([(1, 0), (2, 1), (3, 2), (4, 1), (8, 9), (9, 8)]);
        assert_eq!(descendants(&[2], &parents), HashSet::from([2, 3]));
        assert_eq!(descendants(&[1, 2], &parents), HashSet::from([1, 2, 3, 4]));
        assert_eq!(descendants(&[8], &parents), HashSet::from([8, 9]));
        assert!(descendants(&[77], &parents).is_empty());
    }

    #[test]
    fn a_process_that_runs_has_memory_and_one_that_does_not_exist_has_none() {
        let own = of_trees(&[super::super::process::own_pid()]).unwrap();
        assert!(own > 100_000, "{own}");
        assert_eq!(of_trees(&[i32::MAX]), None);
    }
}
