//! The ring of entries: their numbers, starts and ends, and their subscribers.
//!
//! Owns the kept entries. Never parses a command.

use super::file::ActivityFile;
use crate::ports::{PortId, PortSender};
use gstack_protocol::activity::{ActivityEntry, ActivityId, ActivityOutcome, ActivityPage};
use gstack_protocol::ids::PanelId;
use gstack_protocol::methods::ToPanel;
use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use tokio::sync::broadcast;

/// The number of entries that are kept.
pub const RING: usize = 1000;
/// The number of entries that a receiver may lag behind before it loses some.
const BACKLOG: usize = 256;
/// In bytes. Half of what one message to Chrome may hold, which leaves room for quotes and escapes.
const LARGEST_PAGE: usize = 400 * 1024;
/// The ring and its subscribers.
pub(super) struct Activity {
    entries: VecDeque<ActivityEntry>,
    last: ActivityId,
    pub(super) told: broadcast::Sender<ActivityEntry>,
    pub(super) panels: HashMap<(PortId, Option<PanelId>), PortSender>,
    file: ActivityFile,
}

impl Default for Activity {
    fn default() -> Self {
        let (told, _) = broadcast::channel(BACKLOG);
        Self { entries: VecDeque::new(), last: 0, told, panels: HashMap::new(), file: ActivityFile::default() }
    }
}

impl Activity {
    /// Continues the log of earlier daemons: loads their newest entries and continues their numbering.
    pub(super) fn open(path: PathBuf) -> Self {
        let (file, mut entries) = ActivityFile::open(path);
        entries.drain(..entries.len().saturating_sub(RING));
        let last = entries.last().map_or(0, |entry| entry.id);
        Self { entries: entries.into(), last, file, ..Self::default() }
    }

    /// Assigns the entry its number and adds it.
    pub(super) fn begin(&mut self, mut entry: ActivityEntry) -> ActivityId {
        self.last += 1;
        entry.id = self.last;
        if self.entries.len() == RING {
            self.entries.pop_front();
        }
        self.tell(&entry);
        self.entries.push_back(entry);
        self.last
    }

    pub(super) fn end(&mut self, id: ActivityId, outcome: ActivityOutcome, duration_ms: u64, result: String) {
        // The entry is gone if the ring has overwritten it since it began.
        let Some(entry) = self.entries.iter_mut().rev().find(|entry| entry.id == id) else { return };
        entry.outcome = outcome;
        entry.duration_ms = Some(duration_ms);
        entry.result = result;
        let entry = entry.clone();
        self.file.add(&entry, self.entries.iter().filter(|entry| entry.outcome != ActivityOutcome::Running));
        self.tell(&entry);
    }

    fn tell(&self, entry: &ActivityEntry) {
        // A send without receivers fails. Nothing is lost, because the ring holds the entry.
        self.told.send(entry.clone()).ok();
        for ((_, client), port) in &self.panels {
            port.send(&ToPanel::ActivityEntry(entry.clone()).envelope(client.clone()));
        }
    }

    /// Returns at most `limit` entries after `after`, the oldest first, so that a reader can continue from the last
    /// one.
    pub(super) fn page(&self, after: ActivityId, limit: usize) -> ActivityPage {
        // A number that was never assigned comes from another daemon: all of its entries are gone, and all of ours are
        // new.
        let (after, foreign) = if after > self.last { (0, true) } else { (after, false) };
        let oldest = self.entries.front().map_or(self.last + 1, |entry| entry.id);
        let entries = self.entries.iter().filter(|entry| entry.id > after).take(limit).cloned().collect();
        ActivityPage { entries, gap: foreign || after + 1 < oldest }
    }

    /// Returns the newest of those entries that fit into one message to a panel.
    pub(super) fn page_of_panel(&self, after: ActivityId) -> ActivityPage {
        let mut page = self.page(after, RING);
        let mut size = 0;
        let fits = |entry: &&ActivityEntry| {
            let words: usize = entry.args.iter().map(|word| word.len() + 4).sum();
            size += 300 + words + entry.result.len();
            size <= LARGEST_PAGE
        };
        let kept = page.entries.iter().rev().take_while(fits).count();
        page.gap |= kept < page.entries.len();
        page.entries.drain(..page.entries.len() - kept);
        page
    }

    /// Returns the number up to which every entry has ended. A reader that resumes after it misses no end.
    pub(super) fn settled(&self) -> ActivityId {
        let open = self.entries.iter().find(|entry| entry.outcome == ActivityOutcome::Running);
        open.map_or(self.last, |entry| entry.id - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::{Activity, RING};
    use gstack_protocol::activity::{ActivityEntry, ActivityOutcome, ActivitySource};

    fn entry() -> ActivityEntry {
        ActivityEntry {
            id: 0,
            at: 1,
            source: ActivitySource::Terminal,
            driver: None,
            turn: None,
            tab_id: None,
            command: "click".to_owned(),
            args: vec!["@e3".to_owned()],
            elements: Vec::new(),
            outcome: ActivityOutcome::Running,
            duration_ms: None,
            result: String::new(),
        }
    }

    #[test]
    fn the_ring_keeps_the_newest_and_says_what_is_gone() {
        let mut activity = Activity::default();
        assert!(!activity.page(0, 10).gap);
        for _ in 0..RING + 5 {
            activity.begin(entry());
        }
        let page = activity.page(0, 10);
        assert!(page.gap);
        assert_eq!(page.entries.iter().map(|entry| entry.id).collect::<Vec<_>>(), (6..=15).collect::<Vec<_>>());
        assert!(!activity.page(5, 10).gap && activity.page(4, 10).gap);
        assert_eq!(activity.page(1004, 10).entries.len(), 1);
        assert!(activity.page(1005, 10).entries.is_empty());
        let foreign = activity.page(9999, 10);
        assert_eq!((foreign.gap, foreign.entries[0].id), (true, 6));
    }

    #[test]
    fn an_end_replaces_the_beginning_and_both_are_told() {
        let mut activity = Activity::default();
        let mut told = activity.told.subscribe();
        let (first, second) = (activity.begin(entry()), activity.begin(entry()));
        activity.end(second, ActivityOutcome::Ok, 12, "done".to_owned());
        assert_eq!(activity.settled(), 0, "the first still runs");
        activity.end(first, ActivityOutcome::Unknown, 13, String::new());
        assert_eq!(activity.settled(), 2);
        let seen: Vec<_> = std::iter::from_fn(|| told.try_recv().ok()).map(|e| (e.id, e.outcome)).collect();
        let (running, ok, unknown) = (ActivityOutcome::Running, ActivityOutcome::Ok, ActivityOutcome::Unknown);
        assert_eq!(seen, [(1, running), (2, running), (2, ok), (1, unknown)]);
        assert_eq!(activity.page(0, 10).entries[1].result, "done");
    }
}
