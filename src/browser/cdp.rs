//! The DevTools connection: sends commands to any session, routes replies to their callers and events to their
//! subscribers.
//!
//! Owns message ids, the table of pending commands and the reader task. It reads only the id, session and method of a
//! message; the rest is passed on unparsed. Does not handle targets or tabs.

use super::cdp_message::{Incoming, IncomingError, Outgoing};
use super::devtools_session::Session;
use super::events::{Event, Filter, Inlet, Subscribers, Subscription};
use super::outbox::{self, Outbox};
use super::sent_presses::SentPresses;
use super::transport::{MessageSource, Transport};
use crate::devtools::target::SessionId;
use bytes::Bytes;
use gstack_base::mutex::lock;
use gstack_base::well_formed;
use gstack_protocol::keeper::KEEPER_IDS;
use serde::Serialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The reason a command has no result.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CdpError {
    #[error("the connection to the browser is gone")]
    Gone,
    #[error("{method} was not answered within {after:?}")]
    Timeout { method: String, after: Duration },
    /// The browser returned an error. Codes: <https://www.jsonrpc.org/specification>, and −32001 for a session that
    /// ended.
    #[error("{method}: {message}")]
    Protocol { method: String, code: i64, message: String },
    #[error("{method}: the reply is not of the expected shape: {message}")]
    Decode { method: String, message: String },
    #[error("{method}: the parameters can't be written as JSON: {message}")]
    Encode { method: String, message: String },
}

/// The command's session no longer exists (crashed, closed or swapped).
pub const SESSION_NOT_FOUND: i64 = -32001;

/// The browser cannot run the command in its present state; only the message gives the reason.
pub const SERVER_ERROR: i64 = -32000;

impl CdpError {
    /// Returns true if the page or frame behind the session is gone.
    pub fn is_session_gone(&self) -> bool {
        matches!(self, Self::Protocol { code: SESSION_NOT_FOUND, .. })
    }
    /// Returns true while one document replaces another: the target has no active page for a moment (Chromium 156).
    pub fn is_between_pages(&self) -> bool {
        matches!(self, Self::Protocol { code: SERVER_ERROR, message, .. } if message == "Not attached to an active page")
    }
}

/// A reply handler. It runs in the reader task, so handlers run in the order of the messages.
pub(super) type OnReply = Box<dyn FnOnce(Result<Box<RawValue>, CdpError>) + Send>;

/// Receives every event before any subscriber and before any later reply. Must not block.
pub trait Observer: Send + Sync {
    fn event(&self, event: &Event);
    /// Called when the connection has ended; no event follows.
    fn gone(&self);
}

/// One connection to one browser. Cheap to clone; `close` ends it.
#[derive(Clone)]
pub struct Cdp {
    inner: Arc<Inner>,
}

struct Inner {
    outbox: Outbox,
    next_id: AtomicU32,
    root: Option<SessionId>,
    state: Mutex<State>,
    closing: CancellationToken,
    gone: CancellationToken,
    tasks: TaskTracker,
    /// The presses of keys and buttons among the commands that were sent.
    presses: SentPresses,
    /// When the last message of the browser came.
    heard: Mutex<Instant>,
    /// Sessions that cannot answer until a dialog of their page is closed.
    held: watch::Sender<HashSet<SessionId>>,
}

#[derive(Default)]
struct State {
    pending: HashMap<u32, Waiting>,
    subscribers: Subscribers,
    gone: bool,
}

struct Waiting {
    session: Option<SessionId>,
    method: Cow<'static, str>,
    on_reply: OnReply,
}

/// A pending command's entry in the table. Dropping it removes the entry (the reply is then ignored).
pub(super) struct Ticket {
    id: u32,
    cdp: Weak<Inner>,
}

impl Ticket {
    /// Leaves the command in the table after its ticket is gone, because its reply has its own handler.
    fn keep(mut self) {
        self.cdp = Weak::new();
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if let Some(inner) = self.cdp.upgrade() {
            inner.state().pending.remove(&self.id);
        }
    }
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        // A panic cannot leave the table half changed: every change is one map operation.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cdp {
    /// Starts to read and write. `root` is the session that stands for the browser itself (`None`: the connection
    /// does); ids count up from `first_id`. `observer` returns the observer and a second value, which `start` returns.
    pub fn start<T>(
        transport: Transport,
        root: Option<SessionId>,
        first_id: u32,
        observer: impl FnOnce(&Cdp) -> (Arc<dyn Observer>, T),
    ) -> T {
        let (outbox, queue) = outbox::open();
        let inner = Arc::new(Inner {
            outbox,
            next_id: AtomicU32::new(first_id),
            root,
            state: Mutex::default(),
            closing: CancellationToken::new(),
            gone: CancellationToken::new(),
            tasks: TaskTracker::new(),
            presses: SentPresses::default(),
            heard: Mutex::new(Instant::now()),
            held: watch::channel(HashSet::new()).0,
        });
        let cdp = Self { inner };
        let (observer, made) = observer(&cdp);
        let closing = cdp.inner.closing.clone();
        cdp.inner.tasks.spawn(queue.write(transport.sink, closing));
        cdp.inner.tasks.spawn(read(transport.source, cdp.clone(), observer));
        cdp.inner.tasks.close();
        made
    }

