//! The owner of a home: `gstack run` holds `owner.lock` in the homes of its sessions as long as it runs.
//!
//! Owns the wait for the owner's end, after which the browsers are closed (a session on another machine is released) and
//! the daemon ends. The kernel releases the lock even on kill -9, so no session outlives its run. A home without that
//! file has no owner.

use gstack_base::home::Home;
use gstack_base::lock::FileLock;
use gstack_engine::Engine;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// How long the browsers may take to close before the daemon ends without waiting for it.
const CLOSING_LIMIT: Duration = Duration::from_secs(15);

/// Closes the browsers and triggers `shutdown` when the owner ends.
pub(super) async fn watch(home: Home, engine: Engine, shutdown: CancellationToken) {
    let lock = home.owner_lock();
    if !lock.exists() {
        return;
    }
    let (ended, wait) = oneshot::channel();
    // The kernel has no event for a free lock. Nothing waits for this thread when the process ends.
    std::thread::spawn(move || ended.send(FileLock::take(&lock).map(drop)).ok());
    tokio::select! {
        outcome = wait => tracing::info!(?outcome, "the run that owns this session has ended"),
        () = shutdown.cancelled() => return,
    }
    if tokio::time::timeout(CLOSING_LIMIT, engine.connection().disconnect_all()).await.is_err() {
        tracing::warn!("the browsers did not close in time");
    }
    shutdown.cancel();
}
