//! The workers of a run: at most as many as browsers were asked for, each with one session at a time.
//!
//! Owns the queue of items, the ramp-up, and what happens when a session is lost. Fewer sessions than asked for is not
//! an error: a Grid that has no free browser is waited for while the others go on.

use super::item::{self, Ended, Setup};
use super::items::as_text;
use super::journal::{Finished, Journal, LostSession, Outcome};
use super::session::{Left, Session};
use super::signals::Signals;
use gstack_base::clock::now_millis;
use gstack_base::mutex::lock;
use gstack_base::say::tell;
use gstack_base::visible::visible_line;
use gstack_protocol::control::ConnectRequest;
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{Semaphore, watch};

/// How many sessions are opened at once at first. Each that opened lets one more open, so the number doubles.
const FIRST_OPENINGS: usize = 2;
/// Failed openings in a row after which a worker gives up.
const MOST_FAILURES: u32 = 5;
/// The longest wait between two openings.
const LONGEST_PAUSE: Duration = Duration::from_secs(15);
/// How long a Grid may take to notice that a node is lost. Measured: 10 to 40 s.
const RELEASE_LIMIT: Duration = Duration::from_secs(60);
const RELEASE_AGAIN: Duration = Duration::from_secs(3);
/// How much of an item a line on the terminal shows, in characters.
const SHOWN_ITEM: usize = 60;

/// An item that is to be run.
pub(crate) struct Work {
    pub(crate) index: usize,
    pub(crate) item: Value,
    pub(crate) lost: Vec<LostSession>,
}

/// The person's request, and the way to stop it.
pub(crate) struct Plan {
    pub(crate) setup: Setup,
    pub(crate) request: ConnectRequest,
    /// The start of the sessions' names.
    pub(crate) prefix: String,
    pub(crate) home: PathBuf,
    pub(crate) retries: usize,
    /// A new session for each item.
    pub(crate) fresh: bool,
    pub(crate) signals: Signals,
}

/// The state that the workers share.
pub(crate) struct Pool {
    plan: Plan,
    total: usize,
    queue: Mutex<VecDeque<Work>>,
    /// The length of the queue.
    waiting: watch::Sender<usize>,
    openings: Semaphore,
    finished: Mutex<(Journal, BTreeMap<usize, Finished>)>,
    sessions: AtomicUsize,
    says_busy: AtomicBool,
    failure: Mutex<Option<Fault>>,
    left: Mutex<Vec<Left>>,
}

/// How a run ended.
pub(crate) struct PoolEnd {
    pub(crate) finished: BTreeMap<usize, Finished>,
    /// How many sessions were opened.
    pub(crate) sessions: usize,
    /// Why the rest was not run.
    pub(crate) failure: Option<Fault>,
    /// The sessions that could not be ended.
    pub(crate) left: Vec<String>,
}

impl Pool {
    /// Takes the items and what an earlier process of the run finished and left.
    pub(crate) fn new(
        plan: Plan,
        items: Vec<Value>,
        journal: Journal,
        (finished, left): (BTreeMap<usize, Finished>, Vec<Left>),
    ) -> Self {
        let total = items.len();
        // A lost item is run again.
        let is_done = |index: &usize| finished.get(index).is_some_and(|one| one.outcome != Outcome::Lost);
        let items = items.into_iter().enumerate().filter(|(index, _)| !is_done(index));
        let queue: VecDeque<Work> = items.map(|(index, item)| Work { index, item, lost: Vec::new() }).collect();
        Self {
            plan,
            total,
            waiting: watch::Sender::new(queue.len()),
            queue: Mutex::new(queue),
            openings: Semaphore::new(FIRST_OPENINGS),
            finished: Mutex::new((journal, finished)),
            sessions: AtomicUsize::new(0),
            says_busy: AtomicBool::new(false),
            failure: Mutex::new(None),
            left: Mutex::new(left),
        }
    }

