//! The calls of drivers and agents that run in tabs, so that they end when the person gives the tab to another one.
//!
//! Owns the list of them. Never decides who has a tab.

use gstack_base::mutex::lock;
use gstack_protocol::ids::{ConversationId, TabId};
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;

/// A handle to the list. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct RunningCalls(Arc<Mutex<Vec<Running>>>);

struct Running {
    /// The conversation of the driver or agent.
    worker: ConversationId,
    tab: TabId,
    /// Cancelled if the person takes the tab from the worker.
    taken: CancellationToken,
}

/// A call that runs in a tab. Dropping it ends the record.
pub(super) struct RunningCall {
    calls: RunningCalls,
    taken: CancellationToken,
}

impl RunningCalls {
    /// Records that a call runs in a tab.
    pub(super) fn begin(&self, worker: &ConversationId, tab: TabId) -> RunningCall {
        let taken = CancellationToken::new();
        lock(&self.0).push(Running { worker: worker.clone(), tab, taken: taken.clone() });
        RunningCall { calls: self.clone(), taken }
    }

    /// Returns true if a call still runs in a tab that the person took from its worker.
    pub(super) fn is_taken_back(&self, worker: &ConversationId, tab: TabId) -> bool {
        lock(&self.0).iter().any(|one| one.worker == *worker && one.tab == tab && one.taken.is_cancelled())
    }

    /// Cancels what a worker runs in a tab.
    pub(super) fn cancel(&self, worker: &ConversationId, tab: TabId) {
        let all = lock(&self.0);
        all.iter().filter(|one| one.worker == *worker && one.tab == tab).for_each(|one| one.taken.cancel());
    }

    /// Cancels all that a worker runs.
    pub(super) fn cancel_all(&self, worker: &ConversationId) {
        lock(&self.0).iter().filter(|one| one.worker == *worker).for_each(|one| one.taken.cancel());
    }

    /// Cancels what everyone but `keeper` runs in a tab.
    pub(super) fn cancel_others(&self, keeper: &ConversationId, tab: TabId) {
        let all = lock(&self.0);
        all.iter().filter(|one| one.worker != *keeper && one.tab == tab).for_each(|one| one.taken.cancel());
    }
}

impl RunningCall {
    /// Returns true if the person took the tab back.
    pub(super) fn is_taken_back(&self) -> bool {
        self.taken.is_cancelled()
    }

    /// Resolves when the person takes the tab back.
    pub(super) async fn taken_back(&self) {
        self.taken.cancelled().await;
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        // Removes this call, and others that the person took back: in those there is nothing left to cancel.
        self.taken.cancel();
        lock(&self.calls.0).retain(|one| !one.taken.is_cancelled());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_call_of_that_worker_in_that_tab_ends() {
        let (calls, one, two) = (RunningCalls::default(), ConversationId::new("one"), ConversationId::new("two"));
        let (first, second) = (TabId(1), TabId(2));
        let (here, there, other) = (calls.begin(&one, first), calls.begin(&one, second), calls.begin(&two, first));
        calls.cancel(&one, first);
        assert!(here.is_taken_back() && !there.is_taken_back() && !other.is_taken_back());
        assert!(calls.is_taken_back(&one, first) && !calls.is_taken_back(&two, first));
        drop(here);
        assert!(!calls.is_taken_back(&one, first), "the call has ended");
        calls.cancel_others(&one, first);
        assert!(other.is_taken_back() && !there.is_taken_back());
    }
}
