//! Sending to a host: its queue, the size limit of a message, and the pushes of conversations.
//!
//! Owns the bound of the queue. Never reads a socket.

use super::error::PortError;
use gstack_base::mutex::lock;
use gstack_chat::{Push, Sink};
use gstack_protocol::chat::ChatGap;
use gstack_protocol::frame::COMFORTABLE;
use gstack_protocol::ids::PanelId;
use gstack_protocol::methods::ToPanel;
use gstack_protocol::rpc::Envelope;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Identifies one connection of a native host within one run of the daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PortId(pub(super) u64);

/// The limit for data that waits to be written to one host, in bytes. Above it the host is disconnected. Chat alone
/// stays far below.
const MOST_QUEUED: usize = 16 * 1024 * 1024;

/// Sends to a host. Cheap to clone; never blocks.
#[derive(Clone, Debug)]
pub struct PortSender {
    queue: mpsc::UnboundedSender<Vec<u8>>,
    queued: Arc<AtomicUsize>,
    /// Cancelled when the host reads too slowly or its confirmation was revoked.
    closed: CancellationToken,
}

impl PortSender {
    pub fn new(queue: mpsc::UnboundedSender<Vec<u8>>, closed: CancellationToken) -> Self {
        Self { queue, queued: Arc::default(), closed }
    }

    /// Queues a message. If the host has disconnected, the message is dropped.
    pub fn send(&self, envelope: &Envelope) {
        self.send_bytes(fit(envelope));
    }

    /// Closes the connection.
    pub fn end(&self) {
        self.closed.cancel();
    }

    /// Subtracts `size` bytes that were written to the host.
    pub fn written(&self, size: usize) {
        self.queued.fetch_sub(size, Ordering::Relaxed);
    }

    fn send_bytes(&self, message: Vec<u8>) -> bool {
        let waiting = self.queued.fetch_add(message.len(), Ordering::Relaxed) + message.len();
        if waiting > MOST_QUEUED {
            tracing::warn!("a host reads too slowly and is let go");
            self.closed.cancel();
            return false;
        }
        self.queue.send(message).is_ok()
    }
}

/// Replaces an oversize answer with a fault, because Chrome would close the port.
fn fit(envelope: &Envelope) -> Vec<u8> {
    let bytes = envelope.encode();
    if bytes.len() <= COMFORTABLE {
        return bytes;
    }
    let fault = PortError::AnswerDoesNotFit { bytes: bytes.len() }.into();
    Envelope::failure(envelope.client.clone(), envelope.id, fault).encode()
}

/// Replaces an oversize push with a gap, so that the panel reads it again in pages that fit. Returns `None` for any
/// other oversize push.
fn fit_push(client: Option<&PanelId>, push: &ToPanel) -> Option<Vec<u8>> {
    let bytes = push.envelope(client.cloned()).encode();
    if bytes.len() <= COMFORTABLE {
        return Some(bytes);
    }
    let (conversation_id, head) = match push {
        ToPanel::ChatEvent(event) => (event.conversation_id.clone(), event.event.seq),
        ToPanel::ChatDelta(delta) => (delta.conversation_id.clone(), delta.seq),
        _ => {
            tracing::error!(bytes = bytes.len(), "a push does not fit into one message and is left out");
            return None;
        }
    };
    Some(ToPanel::ChatGap(ChatGap { conversation_id, head }).envelope(client.cloned()).encode())
}

/// A panel as the receiver of a conversation's pushes. Pushes wait until the answer to `chat.subscribe` is queued.
pub(crate) struct PanelSink {
    port: PortSender,
    client: Option<PanelId>,
    held: Mutex<Option<Vec<Vec<u8>>>>,
}

impl PanelSink {
    pub(crate) fn held(port: PortSender, client: Option<PanelId>) -> Arc<Self> {
        Arc::new(Self { port, client, held: Mutex::new(Some(Vec::new())) })
    }

    /// Sends the pushes held so far and lets later ones through directly.
    pub(crate) fn release(&self) {
        let mut held = lock(&self.held);
        for message in held.take().unwrap_or_default() {
            self.port.send_bytes(message);
        }
    }
}

impl Sink for PanelSink {
    fn push(&self, push: Push) -> bool {
        let Some(message) = fit_push(self.client.as_ref(), &push) else { return true };
        let mut held = lock(&self.held);
        match &mut *held {
            Some(waiting) => {
                waiting.push(message);
                true
            }
            None => self.port.send_bytes(message),
        }
    }
}
