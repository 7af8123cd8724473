//! The numbers of tabs, and the part of them that outlives a connection and a daemon.
//!
//! Owns the counting. Never writes a file: the engine does.

use gstack_protocol::ids::{TabId, TargetId};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The most tabs that keep their numbers across connections.
const MOST_KEPT: usize = 100_000;

/// Assigns tab numbers; shared by the browser runs of one daemon, so that a number is never reused while the daemon
/// runs.
#[derive(Clone, Debug)]
pub struct TabNumbers {
    next: Arc<AtomicU32>,
    /// The numbers of one browser's tabs, kept when a connection to it is lost.
    kept: Option<Arc<Mutex<HashMap<TargetId, TabId>>>>,
}

/// The tabs of one browser run, saved for the next daemon.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TabRecord {
    /// Identifies the run: tabs of another run have other targets.
    pub browser: String,
    /// The next unused number.
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
    /// Returns an unused number.
    pub fn next(&self) -> TabId {
        TabId(self.next.fetch_add(1, Ordering::Relaxed))
    }
    /// Returns the number that `next` would return.
    pub(super) fn upcoming(&self) -> u32 {
        self.next.load(Ordering::Relaxed)
    }
    /// Returns the same counter for one browser whose tabs keep their numbers across connections.
    #[must_use]
    pub fn keeping(&self) -> Self {
        Self { next: self.next.clone(), kept: Some(Arc::default()) }
    }
    /// Like `keeping`, for a browser whose tabs an earlier daemon has numbered.
    #[must_use]
    pub fn going_on_from(&self, record: &TabRecord) -> Self {
        self.next.fetch_max(record.next, Ordering::Relaxed);
        let known = record.numbers.iter().map(|(target, id)| (TargetId::new(target.as_str()), *id));
        Self { next: self.next.clone(), kept: Some(Arc::new(Mutex::new(known.collect()))) }
    }
    /// Returns the number for a *tab* target that is new on this connection.
    pub(super) fn of(&self, target: &TargetId) -> TabId {
        let Some(kept) = &self.kept else { return self.next() };
        // A panic cannot leave an entry half written.
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MOST_KEPT && !kept.contains_key(target) {
            return self.next();
        }
        *kept.entry(target.clone()).or_insert_with(|| self.next())
    }
    /// Moves a number to another *tab* target.
    pub(super) fn replaced(&self, former: &TargetId, target: &TargetId) {
        let Some(kept) = &self.kept else { return };
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(id) = kept.remove(former) {
            kept.insert(target.clone(), id);
        }
    }
    /// Returns true if a tab of the one browser these numbers are kept for has or had this number.
    pub fn keeps(&self, id: TabId) -> bool {
        let holds = |kept: &Arc<Mutex<HashMap<TargetId, TabId>>>| {
            kept.lock().unwrap_or_else(PoisonError::into_inner).values().any(|known| *known == id)
        };
        self.kept.as_ref().is_some_and(holds)
    }
    /// Returns true if any tab has or had this number.
    pub(super) fn was_given(&self, id: TabId) -> bool {
        id.0 > 0 && id.0 < self.upcoming()
    }
}

#[cfg(test)]
mod tests {
    use super::{TabNumbers, TabRecord};
    use gstack_protocol::ids::{TabId, TargetId};

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
