//! The numbers that people use for tabs, and what of them outlives a connection and a daemon.
//!
//! Owns the counting. Never writes a file: the engine does.

use crate::protocol::ids::{TabId, TargetId};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Gives out tab numbers; shared by the browser runs of one daemon, so that a number is never reused while it runs.
#[derive(Clone, Debug)]
pub struct TabNumbers {
    next: Arc<AtomicU32>,
    /// The numbers that one browser's tabs have, also after a connection to it that was lost.
    kept: Option<Arc<Mutex<HashMap<TargetId, TabId>>>>,
}

/// The tabs of one run of one browser, as the next daemon finds them again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TabRecord {
    /// Names the run: tabs of another one have other targets.
    pub browser: String,
    /// The next number that no tab has had.
    pub next: u32,
    /// By *tab* target.
    pub numbers: BTreeMap<String, TabId>,
    pub current: Option<TabId>,
}

impl Default for TabNumbers {
    fn default() -> Self {
        Self { next: Arc::new(AtomicU32::new(1)), kept: None }
    }
}

impl TabNumbers {
    /// A number that no tab has had.
    pub fn next(&self) -> TabId {
        TabId(self.next.fetch_add(1, Ordering::Relaxed))
    }
    /// The number that `next` would give.
    pub(super) fn upcoming(&self) -> u32 {
        self.next.load(Ordering::Relaxed)
    }
    /// The same numbers, for one browser whose tabs keep theirs from connection to connection.
    #[must_use]
    pub fn keeping(&self) -> Self {
        Self { next: self.next.clone(), kept: Some(Arc::default()) }
    }
    /// The same for a browser whose tabs an earlier daemon has numbered.
    #[must_use]
    pub fn going_on_from(&self, record: &TabRecord) -> Self {
        self.next.fetch_max(record.next, Ordering::Relaxed);
        let known = record.numbers.iter().map(|(target, id)| (TargetId::new(target.as_str()), *id));
        Self { next: self.next.clone(), kept: Some(Arc::new(Mutex::new(known.collect()))) }
    }
    /// The number of a *tab* target that was not seen on this connection yet.
    pub(super) fn of(&self, target: &TargetId) -> TabId {
        let Some(kept) = &self.kept else { return self.next() };
        // Entries are written whole.
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        *kept.entry(target.clone()).or_insert_with(|| self.next())
    }
    /// A tab of the one browser that these are kept for has or had this number.
    pub fn keeps(&self, id: TabId) -> bool {
        let holds = |kept: &Arc<Mutex<HashMap<TargetId, TabId>>>| {
            kept.lock().unwrap_or_else(PoisonError::into_inner).values().any(|known| *known == id)
        };
        self.kept.as_ref().is_some_and(holds)
    }
    /// Some tab has or had it.
    pub(super) fn was_given(&self, id: TabId) -> bool {
        id.0 > 0 && id.0 < self.upcoming()
    }
}

#[cfg(test)]
mod tests {
    use super::{TabNumbers, TabRecord};
    use crate::protocol::ids::{TabId, TargetId};

    #[test]
    fn a_daemon_that_comes_after_gives_the_same_numbers_and_no_number_twice() {
        let first = TabNumbers::default().keeping();
        let targets = ["A", "B", "C"].map(TargetId::new);
        let numbers: Vec<TabId> = targets.iter().map(|target| first.of(target)).collect();
        let known = targets[..2].iter().map(|target| target.as_str().to_owned()).zip(numbers.iter().copied());
        let record = TabRecord { next: first.upcoming(), numbers: known.collect(), ..TabRecord::default() };
        let second = TabNumbers::default().going_on_from(&record);
        assert_eq!(second.of(&targets[1]), TabId(2));
        assert_eq!(second.of(&TargetId::new("D")), TabId(4), "3 was given to a tab that is closed");
    }
}
