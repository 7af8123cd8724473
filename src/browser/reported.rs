//! The memory that a browser's reports take: tabs, sessions, frames, scripts' contexts, dialogs, unanswered commands.
//!
//! Owns the one limit. A browser on another machine may belong to somebody else and report without end; beyond the
//! limit, gstack ends the connection. Never drops a report: a tab that is missing from the table would be worse.

use super::entry_size::ENTRY;
use super::events::Event;
use super::shared::{Shared, State};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// In bytes. A thousand tabs with two frames each take about 6 MiB.
const MOST_BYTES: usize = 32 * 1024 * 1024;
/// Events of this size together may come between two counts.
const BETWEEN_COUNTS: usize = 8 * 1024 * 1024;

/// What came since the last count, and whether the limit was exceeded.
#[derive(Debug, Default)]
pub(super) struct Reported {
    since_count: AtomicUsize,
    exceeded: AtomicBool,
}

impl Reported {
    /// Adds an event. Returns true if it is time to count.
    fn add(&self, event: &Event) -> bool {
        let size = event.params().len() + ENTRY;
        // Only the reader task adds.
        let is_due = self.since_count.fetch_add(size, Ordering::Relaxed) + size >= BETWEEN_COUNTS;
        if is_due {
            self.since_count.store(0, Ordering::Relaxed);
        }
        is_due
    }
}

impl Shared {
    /// Counts what the reports of the browser take after enough of them came, and ends the connection if it is too much.
    pub(super) fn limit_reports(&self, event: &Event) {
        if !self.reported.add(event) {
            return;
        }
        let held = self.state().bytes() + self.cdp.pending() * ENTRY;
        if held > MOST_BYTES {
            tracing::warn!(bytes = held, "the browser reports more than gstack holds and is let go");
            self.reported.exceeded.store(true, Ordering::Relaxed);
            self.cdp.cancel();
        }
    }
    /// Returns true if the connection ended because the browser reported too much.
    pub(super) fn reported_too_much(&self) -> bool {
        self.reported.exceeded.load(Ordering::Relaxed)
    }
}

impl State {
    fn bytes(&self) -> usize {
        let frames: usize = self.engaged.values().map(|engaged| engaged.frames.bytes()).sum();
        let dialogs: usize = self.tab_states.values().map(|tab_state| tab_state.dialogs.bytes()).sum();
        let sessions: usize = self.sessions.keys().map(|id| ENTRY + id.as_ref().len()).sum();
        self.tabs.bytes() + sessions + frames + dialogs
    }
}
