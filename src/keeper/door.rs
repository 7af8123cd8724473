//! The way into `browser.sock`: only a process of the person's that knows this browser's secret is let through.
//!
//! Owns the check of who connects, by the kernel and by proof, each connection on its own: one that says nothing delays no
//! other. The secret is made at the keeper's start and lies in gstack's home; it never crosses the socket, and a proof holds
//! for one connection.

use super::client::Client;
use crate::base::peer::Peer;
use crate::base::proof::{self, Key};
use crate::protocol::keeper::{Control, Greeting, Purpose};
use std::collections::VecDeque;
use std::io;
use std::time::Duration;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinHandle};
use tokio::time::timeout;

/// How long a client may take for its proof.
const PROOF_LIMIT: Duration = Duration::from_secs(10);
/// Connections that have proven nothing yet. One more ends the oldest.
const MOST_UNPROVEN: usize = 16;
/// After a failed accept others get the time to close what they hold.
const REST: Duration = Duration::from_millis(100);

/// A client that has proven itself, and what it wants.
pub(super) struct Admitted {
    pub(super) client: Client,
    pub(super) purpose: Purpose,
    /// The keeper's own proof, which the client gets with its greeting.
    pub(super) proof: String,
}

/// Closes when dropped.
pub(super) struct Door {
    admitted: mpsc::Receiver<Admitted>,
    accepting: JoinHandle<()>,
}

impl Door {
    pub(super) fn open(listener: UnixListener, key: Key) -> Self {
        let (sender, admitted) = mpsc::channel(1);
        Self { admitted, accepting: tokio::spawn(accept(listener, key, sender)) }
    }

    /// The next client that has proven itself. Cancel safe.
    pub(super) async fn next(&mut self) -> Option<Admitted> {
        self.admitted.recv().await
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: UnixListener, key: Key, admitted: mpsc::Sender<Admitted>) {
    let mut unproven: VecDeque<AbortHandle> = VecDeque::new();
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(REST).await;
                continue;
            }
        };
        let Some(peer) = Peer::of(&stream).ok().filter(Peer::is_person) else {
            tracing::warn!("refused a process that is not the person's");
            // The connection is new, so there is room for this; a client that is gone misses nothing.
            refuse(&stream).unwrap_or_else(|error| tracing::debug!(%error, "the refused process is gone"));
            continue;
        };
        unproven.retain(|task| !task.is_finished());
        if unproven.len() >= MOST_UNPROVEN
            && let Some(oldest) = unproven.pop_front()
        {
            oldest.abort();
        }
        let (key, admitted) = (key.clone(), admitted.clone());
        let proving = tokio::spawn(async move {
            match timeout(PROOF_LIMIT, prove(stream, &peer, &key)).await {
                // A task of its own: what is proven is not ended for what is not. If the keeper ends, no client is wanted.
                Ok(Ok(client)) => drop(tokio::spawn(async move { admitted.send(client).await.ok() })),
                Ok(Err(error)) => tracing::warn!(%error, "refused a client"),
                Err(_) => tracing::warn!("a client proved nothing in time"),
            }
        });
        unproven.push_back(proving.abort_handle());
    }
}

fn refuse(stream: &UnixStream) -> io::Result<()> {
    let mut message = serde_json::to_vec(&Greeting::Refused)?;
    message.push(0);
    stream.try_write(&message).map(drop)
}

async fn prove(stream: UnixStream, peer: &Peer, key: &Key) -> io::Result<Admitted> {
    let mut client = Client::new(stream);
    let challenge = proof::nonce();
    client.writer.greet(&Greeting::Challenge { nonce: challenge.clone() }).await?;
    let said = client.reader.first().await?;
    let Control::Prove { purpose, nonce, proof } = said;
    let is_proven = key.accepts(purpose.name(), &[&challenge, &nonce], &proof);
    // Once more: the process that connected may have ended and left the connection to another.
    if !is_proven || !peer.is_person() {
        client.writer.greet(&Greeting::Refused).await?;
        let why = if is_proven { "the process that connected has ended" } else { "the proof is wrong" };
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    }
    Ok(Admitted { client, purpose, proof: key.proof(Greeting::PROOF, &[&challenge, &nonce]) })
}