    /// Returns the session of the browser itself.
    pub fn root(&self) -> Session {
        Session::new(self.clone(), self.inner.root.clone())
    }
    /// Returns the session with this id, without checking that it exists.
    pub fn session(&self, id: SessionId) -> Session {
        Session::new(self.clone(), Some(id))
    }
    /// Subscribes to events that pass the filter, from now on.
    pub fn subscribe(&self, filter: Filter) -> Subscription {
        let mut state = self.inner.state();
        let gone = state.gone;
        state.subscribers.add(filter, gone)
    }
    pub(super) fn change_inlets(&self, change: impl FnOnce(&mut Vec<Arc<dyn Inlet>>)) {
        change(&mut self.inner.state().subscribers.inlets);
    }
    /// Returns when the last message of the browser came.
    pub(super) fn heard(&self) -> Instant {
        *lock(&self.inner.heard)
    }
    /// Returns a token that is cancelled when the connection ends.
    pub fn gone(&self) -> &CancellationToken {
        &self.inner.gone
    }
    /// The tasks that `close` waits for; they end when `gone` is cancelled.
    pub(super) fn tasks(&self) -> &TaskTracker {
        &self.inner.tasks
    }
    /// Ends the connection without waiting.
    pub fn cancel(&self) {
        self.inner.closing.cancel();
    }
    /// Ends the connection; returns when its tasks have ended.
    pub async fn close(&self) {
        self.cancel();
        self.inner.tasks.wait().await;
    }

    /// Adds a command to the table and returns its bytes, to be sent by `transmit`. If the command cannot be sent, its
    /// handler gets the error at once and the same error is returned.
    pub(super) fn prepare<P: Serialize>(
        &self,
        session: Option<&SessionId>,
        method: Cow<'static, str>,
        params: P,
        on_reply: OnReply,
    ) -> Result<(Vec<u8>, Ticket), CdpError> {
        let id = self.next_id();
        let outgoing = Outgoing { id, method: &method, params, session_id: session.map(AsRef::as_ref) };
        let bytes = match serde_json::to_vec(&outgoing) {
            Ok(bytes) => bytes,
            Err(error) => {
                let error = CdpError::Encode { method: method.into_owned(), message: error.to_string() };
                on_reply(Err(error.clone()));
                return Err(error);
            }
        };
        {
            let mut state = self.inner.state();
            if !state.gone {
                self.inner.presses.sent(id, session, &method, &bytes);
                state.pending.insert(id, Waiting { session: session.cloned(), method, on_reply });
                return Ok((bytes, Ticket { id, cdp: Arc::downgrade(&self.inner) }));
            }
        }
        on_reply(Err(CdpError::Gone));
        Err(CdpError::Gone)
    }

    /// Sends prepared messages in one write.
    pub(super) fn transmit(&self, messages: Vec<Vec<u8>>) {
        if messages.is_empty() {
            return;
        }
        if !self.inner.outbox.send(messages) {
            // The reader ends and answers all pending commands with `Gone`.
            self.cancel();
        }
    }

    /// Sends a command. Its reply handler runs in the reader task, or at once if the command cannot be sent.
    pub(super) fn post<P: Serialize>(
        &self,
        session: Option<&SessionId>,
        method: Cow<'static, str>,
        params: P,
        on_reply: OnReply,
    ) {
        match self.prepare(session, method, params, on_reply) {
            Ok((bytes, ticket)) => {
                self.transmit(vec![bytes]);
                ticket.keep();
            }
            Err(error) => tracing::debug!(%error, "a command was not sent"),
        }
    }

    /// Returns the presses of keys and buttons that were sent and not reported yet.
    pub(super) fn sent_presses(&self) -> &SentPresses {
        &self.inner.presses
    }

