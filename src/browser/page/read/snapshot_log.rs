//! The newest snapshots of a tab, by number and reader, so that a later one can say only what changed.
//!
//! Owns their number and the count of their bytes; `page::budget` limits those. Never compares them.

use crate::page::budget;
use crate::page::page::{Page, lock};
use std::collections::VecDeque;

/// The largest number of snapshots that are kept for a tab; each is limited by the snapshot limit.
const MOST: usize = 16;

/// A snapshot as it was printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintedSnapshot {
    /// Counts the tab's snapshots from 1.
    pub number: u64,
    /// The reader; `None` for the person.
    pub reader: Option<String>,
    /// The options and the address, which two snapshots must share to be comparable.
    pub of: String,
    pub text: String,
}

/// Drops the oldest entry when it is full.
#[derive(Debug, Default)]
pub(in crate::page) struct SnapshotLog {
    last: u64,
    kept: VecDeque<PrintedSnapshot>,
    bytes: usize,
}

impl PrintedSnapshot {
    fn weight(&self) -> usize {
        size_of::<Self>() + self.reader.as_ref().map_or(0, String::len) + self.of.len() + self.text.len()
    }
}

impl SnapshotLog {
    fn add(&mut self, reader: Option<String>, of: String, text: String) -> u64 {
        self.last += 1;
        if self.kept.len() == MOST {
            self.forget_oldest();
        }
        let printed = PrintedSnapshot { number: self.last, reader, of, text };
        self.bytes += printed.weight();
        self.kept.push_back(printed);
        self.last
    }

    fn forget_oldest(&mut self) {
        let oldest = self.kept.pop_front();
        self.bytes -= oldest.as_ref().map_or(0, PrintedSnapshot::weight);
    }

    /// Returns the bytes that it holds.
    pub(in crate::page) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Drops the oldest snapshots until this limit holds, but never the newest.
    pub(in crate::page) fn shrink(&mut self, most: usize) {
        while self.bytes > most && self.kept.len() > 1 {
            self.forget_oldest();
        }
    }

    fn newest_of(&self, reader: &str, of: &str) -> Option<&PrintedSnapshot> {
        self.kept.iter().rev().find(|one| one.reader.as_deref() == Some(reader)).filter(|one| one.of == of)
    }
}

impl Page {
    /// Keeps a printed snapshot and returns its number.
    pub fn keep_snapshot(&self, reader: Option<String>, of: String, text: String) -> u64 {
        let number = lock(&self.memory.snapshots).add(reader, of, text);
        budget::keep_within(&mut lock(&self.memories), self.browser());
        number
    }

    /// Returns the snapshot of this number if it is still kept and the reader has read it. The person may name any.
    pub fn kept_snapshot(&self, number: u64, reader: Option<&str>) -> Option<PrintedSnapshot> {
        let log = lock(&self.memory.snapshots);
        let is_meant =
            |one: &&PrintedSnapshot| one.number == number && (reader.is_none() || one.reader.as_deref() == reader);
        log.kept.iter().find(is_meant).cloned()
    }

    /// Returns what this reader read last, if it was of the same page with the same options.
    pub fn last_read(&self, reader: &str, of: &str) -> Option<PrintedSnapshot> {
        lock(&self.memory.snapshots).newest_of(reader, of).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST, SnapshotLog};

    #[test]
    fn each_reader_is_compared_with_what_it_read_last() {
        let mut log = SnapshotLog::default();
        let mut add =
            |reader: Option<&str>, of: &str, text: &str| log.add(reader.map(str::to_owned), of.into(), text.into());
        assert_eq!((add(Some("a"), "page", "1"), add(Some("b"), "page", "2"), add(None, "page", "3")), (1, 2, 3));
        assert_eq!(log.newest_of("a", "page").unwrap().text, "1");
        assert_eq!(log.newest_of("a", "other page"), None);
        log.add(Some("a".into()), "other page".into(), "4".into());
        assert_eq!(log.newest_of("a", "page"), None, "it has read another page since");
        for _ in 0..2 * MOST {
            log.add(None, "page".into(), String::new());
        }
        assert_eq!((log.kept.len(), log.newest_of("b", "page")), (MOST, None));
        log.shrink(0);
        assert_eq!((log.kept.len(), log.bytes()), (1, log.kept[0].weight()), "the newest is kept");
    }
}
