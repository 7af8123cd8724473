//! Ends a browser and its keeper by force, whatever they do: the keeper may be stopped, and its socket, its key and the
//! whole home may be gone.
//!
//! Owns finding them: a keeper has the file of its lock open for as long as it lives. Never kills another process.

use super::error::LaunchError;
use crate::keeper_link::LinkError;
use gstack_base::descendants;
use gstack_base::home::Home;
use gstack_base::process::Process;
#[cfg(target_os = "linux")]
use gstack_base::program::KEEPER_ROLE;
use std::fs;
use std::path::Path;
#[cfg(target_os = "linux")]
use std::path::PathBuf;
use std::time::Duration;
use tokio::time::timeout;

/// A killed process ends at once, unless the system is very busy.
const FORCE_LIMIT: Duration = Duration::from_secs(5);

/// Kills this home's browser and its keeper. Unsaved data of pages is lost. Returns false if there is none.
///
/// # Errors
///
/// Fails if one of them does not end in time.
pub async fn end_by_force(home: &Home) -> Result<bool, LaunchError> {
    let lock = home.keeper_lock();
    // Reads all processes.
    let found = tokio::task::spawn_blocking(move || {
        let keepers = keepers(&lock);
        // Before the keeper is killed, because they lose their parent then.
        let of_browser = keepers.iter().flat_map(|keeper| descendants::of(keeper.pid));
        let of_browser: Vec<Process> = of_browser.filter_map(|process| Process::find(process.pid)).collect();
        keepers.into_iter().chain(of_browser).collect::<Vec<Process>>()
    });
    let found = found.await.unwrap_or_default();
    for process in &found {
        if let Err(error) = process.kill() {
            tracing::debug!(%error, pid = process.pid, "a process was already gone");
        }
    }
    let ended = async {
        for process in &found {
            process.ended().await;
        }
    };
    timeout(FORCE_LIMIT, ended).await.map_err(|_| LinkError::Silent(FORCE_LIMIT))?;
    if !found.is_empty() {
        for file in [home.browser_socket(), home.keeper_key()] {
            if let Err(error) = fs::remove_file(&file) {
                tracing::debug!(%error, file = %file.display(), "was already gone");
            }
        }
    }
    Ok(!found.is_empty())
}

/// Returns the keepers that have the lock's file open. One whose home was deleted still has it.
#[cfg(target_os = "linux")]
fn keepers(lock: &Path) -> Vec<Process> {
    let paths = names(lock);
    let has_lock_open = |pid: i32| {
        let open = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().filter_map(Result::ok);
        open.filter_map(|entry| fs::read_link(entry.path()).ok()).any(|target| paths.contains(&target))
    };
    let entries = fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let keepers = pids.filter(|pid| is_keeper(*pid) && has_lock_open(*pid));
    keepers.filter_map(Process::find).collect()
}

/// Returns the names under which the system shows the lock's file.
#[cfg(target_os = "linux")]
fn names(lock: &Path) -> Vec<PathBuf> {
    let folder = lock.parent().and_then(|folder| fs::canonicalize(folder).ok());
    let real = folder.and_then(|folder| Some(folder.join(lock.file_name()?)));
    let known = [Some(lock.to_owned()), real].into_iter().flatten();
    known
        .flat_map(|path| {
            let mut deleted = path.clone().into_os_string();
            deleted.push(" (deleted)");
            [path, deleted.into()]
        })
        .collect()
}

#[cfg(target_os = "linux")]
fn is_keeper(pid: i32) -> bool {
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    line.split(|byte| *byte == 0).nth(1) == Some(KEEPER_ROLE.as_bytes())
}

/// Returns the processes that have the lock's file open, without this one.
#[cfg(not(target_os = "linux"))]
fn keepers(lock: &Path) -> Vec<Process> {
    let Ok(output) = std::process::Command::new("lsof").arg("-t").arg("--").arg(lock).output() else {
        return Vec::new();
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let pids = text.lines().filter_map(|line| line.trim().parse().ok());
    pids.filter(|pid| *pid != gstack_base::process::own_pid()).filter_map(Process::find).collect()
}
