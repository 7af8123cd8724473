//! Access to `browser.sock`: only a process of the person that knows this browser's secret is admitted.
//!
//! Owns checking who connects, through the kernel and through a proof, for each connection separately: a silent one
//! delays no other. The secret is created when the keeper starts and stored in gstack's home; it never crosses the
//! socket, and a proof is valid for one connection.

use super::client::Client;
use gstack_base::peer::Peer;
use gstack_base::proof::{self, Key};
use gstack_protocol::keeper::{Control, Greeting, Purpose};
use std::collections::VecDeque;
use std::io;
use std::time::Duration;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinHandle};
use tokio::time::timeout;

/// How long a client may take for its proof.
const PROOF_LIMIT: Duration = Duration::from_secs(10);
/// The limit for connections that have not proven themselves. One more closes the oldest.
const MOST_UNPROVEN: usize = 16;
/// The delay after a failed accept, so that others can close their file descriptors.
const REST: Duration = Duration::from_millis(100);

/// A client that has proven itself, and what it wants.
pub(super) struct Admitted {
    pub(super) client: Client,
    pub(super) purpose: Purpose,
    /// The keeper's own proof, which is part of its greeting to the client.
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

    /// Returns the next client that has proven itself. Cancel safe.
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
            // The connection is new, so its buffer has room. If the client has disconnected, it misses nothing.
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
                // A separate task, so that an admitted client does not count as unproven. If the keeper ends, no client
                // is wanted.
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
    // Checked again: the connected process may have ended and left the connection to another one.
    if !is_proven || !peer.is_person() {
        client.writer.greet(&Greeting::Refused).await?;
        let why = if is_proven { "the process that connected has ended" } else { "the proof is wrong" };
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    }
    Ok(Admitted { client, purpose, proof: key.proof(Greeting::PROOF, &[&challenge, &nonce]) })
}
