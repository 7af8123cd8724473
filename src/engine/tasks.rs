//! The daemon's background tasks and its shutdown.
//!
//! Owns the tracker of background tasks and the token that ends them all. Never knows what a task does.

use gstack_protocol::fault::Fault;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Spawns tasks and waits for them at the end. Cheap to clone.
#[derive(Clone)]
pub(super) struct Tasks {
    tracker: TaskTracker,
    shutdown: CancellationToken,
}

impl Tasks {
    /// Creates the tracker. `shutdown` is cancelled when the daemon ends.
    pub(super) fn new(shutdown: CancellationToken) -> Self {
        Self { tracker: TaskTracker::new(), shutdown }
    }

    pub(super) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.tracker.spawn(task);
    }

    /// Returns the token that is cancelled when the daemon ends.
    pub(super) fn shutdown(&self) -> CancellationToken {
        self.shutdown.clone()
    }

    pub(super) fn request_shutdown(&self) {
        self.shutdown.cancel();
    }

    /// Ends all tasks. Returns false if some did not end in time.
    pub(super) async fn end(&self, limit: Duration) -> bool {
        self.shutdown.cancel();
        self.tracker.close();
        tokio::time::timeout(limit, self.tracker.wait()).await.is_ok()
    }
}

/// Runs blocking disk work off the runtime's own threads.
pub(super) async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Fault> + Send + 'static,
) -> Result<T, Fault> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| Fault::internal(format!("the work ended early: {error}")))?
}