    /// Runs everything with at most `browsers` workers. Returns when no session is left.
    pub(crate) async fn run(self, browsers: usize) -> PoolEnd {
        let workers = browsers.min(lock(&self.queue).len());
        futures_util::future::join_all((1..=workers).map(|number| self.work(number))).await;
        let left = self.end_left().await;
        let (_, finished) = self.finished.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        let failure = lock(&self.failure).take();
        PoolEnd { finished, sessions: self.sessions.load(Ordering::Relaxed), failure, left }
    }

    fn take(&self) -> Option<Work> {
        let taken = lock(&self.queue).pop_front().filter(|_| !self.plan.signals.stop.is_cancelled());
        self.waiting.send_replace(lock(&self.queue).len());
        taken
    }

    fn put_back(&self, work: Work) {
        lock(&self.queue).push_front(work);
        self.waiting.send_replace(lock(&self.queue).len());
    }

    async fn work(&self, number: usize) {
        let mut generation = 0;
        let mut failures = 0;
        while !self.plan.signals.stop.is_cancelled() && !lock(&self.queue).is_empty() {
            generation += 1;
            let name = format!("{}-{number}-{generation}", self.plan.prefix);
            match self.open(&name).await {
                Ok(Some(session)) => {
                    failures = 0;
                    self.serve(session).await;
                }
                Ok(None) => return,
                Err(fault) => {
                    failures += 1;
                    let is_final =
                        matches!(fault.code, FaultCode::BadRequest | FaultCode::Forbidden | FaultCode::Storage);
                    tell(&format!("{name}: {}", visible_line(&fault.message)));
                    if is_final || failures == MOST_FAILURES {
                        lock(&self.failure).get_or_insert(fault);
                        return;
                    }
                    self.pause(failures).await;
                }
            }
        }
    }

    /// Opens a session. Returns `None` if it is not needed any more.
    async fn open(&self, name: &str) -> Result<Option<Session>, Fault> {
        let mut busy = 0;
        loop {
            let mut session = Session::prepare(&self.plan.home, name)?;
            match self.open_if_needed(&mut session).await {
                None => {
                    self.end(session).await;
                    return Ok(None);
                }
                Some(Ok(())) => {
                    self.openings.add_permits(1);
                    self.sessions.fetch_add(1, Ordering::Relaxed);
                    self.says_busy.store(false, Ordering::Relaxed);
                    return Ok(Some(session));
                }
                Some(Err(fault)) => {
                    self.end(session).await;
                    if fault.code != FaultCode::Conflict || self.plan.request.remote.is_none() {
                        return Err(fault);
                    }
                    if !self.says_busy.swap(true, Ordering::Relaxed) {
                        tell(&format!("Waiting for the Grid: {}", visible_line(&fault.message)));
                    }
                    busy += 1;
                    self.pause(busy).await;
                }
            }
        }
    }

    /// Opens a session when it is its turn. Returns `None` if it is not needed any more.
    async fn open_if_needed(&self, session: &mut Session) -> Option<Result<(), Fault>> {
        // The semaphore is never closed.
        let _permit = tokio::select! {
            permit = self.openings.acquire() => permit,
            () = self.unneeded() => return None,
        };
        if let Err(fault) = session.start().await {
            return Some(Err(fault));
        }
        tokio::select! {
            opened = session.open(&self.plan.request) => Some(opened),
            () = self.unneeded() => None,
        }
    }

    /// Returns when no item waits for a session, or the run is stopped.
    async fn unneeded(&self) {
        let mut waiting = self.waiting.subscribe();
        tokio::select! {
            _ = waiting.wait_for(|count| *count == 0) => {}
            () = self.plan.signals.stop.cancelled() => {}
        }
    }

