//! Waits for the end of a daemon that was asked to end.
//!
//! Owns the waiting. Waits for the process, not for the lock: another daemon may take the lock the moment it is free.

use gstack_base::home::Home;
use gstack_base::lock::FileLock;
use gstack_base::process::Process;
use std::time::Duration;

/// The interval at which the lock is polled if the daemon did not report its pid.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// Waits until the daemon with this pid has ended; everything that it wrote is then on disk. Returns false if that
/// takes longer than `limit`.
pub async fn within(home: &Home, pid: Option<i32>, limit: Duration) -> bool {
    let ended = async {
        match pid {
            Some(pid) => {
                if let Some(process) = Process::find(pid) {
                    process.ended().await;
                }
            }
            // An older release does not report its pid.
            None => {
                while FileLock::is_held(&home.daemon_lock()).unwrap_or(false) {
                    tokio::time::sleep(LOOK_AGAIN).await;
                }
            }
        }
    };
    tokio::time::timeout(limit, ended).await.is_ok()
}
