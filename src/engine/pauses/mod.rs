//! Pauses: the person took over a tab in which an agent or an MCP client works, and has not handed it back.
//!
//! Owns the paused workers, the calls that a pause cancels, and the person's note. Workers are known by their conversation: an
//! agent's, or the detached one of an MCP client. Never decides what counts as the person's input, and runs no call.

use gstack_base::mutex::lock;
use gstack_base::visible::visible;
use gstack_protocol::ids::{ConversationId, TabId};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// A worker counts as working in a tab for this long after its last call there: between two calls a model thinks.
const WORKS_FOR: Duration = Duration::from_secs(60);

/// The workers and their pauses. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Pauses(Arc<Shared>);

#[derive(Default)]
struct Shared {
    workers: Mutex<HashMap<ConversationId, Worker>>,
    /// The number of the call that began last.
    calls: AtomicU64,
    /// Notified when a pause begins or ends.
    changed: watch::Sender<()>,
}

#[derive(Default)]
struct Worker {
    running: Vec<RunningCall>,
    /// The tab of its last call, and the time when that ended.
    last: Option<(TabId, Instant)>,
    /// The number of its calls that wait for the person's answer.
    asking: usize,
    pause: Option<Pause>,
    /// The person's note when they handed the tab back. The next call gets it.
    handed_back: Option<HandedBack>,
}

struct RunningCall {
    number: u64,
    tab: TabId,
    paused: CancellationToken,
}

impl Worker {
    /// Returns true if nothing about the worker has to be remembered.
    fn is_idle(&self) -> bool {
        self.running.is_empty()
            && self.asking == 0
            && self.last.is_none()
            && self.pause.is_none()
            && self.handed_back.is_none()
    }
}

/// A pause of one worker.
#[derive(Clone, Debug)]
pub(crate) struct Pause {
    /// The tab that the person took over.
    pub(crate) tab: TabId,
    /// When.
    pub(crate) since: Instant,
}

/// The end of a pause.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct HandedBack {
    /// The person's note for the worker.
    pub(crate) note: Option<String>,
}

impl HandedBack {
    /// Returns what the worker is told.
    pub(crate) fn words(&self) -> String {
        match self.note.as_deref().map(visible) {
            Some(note) => format!("The person took over this tab and has handed it back. They say: {note}"),
            None => "The person took over this tab and has handed it back.".to_owned(),
        }
    }
}

impl Pauses {
    /// Records that a call runs in a tab. Returns `None` if the worker is paused: the call must not start.
    pub(crate) fn begin(&self, worker: &ConversationId, tab: TabId) -> Option<Running> {
        let mut workers = lock(&self.0.workers);
        let known = workers.entry(worker.clone()).or_default();
        if known.pause.is_some() {
            return None;
        }
        let number = self.0.calls.fetch_add(1, Ordering::Relaxed);
        let paused = CancellationToken::new();
        known.running.push(RunningCall { number, tab, paused: paused.clone() });
        Some(Running { pauses: self.clone(), worker: worker.clone(), number, paused })
    }

    /// Records that a running call waits for the person's answer, until the returned value is dropped. The person may use
    /// the page to find their answer, so that does not pause a worker that does nothing else: whoever asks and acts at
    /// the same time is paused.
    pub(crate) fn asking(&self, worker: &ConversationId) -> Asking {
        {
            let mut workers = lock(&self.0.workers);
            let known = workers.entry(worker.clone()).or_default();
            known.asking += 1;
            known.last = None;
        }
        Asking { pauses: self.clone(), worker: worker.clone() }
    }

    /// Pauses the agent or client that works in the tab now. Returns `true` if there was one.
    pub(crate) fn person_acted(&self, tab: TabId) -> bool {
        self.pause_where(tab, |worker| {
            let acts = worker.running.len() > worker.asking && worker.running.iter().any(|call| call.tab == tab);
            let acted = worker.last.is_some_and(|(of, at)| of == tab && at.elapsed() < WORKS_FOR);
            acts || acted
        })
    }

    /// Pauses these workers, because the person says so.
    pub(crate) fn pause(&self, tab: TabId, workers: &[ConversationId]) -> bool {
        let mut paused = false;
        for id in workers {
            paused |= self.pause_one(id, tab);
        }
        if paused {
            self.0.changed.send_replace(());
        }
        paused
    }

