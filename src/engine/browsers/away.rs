//! Since when each everyday browser is away: its worker was stopped, its host was killed, the browser was closed.
//!
//! Owns how long a command waits for one. Never lets another browser be opened in its place.

use crate::protocol::ids::BrowserRun;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// An extension whose worker or host was ended is back within a second or two, one whose browser was closed is not.
pub(super) const BACK_WITHIN: Duration = Duration::from_secs(5);

/// Since when each everyday browser is away.
#[derive(Default)]
pub(super) struct Away(HashMap<BrowserRun, Instant>);

impl Away {
    pub(super) fn begin(&mut self, run: &BrowserRun) {
        self.0.insert(run.clone(), Instant::now());
    }

    /// It is back and has told of its tabs.
    pub(super) fn end(&mut self, run: &BrowserRun) {
        self.0.remove(run);
    }

    /// Those that may come back in a moment.
    pub(super) fn expected(&self) -> impl Iterator<Item = &BrowserRun> {
        self.0.iter().filter(|(_, since)| since.elapsed() < BACK_WITHIN).map(|(run, _)| run)
    }
}
