//! Processes that agents left running: those that carry the mark of an agent of this home, and their descendants.
//!
//! Owns finding and ending them. `base::lineage` identifies a process that sends a request.

use super::pool::AgentPool;
use gstack_base::lineage::{AGENT_VARIABLE, LONGEST_CHAIN};
use gstack_base::process::{Process, ProcessTable, own_pid, variable};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::Duration;

/// The time that an agent gets to end by itself after its daemon was killed.
const ORPHAN_GRACE: Duration = Duration::from_secs(5);

impl AgentPool {
    /// Ends the agents of an earlier daemon that was killed. Most end by themselves once their pipe closes, and save
    /// their state before that.
    pub(crate) fn end_orphans(&self) {
        let orphans = marked(self.0.home.root());
        if orphans.is_empty() {
            return;
        }
        let shutdown = self.0.tasks.shutdown();
        self.0.tasks.spawn(async move {
            tokio::select! {
                () = tokio::time::sleep(ORPHAN_GRACE) => kill(&orphans),
                () = shutdown.cancelled() => {}
            }
        });
    }

    /// Kills the processes that this daemon's agents left running.
    pub(crate) fn kill_left_over(&self) {
        kill(&marked(self.0.home.root()));
    }
}

/// Returns every process that carries the mark of an agent of this home, and all of their descendants. An agent of a
/// killed daemon may survive if it does not notice that its pipe closed. Returns nothing if an agent started this
/// daemon.
fn marked(home: &Path) -> Vec<Process> {
    let Ok(listed) = std::fs::read_dir("/proc") else { return Vec::new() };
    let table = ProcessTable::read();
    let pids = listed.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let parents: HashMap<i32, i32> = pids.filter_map(|pid| Some((pid, table.parent(pid)?))).collect();
    let carries = |pid: i32| variable(pid, AGENT_VARIABLE).is_some_and(|of| Path::new(&of) == home);
    let carriers: HashSet<i32> = parents.keys().copied().filter(|pid| carries(*pid)).collect();
    let above = |pid: &i32| parents.get(pid).copied().filter(|parent| *parent > 1);
    let descends =
        |pid: i32| std::iter::successors(Some(pid), above).take(LONGEST_CHAIN).any(|pid| carriers.contains(&pid));
    if descends(own_pid()) {
        return Vec::new();
    }
    parents.keys().copied().filter(|pid| descends(*pid)).filter_map(Process::find).collect()
}

/// Kills those that still run.
fn kill(processes: &[Process]) {
    for process in processes {
        match process.kill() {
            Ok(()) => tracing::warn!(pid = process.pid, "killed what an agent had left running"),
            Err(error) => tracing::debug!(pid = process.pid, %error, "what an agent had left running has ended"),
        }
    }
}
