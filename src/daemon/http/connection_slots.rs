//! The limit for concurrent connections, and which one to close when it is reached.
//!
//! Owns the count. Never closes a connection with a request in progress. A connection that waits for a request, or for
//! the rest of its head, is closed when a new connection needs its place, the longest waiting first. So a flood of
//! half-open connections does not delay clients that send their requests.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio_util::sync::CancellationToken;

/// All connections of one listener.
#[derive(Clone, Debug)]
pub(super) struct ConnectionSlots {
    table: Arc<Mutex<Table>>,
}

#[derive(Debug)]
struct Table {
    most: usize,
    most_of_one: usize,
    next: u64,
    taken: HashMap<u64, Taken>,
}

#[derive(Debug)]
struct Taken {
    /// The process at the other end, if known.
    owner: Option<i32>,
    requests: usize,
    /// A counter: the lowest value has waited the longest.
    waits_since: u64,
    ended: CancellationToken,
}

/// The place of one connection, until dropped.
#[derive(Clone, Debug)]
pub(super) struct ConnectionSlot {
    held: Arc<HeldSlot>,
}

#[derive(Debug)]
struct HeldSlot {
    places: ConnectionSlots,
    id: u64,
    ended: CancellationToken,
}

/// A request in progress.
#[derive(Debug)]
pub(super) struct Working {
    place: ConnectionSlot,
}

impl ConnectionSlots {
    pub(super) fn new(most: usize, most_of_one: usize) -> Self {
        let table = Table { most, most_of_one, next: 0, taken: HashMap::new() };
        Self { table: Arc::new(Mutex::new(table)) }
    }

    /// Takes a place for a new connection. Returns `None` if all others have requests in progress.
    pub(super) fn take(&self, owner: Option<i32>) -> Option<ConnectionSlot> {
        let mut table = self.lock();
        let of_one = table.taken.values().filter(|taken| owner.is_some() && taken.owner == owner).count();
        if of_one >= table.most_of_one {
            table.end_one(|taken| taken.owner == owner)?;
        }
        if table.taken.len() >= table.most {
            table.end_one(|_| true)?;
        }
        let id = table.tick();
        let ended = CancellationToken::new();
        table.taken.insert(id, Taken { owner, requests: 0, waits_since: id, ended: ended.clone() });
        Some(ConnectionSlot { held: Arc::new(HeldSlot { places: self.clone(), id, ended }) })
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn tick(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// Closes the longest waiting connection among these. Returns `None` if none of them waits.
    fn end_one(&mut self, among: impl Fn(&Taken) -> bool) -> Option<()> {
        let waiting = self.taken.iter().filter(|(_, taken)| taken.requests == 0 && among(taken));
        let id = *waiting.min_by_key(|(_, taken)| taken.waits_since)?.0;
        self.taken.remove(&id)?.ended.cancel();
        Some(())
    }
}

impl ConnectionSlot {
    /// Completes when the place was given to another connection.
    pub(super) async fn ended(&self) {
        self.held.ended.cancelled().await;
    }

    /// Marks a request as in progress. The place is kept until the result is dropped.
    pub(super) fn work(&self) -> Working {
        if let Some(taken) = self.held.places.lock().taken.get_mut(&self.held.id) {
            taken.requests += 1;
        }
        Working { place: self.clone() }
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        let mut table = self.place.held.places.lock();
        let now = table.tick();
        if let Some(taken) = table.taken.get_mut(&self.place.held.id) {
            taken.requests -= 1;
            taken.waits_since = now;
        }
    }
}

impl Drop for HeldSlot {
    fn drop(&mut self) {
        self.places.lock().taken.remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_ended(place: &ConnectionSlot) -> bool {
        place.held.ended.is_cancelled()
    }

    #[test]
    fn a_newcomer_takes_the_place_that_waited_longest_and_never_one_with_a_request() {
        let places = ConnectionSlots::new(3, 9);
        let [first, second, third] = std::array::from_fn(|_| places.take(None).unwrap());
        let working = first.work();
        let _fourth = places.take(None).unwrap();
        assert!(!is_ended(&first) && is_ended(&second) && !is_ended(&third));
        drop(working);
        // The first one waits again, but only since now.
        let fifth = places.take(None).unwrap();
        assert!(!is_ended(&first) && is_ended(&third));
        let all = [first.work(), _fourth.work(), fifth.work()];
        assert!(places.take(None).is_none());
        drop((all, fifth));
        assert!(places.take(None).is_some());
        assert!(!is_ended(&first));
    }

    #[test]
    fn one_process_takes_places_from_itself_only() {
        let places = ConnectionSlots::new(9, 2);
        let other = places.take(Some(7)).unwrap();
        let [first, second] = std::array::from_fn(|_| places.take(Some(8)).unwrap());
        let third = places.take(Some(8)).unwrap();
        assert!(is_ended(&first) && !is_ended(&second) && !is_ended(&other));
        let _work = [second.work(), third.work()];
        assert!(places.take(Some(8)).is_none() && places.take(Some(9)).is_some());
    }
}