    fn pause_where(&self, tab: TabId, works: impl Fn(&Worker) -> bool) -> bool {
        let ids: Vec<ConversationId> = {
            let workers = lock(&self.0.workers);
            workers.iter().filter(|(_, worker)| works(worker)).map(|(id, _)| id.clone()).collect()
        };
        !ids.is_empty() && self.pause(tab, &ids)
    }

    fn pause_one(&self, id: &ConversationId, tab: TabId) -> bool {
        let mut workers = lock(&self.0.workers);
        let worker = workers.entry(id.clone()).or_default();
        if worker.pause.is_some() {
            return false;
        }
        worker.pause = Some(Pause { tab, since: Instant::now() });
        worker.handed_back = None;
        worker.running.iter().for_each(|call| call.paused.cancel());
        true
    }

    /// Ends the pauses of a tab, or all of them. Returns how many there were.
    pub(crate) fn hand_back(&self, tab: Option<TabId>, note: Option<&str>) -> usize {
        let mut ended = 0;
        for worker in lock(&self.0.workers).values_mut() {
            if worker.pause.take_if(|pause| tab.is_none_or(|tab| pause.tab == tab)).is_some() {
                worker.handed_back = Some(HandedBack { note: note.map(str::to_owned) });
                // The person's last press before it does not pause the worker again.
                worker.last = None;
                ended += 1;
            }
        }
        if ended > 0 {
            self.0.changed.send_replace(());
        }
        ended
    }

    /// Forgets a worker: its turn has ended, or its registration. Its calls that still run are no longer recorded.
    pub(crate) fn end(&self, worker: &ConversationId) {
        let paused = {
            let mut workers = lock(&self.0.workers);
            let Some(known) = workers.get_mut(worker) else { return };
            let paused = known.pause.take().is_some();
            (known.last, known.handed_back) = (None, None);
            known.running.clear();
            if known.is_idle() {
                workers.remove(worker);
            }
            paused
        };
        if paused {
            self.0.changed.send_replace(());
        }
    }

    /// Ends the pauses in a tab that was closed or taken from its worker: nothing can be handed back.
    pub(crate) fn tab_gone(&self, tab: TabId) {
        self.hand_back(Some(tab), None);
    }

    /// Returns the pause of a worker.
    pub(crate) fn of(&self, worker: &ConversationId) -> Option<Pause> {
        lock(&self.0.workers).get(worker)?.pause.clone()
    }

    /// Returns every paused worker.
    pub(crate) fn all(&self) -> Vec<(ConversationId, Pause)> {
        let workers = lock(&self.0.workers);
        workers.iter().filter_map(|(id, worker)| Some((id.clone(), worker.pause.clone()?))).collect()
    }

    /// Returns a receiver that is notified when a pause begins or ends.
    pub(crate) fn watch(&self) -> watch::Receiver<()> {
        self.0.changed.subscribe()
    }

    /// Waits until the worker is not paused. Returns what the person said, once.
    pub(crate) async fn handed_back(&self, worker: &ConversationId) -> HandedBack {
        self.watch_end(worker).await;
        self.take_note(worker).unwrap_or_default()
    }

    /// Waits until the worker is not paused.
    pub(crate) async fn watch_end(&self, worker: &ConversationId) {
        let mut changed = self.0.changed.subscribe();
        loop {
            changed.borrow_and_update();
            if self.of(worker).is_none() || changed.changed().await.is_err() {
                return;
            }
        }
    }

    /// Returns what the person said at the end of a pause, if the worker has not been told yet.
    pub(crate) fn take_note(&self, worker: &ConversationId) -> Option<HandedBack> {
        lock(&self.0.workers).get_mut(worker)?.handed_back.take()
    }
}

/// A call that runs in a tab. Dropping it ends the record.
pub(crate) struct Running {
    pauses: Pauses,
    worker: ConversationId,
    number: u64,
    paused: CancellationToken,
}

impl Running {
    /// Returns true if the person took over while the call ran.
    pub(crate) fn is_paused(&self) -> bool {
        self.paused.is_cancelled()
    }

    /// Resolves when the person takes over.
    pub(crate) async fn paused(&self) {
        self.paused.cancelled().await;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut workers = lock(&self.pauses.0.workers);
        let Some(worker) = workers.get_mut(&self.worker) else { return };
        // It is not there if the turn or the registration has ended: a click of the person pauses nobody then.
        let Some(at) = worker.running.iter().position(|call| call.number == self.number) else { return };
        worker.last = Some((worker.running.remove(at).tab, Instant::now()));
    }
}

