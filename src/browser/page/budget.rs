//! The memory of all tabs of a browser together: console messages, requests and printed snapshots.
//!
//! Owns the one limit that they share, and which tabs drop their oldest entries: those that hold more than their share.
//! A tab whose requests are recorded has a limit of its own meanwhile.

use super::page::{Memory, forget_closed, lock};
use crate::browser::Browser;
use gstack_protocol::ids::TabId;
use std::collections::HashMap;
use std::sync::Arc;

/// In bytes. A hundred busy tabs take no more than one.
const MOST_BYTES: usize = 4 * 1024 * 1024;
/// The size after entries were dropped: below the limit, so that the next entry drops none.
const KEPT_BYTES: usize = MOST_BYTES / 8 * 7;

/// Drops the memories of closed tabs and the oldest entries of the others if the limit is exceeded.
pub(super) fn keep_within(memories: &mut HashMap<TabId, Arc<Memory>>, browser: &Browser) {
    let held = |memories: &HashMap<TabId, Arc<Memory>>| memories.values().map(|memory| memory.bytes()).sum::<usize>();
    if held(memories) <= MOST_BYTES {
        return;
    }
    forget_closed(memories, browser);
    if held(memories) > MOST_BYTES {
        shrink(memories.values());
    }
}

fn shrink<'a>(memories: impl Iterator<Item = &'a Arc<Memory>> + Clone) {
    let share = share(memories.clone().map(|memory| memory.bytes()).collect(), KEPT_BYTES);
    for memory in memories.filter(|memory| memory.bytes() > share) {
        memory.shrink(share);
    }
}

/// Returns the most that each may hold so that all of them hold at most `most`. Those that hold less leave the rest to
/// the others.
fn share(mut sizes: Vec<usize>, most: usize) -> usize {
    sizes.sort_unstable();
    let mut left = most;
    let mut count = sizes.len();
    for size in sizes {
        let share = left / count;
        if size > share {
            return share;
        }
        left -= size;
        count -= 1;
    }
    usize::MAX
}

impl Memory {
    fn bytes(&self) -> usize {
        self.journal().bytes() + lock(&self.snapshots).bytes()
    }

    /// Drops the oldest snapshots beyond half of the limit, then the oldest of the rest.
    fn shrink(&self, most: usize) {
        let mut snapshots = lock(&self.snapshots);
        let mut journal = self.journal();
        snapshots.shrink(most.saturating_sub(journal.bytes()).max(most / 2));
        if journal.bytes() > 0 {
            // The newest snapshot stays, even if it alone exceeds the limit.
            journal.shrink(most.saturating_sub(snapshots.bytes()).max(most / 2));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{KEPT_BYTES, MOST_BYTES, Memory, share, shrink};
    use crate::events::Event;
    use serde_json::json;
    use serde_json::value::to_raw_value;
    use std::sync::Arc;

    fn request(id: usize) -> Event {
        let request = json!({ "url": format!("http://a.example/{}", "a".repeat(1000)), "method": "GET" });
        let sent = json!({ "requestId": id.to_string(), "loaderId": "l", "documentURL": "", "request": request });
        Event::new(None, "Network.requestWillBeSent", Some(&to_raw_value(&sent).unwrap()))
    }

    #[test]
    fn the_share_is_what_the_small_ones_leave() {
        assert_eq!(share(vec![10, 100, 100], 110), 50);
        assert_eq!(share(vec![10, 20], 100), usize::MAX);
        assert_eq!(share(vec![100; 4], 100), 25);
        assert_eq!(share(Vec::new(), 100), usize::MAX);
        assert_eq!(share(vec![0, 200], 100), 100);
    }

    /// A tab that held 4 MiB of its own let a hundred of them hold 400.
    #[test]
    fn a_hundred_busy_tabs_hold_no_more_than_one() {
        let memories: Vec<Arc<Memory>> = (0..100).map(|_| Arc::default()).collect();
        for (number, memory) in memories.iter().enumerate() {
            for id in 0..if number < 5 { number } else { 3 * number } {
                memory.journal().event(&request(id), true);
            }
        }
        let quiet: Vec<usize> = memories[..5].iter().map(|memory| memory.bytes()).collect();
        let held = || memories.iter().map(|memory| memory.bytes()).sum::<usize>();
        assert!(held() > 5 * MOST_BYTES, "{}", held());
        shrink(memories.iter());
        assert!(held() <= KEPT_BYTES && held() > KEPT_BYTES / 2, "{}", held());
        let last = &memories[99];
        assert!(last.journal().requests_of_page().count() > 10, "the newest are kept");
        let still: Vec<usize> = memories[..5].iter().map(|memory| memory.bytes()).collect();
        assert_eq!(still, quiet, "tabs that hold little keep it");
    }
}
