//! When each everyday browser went away: its service worker stopped, its host was killed, or the browser was closed.
//!
//! Owns a command's wait for its return. Never opens another browser in its place.

use gstack_protocol::ids::BrowserRun;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// After its worker or host ended, an extension returns within a second or two. After its browser closed, it does not.
pub(super) const BACK_WITHIN: Duration = Duration::from_secs(5);

/// When each everyday browser went away.
#[derive(Default)]
pub(super) struct Away(HashMap<BrowserRun, Instant>);

impl Away {
    pub(super) fn begin(&mut self, run: &BrowserRun) {
        self.0.insert(run.clone(), Instant::now());
    }

    /// Records that the browser is back and has reported its tabs.
    pub(super) fn end(&mut self, run: &BrowserRun) {
        self.0.remove(run);
    }

    /// Returns the browsers that may still return in a moment.
    pub(super) fn expected(&self) -> impl Iterator<Item = &BrowserRun> {
        self.0.iter().filter(|(_, since)| since.elapsed() < BACK_WITHIN).map(|(run, _)| run)
    }
}
