//! The list of confirmed keys. Pure: `file.rs` stores it.

use gstack_base::fingerprint::Fingerprint;
use gstack_protocol::chat::Millis;
use gstack_protocol::panel_key::ConfirmedBy;
use serde::{Deserialize, Serialize};

/// No person has more browsers. Above the limit the key that was unused the longest is removed.
pub(super) const MOST: usize = 64;
/// The longest browser name that is kept, in bytes.
pub(super) const LONGEST_NAME: usize = 120;
/// A new time of use is written only if it is this much later, in milliseconds.
const WORTH_WRITING: Millis = 60 * 60 * 1000;

/// A confirmed key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Record {
    pub key: Fingerprint,
    pub browser: String,
    pub first_seen: Millis,
    pub last_seen: Millis,
    pub confirmed_by: ConfirmedBy,
    pub confirmed_at: Millis,
}

/// The confirmed keys of one home.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Confirmed(Vec<Record>);

impl Confirmed {
    /// Returns `None` if gstack cannot have written the records: too many, duplicate keys, or too long a name.
    pub(super) fn from_records(records: Vec<Record>) -> Option<Self> {
        let twice = |at: usize, record: &Record| records[..at].iter().any(|other| other.key == record.key);
        let odd = |(at, record): (usize, &Record)| record.browser.len() > LONGEST_NAME || twice(at, record);
        let fits = records.len() <= MOST && !records.iter().enumerate().any(odd);
        fits.then_some(Self(records))
    }

    pub(super) fn records(&self) -> &[Record] {
        &self.0
    }

    pub(super) fn has(&self, key: &Fingerprint) -> bool {
        self.0.iter().any(|record| record.key == *key)
    }

    /// Confirms a key, by the person or because gstack started its browser.
    pub(super) fn confirm(
        &mut self,
        key: Fingerprint,
        browser: &str,
        first_seen: Millis,
        by: ConfirmedBy,
        now: Millis,
    ) {
        let known = self.0.iter().position(|record| record.key == key).map(|at| self.0.remove(at));
        let first_seen = known.map_or(first_seen, |known| known.first_seen);
        while self.0.len() >= MOST {
            let oldest = self.0.iter().enumerate().min_by_key(|(_, record)| record.last_seen).map(|(at, _)| at);
            self.0.remove(oldest.unwrap_or_default());
        }
        let browser = browser.to_owned();
        self.0.push(Record { key, browser, first_seen, last_seen: now, confirmed_by: by, confirmed_at: now });
    }

    /// Records that a confirmed key was proved again. Returns whether to write the list, or `None` if the key is not
    /// confirmed.
    pub(super) fn seen(&mut self, key: &Fingerprint, browser: &str, now: Millis) -> Option<bool> {
        let record = self.0.iter_mut().find(|record| record.key == *key)?;
        let worth = record.browser != browser || now.abs_diff(record.last_seen) > WORTH_WRITING;
        record.last_seen = now;
        browser.clone_into(&mut record.browser);
        Some(worth)
    }

    pub(super) fn forget(&mut self, id: &str) -> Option<Record> {
        let at = self.0.iter().position(|record| record.key.id() == id)?;
        Some(self.0.remove(at))
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_keys::key;
    use super::*;

    #[test]
    fn a_key_is_confirmed_seen_again_and_forgotten() {
        let mut list = Confirmed::default();
        assert_eq!(list.seen(&key(1), "Chrome", 5), None);
        list.confirm(key(1), "Chrome", 3, ConfirmedBy::Connect, 5);
        assert!(list.has(&key(1)) && !list.has(&key(2)));
        assert_eq!(list.seen(&key(1), "Chrome", 6), Some(false));
        assert_eq!(list.seen(&key(1), "Chrome 2", 7), Some(true), "its name is another");
        assert_eq!(list.seen(&key(1), "Chrome 2", 8 + WORTH_WRITING), Some(true));
        list.confirm(key(1), "Chrome 2", 99, ConfirmedBy::Terminal, 100);
        assert_eq!((list.records().len(), list.records()[0].first_seen), (1, 3));
        assert_eq!(list.records()[0].confirmed_by, ConfirmedBy::Terminal);
        assert_eq!(list.forget("nothing"), None);
        assert_eq!(list.forget(key(1).id()).unwrap().browser, "Chrome 2");
        assert!(!list.has(&key(1)));
    }

    #[test]
    fn past_its_bound_the_one_that_was_not_seen_for_longest_goes() {
        let mut list = Confirmed::default();
        for number in 0..MOST {
            list.confirm(key(number), "b", 0, ConfirmedBy::Terminal, number as u64);
        }
        list.seen(&key(0), "b", 1000);
        list.confirm(key(MOST), "b", 0, ConfirmedBy::Terminal, 2000);
        assert_eq!(list.records().len(), MOST);
        assert!(list.has(&key(0)) && !list.has(&key(1)) && list.has(&key(MOST)));
    }

    #[test]
    fn what_no_gstack_wrote_is_not_read() {
        let record = |number, browser: &str| Record {
            key: key(number),
            browser: browser.to_owned(),
            first_seen: 0,
            last_seen: 0,
            confirmed_by: ConfirmedBy::Terminal,
            confirmed_at: 0,
        };
        assert!(Confirmed::from_records(vec![record(1, "a"), record(2, "a")]).is_some());
        assert!(Confirmed::from_records(vec![record(1, "a"), record(1, "b")]).is_none(), "twice");
        assert!(Confirmed::from_records(vec![record(1, &"x".repeat(LONGEST_NAME + 1))]).is_none(), "long");
        assert!(Confirmed::from_records((0..=MOST).map(|n| record(n, "a")).collect()).is_none(), "many");
    }
}
