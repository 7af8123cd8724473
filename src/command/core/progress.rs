//! How far a long command is, for who waits for it.
//!
//! Owns the way there and its pace. Never holds a command up: what nobody takes in time is left out.

use crate::protocol::command::CommandLine;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// Faster than this nobody reads.
const PACE: Duration = Duration::from_millis(100);

/// Tells nobody by default. Cheap to clone.
#[derive(Clone, Default)]
pub struct Progress(Option<Arc<Listener>>);

struct Listener {
    lines: mpsc::Sender<CommandLine>,
    last: Mutex<Option<Instant>>,
}

impl Progress {
    pub fn to(lines: mpsc::Sender<CommandLine>) -> Self {
        Self(Some(Arc::new(Listener { lines, last: Mutex::default() })))
    }

    /// So many bytes are done, of so many where that is known.
    pub(in crate::command) fn tell(&self, done: u64, total: Option<u64>) {
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
