//! The progress of a long command, for its requester.
//!
//! Owns the channel and the rate. Never blocks a command: progress that is not read in time is dropped.

use gstack_protocol::command::CommandLine;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// Faster updates would be unreadable.
const PACE: Duration = Duration::from_millis(100);

/// Reports to nobody by default. Cheap to clone.
#[derive(Clone, Default)]
pub struct Progress(Option<Arc<Listener>>);

struct Listener {
    lines: mpsc::Sender<CommandLine>,
    last: Mutex<Option<Instant>>,
}

impl Progress {
    /// Sends progress to this channel, a few times a second at most.
    pub fn to(lines: mpsc::Sender<CommandLine>) -> Self {
        Self(Some(Arc::new(Listener { lines, last: Mutex::default() })))
    }

    /// Reports the bytes done, and the total if it is known.
    pub(crate) fn tell(&self, done: u64, total: Option<u64>) {
        let Some(listener) = &self.0 else { return };
        let mut last = listener.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_some_and(|last| last.elapsed() < PACE) {
            return;
        }
        *last = Some(Instant::now());
        if listener.lines.try_send(CommandLine::Progress { done, total }).is_err() {
            tracing::trace!("nobody reads how far a command is");
        }
    }
}
