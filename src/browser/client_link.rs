//! The DevTools sessions of another program, beside gstack's own on the same connection.
//!
//! Owns the program's sessions and the bounded queue of their events and replies, in the browser's order.
//! What such a session enables or changes ends with it. Never decides what the program may send.

use super::browser::Browser;
use super::cdp::{Cdp, CdpError, OnReply};
use super::devtools::target::{SessionId, attach_to, detach_from};
use super::events::{Event, Inlet};
use super::relay::ATTACH_CLIENT;
use gstack_protocol::ids::TabId;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// The most bytes that wait for a program that reads slower than the browser sends. No message may be dropped, so beyond
/// this the program's connection ends.
const MOST_WAITING: usize = 64 * 1024 * 1024;
/// Reports the address that a frame goes to, before its document is replaced. The program gets it for every frame: where the browser
/// shows pages of its own, a session ends before they are there.
pub const FRAME_LEAVES: &str = "Page.frameStartedNavigating";
/// The program itself answers.
const ATTACH_LIMIT: Duration = Duration::from_secs(10);
/// Counted for each message besides its text.
const OVERHEAD: usize = 256;

/// A message for the program.
#[derive(Debug)]
pub enum FromBrowser {
    Event(Event),
    /// The reply to the command with this tag.
    Reply {
        tag: u64,
        result: Result<Box<RawValue>, CdpError>,
    },
}

/// The receiving end of what the connection's reader task finds for one program.
struct ClientInlet {
    sessions: Mutex<HashSet<SessionId>>,
    root: Option<SessionId>,
    queue: mpsc::UnboundedSender<FromBrowser>,
    waiting: AtomicUsize,
    full: CancellationToken,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OfSession {
    session_id: SessionId,
}

impl ClientInlet {
    fn sessions(&self) -> MutexGuard<'_, HashSet<SessionId>> {
        // Each change is one operation of the set.
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, message: FromBrowser) {
        if self.waiting.fetch_add(size(&message), Ordering::Relaxed) > MOST_WAITING {
            self.full.cancel();
        }
        if !self.full.is_cancelled() && self.queue.send(message).is_err() {
            tracing::trace!("a CDP client has left");
        }
    }
}

impl Inlet for ClientInlet {
    /// Queues an event if it is of one of the program's sessions, of a download, of the end of such a session, or of a frame that
    /// goes elsewhere.
    fn publish(&self, event: &Event) {
        let passes = if event.method() == FRAME_LEAVES {
            true
        } else if event.session() == self.root.as_ref() {
            match event.method() {
                "Browser.downloadWillBegin" | "Browser.downloadProgress" => true,
                "Target.detachedFromTarget" => {
                    event.read::<OfSession>().is_some_and(|of| self.sessions().contains(&of.session_id))
                }
                _ => false,
            }
        } else {
            event.session().is_some_and(|session| self.sessions().contains(session))
        };
        if !passes {
            return;
        }
        // A session that the browser attached by itself sends events right away.
        if event.method() == "Target.attachedToTarget"
            && let Some(of) = event.read::<OfSession>()
        {
            self.sessions().insert(of.session_id);
        }
        self.push(FromBrowser::Event(event.clone()));
    }
}

fn size(message: &FromBrowser) -> usize {
    OVERHEAD
        + match message {
            FromBrowser::Event(event) => event.params().len(),
            FromBrowser::Reply { result: Ok(result), .. } => result.get().len(),
            FromBrowser::Reply { .. } => 0,
        }
}

/// The sending half. Dropping it detaches all sessions, which undoes what they enabled.
pub struct ClientLink {
    cdp: Cdp,
    inlet: Arc<ClientInlet>,
    /// Attached by this link, and not by the browser itself below another session.
    direct: HashSet<SessionId>,
    /// The browser is an everyday one, where the sessions share gstack's.
    is_relayed: bool,
}

/// The receiving half.
pub struct ClientInbox {
    inlet: Arc<ClientInlet>,
    queue: mpsc::UnboundedReceiver<FromBrowser>,
}

impl ClientInbox {
    /// Returns the next message. Cancel safe.
    pub async fn next(&mut self) -> Option<FromBrowser> {
        let message = self.queue.recv().await?;
        self.inlet.waiting.fetch_sub(size(&message), Ordering::Relaxed);
        Some(message)
    }

    /// Returns a token that is cancelled when more waits than fits: messages are missing from then on.
    pub fn full(&self) -> CancellationToken {
        self.inlet.full.clone()
    }
}

impl Browser {
    /// Opens a link without any session.
    pub fn client_link(&self) -> (ClientLink, ClientInbox) {
        let cdp = self.cdp().clone();
        let (sender, queue) = mpsc::unbounded_channel();
        let inlet = Arc::new(ClientInlet {
            sessions: Mutex::default(),
            root: cdp.root().id().cloned(),
            queue: sender,
            waiting: AtomicUsize::new(0),
            full: CancellationToken::new(),
        });
        cdp.change_inlets(|inlets| inlets.push(inlet.clone()));
        let is_relayed = self.is_relayed();
        (ClientLink { cdp, inlet: inlet.clone(), direct: HashSet::new(), is_relayed }, ClientInbox { inlet, queue })
    }
}

impl ClientLink {
    /// Attaches to a target.
    pub async fn attach(&mut self, target: &str) -> Result<SessionId, CdpError> {
        let session = match self.is_relayed {
            false => self.cdp.root().call(attach_to(target)).await?.session_id,
            true => {
                let attach = json!({ "targetId": target });
                let attached = self.cdp.root().call_json(ATTACH_CLIENT, &attach, ATTACH_LIMIT).await?;
                SessionId::from(attached["sessionId"].as_str().unwrap_or_default().to_owned())
            }
        };
        self.inlet.sessions().insert(session.clone());
        self.direct.insert(session.clone());
        Ok(session)
    }

    /// Detaches from a target that was attached to by [`Self::attach`].
    pub fn detach(&mut self, session: &SessionId) {
        if self.direct.remove(session) {
            self.cdp.root().post(detach_from(session.clone()));
        }
        self.ended(session);
    }

    /// Forgets a session that has ended, and fails its pending commands.
    pub fn ended(&mut self, session: &SessionId) {
        self.direct.remove(session);
        self.inlet.sessions().remove(session);
        self.cdp.sent_presses().session_ended(session);
        self.cdp.give_up(session);
    }

    /// Records the tab of a session before it sends input there, so that the page's report does not count as the person's.
    pub fn sends_input(&self, session: &SessionId, tab: TabId) {
        self.cdp.sent_presses().client_session(session, tab);
    }

    /// Sends a command to a session, or to the browser itself. Its reply comes with the tag.
    pub fn send(&self, session: Option<&SessionId>, method: &str, params: &RawValue, tag: u64) {
        let root = self.cdp.root();
        let session = session.or(root.id());
        let inlet = self.inlet.clone();
        let on_reply: OnReply = Box::new(move |result| inlet.push(FromBrowser::Reply { tag, result }));
        self.cdp.post(session, method.to_owned().into(), params, on_reply);
    }
}

impl Drop for ClientLink {
    fn drop(&mut self) {
        for session in std::mem::take(&mut self.direct) {
            self.cdp.root().post(detach_from(session));
        }
        let sessions = std::mem::take(&mut *self.inlet.sessions());
        self.cdp.change_inlets(|inlets| {
            inlets.retain(|one| !std::ptr::addr_eq(Arc::as_ptr(one), Arc::as_ptr(&self.inlet)))
        });
        for session in &sessions {
            self.cdp.sent_presses().session_ended(session);
            self.cdp.give_up(session);
        }
    }
}