    async fn pause(&self, failures: u32) {
        let pause = Duration::from_secs(1).saturating_mul(1 << failures.min(6)).min(LONGEST_PAUSE);
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = self.unneeded() => {}
        }
    }

    /// Runs items in the session until there are none, or the session can't be used any more.
    async fn serve(&self, session: Session) {
        while let Some(work) = self.take() {
            let (began, started) = (Instant::now(), now_millis());
            let Some(ended) =
                item::run(&self.plan.setup, &session, (work.index, &work.item), &self.plan.signals.stop).await
            else {
                break;
            };
            let lost = session.lost().await;
            let is_over = self.plan.fresh || lost.is_some() || ended.outcome == Outcome::TimedOut;
            if self.plan.signals.stop.is_cancelled() && ended.outcome != Outcome::Ok {
                break;
            }
            let millis = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
            self.judge(&session, work, ended, lost, (started, millis));
            if is_over {
                break;
            }
        }
        self.end(session).await;
    }

    /// Records a finished item. One whose session was lost goes back to the queue, unless it has no retries left.
    fn judge(
        &self,
        session: &Session,
        mut work: Work,
        ended: Ended,
        lost: Option<String>,
        (started, millis): (u64, u64),
    ) {
        let Ended { mut outcome, exit, mut reason, output, result } = ended;
        if let Some(why) = lost.filter(|_| outcome != Outcome::Ok) {
            tell(&format!("lost {}: item {}: {}", session.name, work.index + 1, visible_line(&why)));
            let node = session.node.clone();
            work.lost.push(LostSession { session: session.name.clone(), node, reason: why.clone() });
            if work.lost.len() <= self.plan.retries {
                return self.put_back(work);
            }
            (outcome, reason) = (Outcome::Lost, Some(why));
        }
        let Work { index, item, lost } = work;
        let (name, node) = (session.name.clone(), session.node.clone());
        let finished =
            Finished { index, item, outcome, started, millis, exit, reason, lost, session: name, node, output, result };
        self.record(finished);
    }

    fn record(&self, finished: Finished) {
        let mut all = lock(&self.finished);
        if let Err(error) = all.0.append(&finished) {
            let fault = Fault::new(FaultCode::Storage, format!("results.jsonl cannot be written: {error}"))
                .hint("Free some disk space, then run it again with --resume.");
            lock(&self.failure).get_or_insert(fault);
            self.plan.signals.stop.cancel();
            return;
        }
        let index = finished.index;
        all.1.insert(index, finished);
        let finished = &all.1[&index];
        let item: String = visible_line(&as_text(&finished.item)).chars().take(SHOWN_ITEM).collect();
        let seconds = finished.millis as f64 / 1000.0;
        let done = all.1.len();
        tell(&format!("[{done}/{}] {:<9} {item}  {seconds:.1} s", self.total, finished.outcome.word()));
    }

    async fn end(&self, session: Session) {
        if let Err(left) = session.end(&self.plan.request.keys).await {
            lock(&self.left).push(left);
        }
    }

    /// Tries again to end what is left: a Grid ends no session of a node that was lost until it has noticed that. Returns what
    /// stays, for people.
    async fn end_left(&self) -> Vec<String> {
        let mut left = std::mem::take(&mut *lock(&self.left));
        let Signals { interrupted, leave, .. } = &self.plan.signals;
        let was_interrupted = interrupted.is_cancelled();
        let deadline = Instant::now() + RELEASE_LIMIT;
        if left.iter().any(Left::may_end) {
            tell("Waiting for sessions to end on another machine; Ctrl-C stops waiting.");
        }
        while left.iter().any(Left::may_end) && Instant::now() < deadline {
            tokio::select! {
                () = tokio::time::sleep(RELEASE_AGAIN) => {}
                () = interrupted.cancelled(), if !was_interrupted => break,
                () = leave.cancelled() => break,
            }
            let ends = left.into_iter().map(|one| one.end(&self.plan.request.keys));
            left = futures_util::future::join_all(ends).await.into_iter().filter_map(Result::err).collect();
        }
        left.into_iter().map(|one| one.why).collect()
    }
}
