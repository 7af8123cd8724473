//! The end of a daemon, for those who asked it to end.
//!
//! Owns the waiting. The process is what is waited for: another daemon may take its lock the moment it is free.

use crate::base::home::Home;
use crate::base::lock::FileLock;
use crate::base::process::Process;
use std::time::Duration;

/// How often the lock is looked at where the daemon did not say which process it is.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// Waits until the daemon that said this pid has ended: then all that it wrote is on disk. False where it takes longer
/// than `limit`.
pub async fn within(home: &Home, pid: Option<i32>, limit: Duration) -> bool {
    let ended = async {
        match pid {
            Some(pid) => {
                if let Some(process) = Process::find(pid) {
                    process.ended().await;
                }
            }
            // An older release's.
            None => {
                while FileLock::is_held(&home.daemon_lock()).unwrap_or(false) {
                    tokio::time::sleep(LOOK_AGAIN).await;
                }
            }
        }
    };
    tokio::time::timeout(limit, ended).await.is_ok()
}