    /// Stops the clock for commands to these sessions, because their page waits for the answer to a dialog.
    pub(super) fn hold(&self, sessions: &[SessionId]) {
        self.inner.held.send_modify(|held| held.extend(sessions.iter().cloned()));
    }
    pub(super) fn unhold(&self, sessions: &[SessionId]) {
        self.inner.held.send_modify(|held| held.retain(|session| !sessions.contains(session)));
    }
    pub(super) fn is_held(&self, session: &SessionId) -> bool {
        self.inner.held.borrow().contains(session)
    }
    /// Waits until the session is not held.
    pub(super) async fn unheld(&self, session: &SessionId) {
        let mut held = self.inner.held.subscribe();
        tokio::select! {
            // The sender lives as long as this connection.
            _ = held.wait_for(|held| !held.contains(session)) => {}
            () = self.gone().cancelled() => {}
        }
    }

    /// Returns the number of commands without a reply.
    pub(super) fn pending(&self) -> usize {
        self.inner.state().pending.len()
    }

    /// Fails all pending commands of a session whose page crashed or is gone: no reply will come.
    pub(super) fn give_up(&self, session: &SessionId) {
        self.unhold(std::slice::from_ref(session));
        let waiting: Vec<Waiting> = {
            let mut state = self.inner.state();
            let of_it = |_: &u32, waiting: &mut Waiting| waiting.session.as_ref() == Some(session);
            state.pending.extract_if(of_it).map(|(_, waiting)| waiting).collect()
        };
        for Waiting { method, on_reply, .. } in waiting {
            let message = "the page crashed or was closed".to_owned();
            on_reply(Err(CdpError::Protocol { method: method.into_owned(), code: SESSION_NOT_FOUND, message }));
        }
    }

    /// Returns the next id; wraps to 1 before the keeper's own ids.
    fn next_id(&self) -> u32 {
        let step = |id: u32| Some(if id + 1 < KEEPER_IDS { id + 1 } else { 1 });
        match self.inner.next_id.fetch_update(Ordering::Relaxed, Ordering::Relaxed, step) {
            Ok(id) | Err(id) => id,
        }
    }

    fn take_in(&self, message: &Bytes, observer: &dyn Observer) {
        *lock(&self.inner.heard) = Instant::now();
        // Text from a page may contain half of a surrogate pair.
        let message: &[u8] = &well_formed::repair(message);
        let incoming: Incoming<'_> = match serde_json::from_slice(message) {
            Ok(incoming) => incoming,
            Err(error) => {
                tracing::warn!(%error, bytes = message.len(), "a message of the browser is not readable");
                return;
            }
        };
        if let Some(id) = incoming.id {
            self.inner.presses.answered(id);
            let Some(waiting) = self.inner.state().pending.remove(&id) else { return };
            (waiting.on_reply)(reply(&waiting.method, incoming.result, incoming.error));
            return;
        }
        let Some(method) = incoming.method else { return };
        let event = Event::new(incoming.session_id, &method, incoming.params);
        observer.event(&event);
        self.inner.state().subscribers.publish(&event);
    }

    fn end(&self) {
        // First, so that any task woken below already sees that the browser is gone.
        self.inner.gone.cancel();
        let waiting = {
            let mut state = self.inner.state();
            state.gone = true;
            state.subscribers.close();
            std::mem::take(&mut state.pending)
        };
        self.inner.closing.cancel();
        for (_, waiting) in waiting {
            (waiting.on_reply)(Err(CdpError::Gone));
        }
    }
}

fn reply(method: &str, result: Option<&RawValue>, error: Option<IncomingError>) -> Result<Box<RawValue>, CdpError> {
    match (result, error) {
        (_, Some(IncomingError { code, message, data })) => {
            let message = data.map_or(message.clone(), |data| format!("{message} ({data})"));
            Err(CdpError::Protocol { method: method.to_owned(), code, message })
        }
        (Some(result), None) => Ok(result.to_owned()),
        (None, None) => {
            Err(CdpError::Decode { method: method.to_owned(), message: "neither result nor error".to_owned() })
        }
    }
}

async fn read(mut source: Box<dyn MessageSource>, cdp: Cdp, observer: Arc<dyn Observer>) {
    let closing = cdp.inner.closing.clone();
    loop {
        let next = tokio::select! {
            biased;
            () = closing.cancelled() => break,
            next = source.next() => next,
        };
        match next {
            Ok(Some(message)) => cdp.take_in(&message, observer.as_ref()),
            Ok(None) => break,
            Err(error) => {
                tracing::info!(%error, "the browser's messages ended");
                break;
            }
        }
    }
    cdp.end();
    observer.gone();
}