/// A call that waits for the person's answer. Dropping it ends the record.
pub(crate) struct Asking {
    pauses: Pauses,
    worker: ConversationId,
}

impl Drop for Asking {
    fn drop(&mut self) {
        let mut workers = lock(&self.pauses.0.workers);
        let Some(worker) = workers.get_mut(&self.worker) else { return };
        worker.asking = worker.asking.saturating_sub(1);
        if worker.is_idle() {
            workers.remove(&self.worker);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: TabId = TabId(3);
    const THERE: TabId = TabId(4);

    fn id(name: &str) -> ConversationId {
        ConversationId::new(name)
    }

    #[tokio::test]
    async fn the_persons_input_cancels_what_runs_in_that_tab_and_keeps_the_next_call_from_starting() {
        let pauses = Pauses::default();
        let (agent, other) = (id("agent"), id("other"));
        let runs = pauses.begin(&agent, HERE).unwrap();
        let elsewhere = pauses.begin(&other, THERE).unwrap();
        assert!(pauses.person_acted(HERE));
        runs.paused().await;
        assert!(runs.is_paused() && !elsewhere.is_paused());
        assert!(pauses.begin(&agent, HERE).is_none() && pauses.begin(&agent, THERE).is_none());
        assert!(!pauses.person_acted(HERE), "once");
        assert_eq!(pauses.hand_back(Some(HERE), Some("I signed in")), 1);
        let said = pauses.handed_back(&agent).await;
        assert_eq!(said.note.as_deref(), Some("I signed in"));
        assert_eq!(pauses.handed_back(&agent).await, HandedBack::default(), "it is said once");
        assert!(pauses.begin(&agent, HERE).is_some());
    }

    #[tokio::test]
    async fn input_pauses_nobody_who_does_not_work_there_or_waits_for_the_person() {
        let pauses = Pauses::default();
        let agent = id("agent");
        assert!(!pauses.person_acted(HERE), "nobody ever worked there");
        drop(pauses.begin(&agent, HERE).unwrap());
        assert!(!pauses.person_acted(THERE));
        let call = pauses.begin(&agent, HERE).unwrap();
        let asking = pauses.asking(&agent);
        assert!(!pauses.person_acted(HERE), "it waits for an answer");
        drop((asking, call));
        assert!(pauses.person_acted(HERE), "it worked there a moment ago");
        pauses.end(&agent);
        assert!(pauses.of(&agent).is_none() && pauses.all().is_empty());
        assert!(!pauses.person_acted(HERE), "its turn is over");
    }

    #[test]
    fn a_call_that_outlives_its_turn_pauses_nobody_and_leaves_nothing_behind() {
        let (pauses, agent) = (Pauses::default(), id("agent"));
        let (call, asking) = (pauses.begin(&agent, HERE).unwrap(), pauses.asking(&agent));
        pauses.end(&agent);
        drop((call, asking));
        assert!(!pauses.person_acted(HERE), "its turn is over");
        assert!(lock(&pauses.0.workers).is_empty());
        // A call of the turn before says nothing about the calls of the next.
        let before = pauses.begin(&agent, HERE).unwrap();
        pauses.end(&agent);
        let _call = pauses.begin(&agent, THERE).unwrap();
        drop(before);
        assert!(!pauses.person_acted(HERE));
    }

    #[test]
    fn a_client_that_keeps_an_approval_open_and_acts_beside_it_is_paused() {
        for still_runs in [true, false] {
            let (pauses, client) = (Pauses::default(), id("client"));
            let _call = pauses.begin(&client, HERE).unwrap();
            let _asking = pauses.asking(&client);
            let act = pauses.begin(&client, HERE).unwrap();
            let _act = still_runs.then_some(act);
            assert!(pauses.person_acted(HERE));
        }
    }

    #[tokio::test]
    async fn a_wait_for_the_person_ends_with_the_turn_and_with_the_tab() {
        let pauses = Pauses::default();
        let agent = id("agent");
        for end in [|pauses: &Pauses| pauses.end(&id("agent")), |pauses: &Pauses| pauses.tab_gone(HERE)] {
            assert!(pauses.pause(HERE, std::slice::from_ref(&agent)));
            let (waited, ()) = tokio::join!(pauses.handed_back(&agent), async { end(&pauses) });
            assert_eq!(waited.note, None);
        }
    }
}
