//! The origin of a request, determined once per connection.
//!
//! Owns the identity of callers on the socket and on the port. `guard` decides what each may do.

use gstack_base::lineage::{self, Lineage};
use gstack_base::loopback::{self, Holder};
use gstack_base::peer::Peer;
use gstack_base::process::Process;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::sync::{Mutex, Semaphore};

/// Limits concurrent searches for the other end of a connection, because each one reads all open files of this user.
static SEARCHES: Semaphore = Semaphore::const_new(2);

/// The listener that accepted a connection.
#[derive(Clone, Debug)]
pub(super) enum Caller {
    /// `http.sock`, with the peer as reported by the kernel; `None` if it does not.
    Socket(Option<Peer>),
    /// 127.0.0.1, open to any process on this machine.
    Port(Arc<PortPeer>),
}

impl Caller {
    /// Returns the process at the other end of the socket, while it runs. `None` on the port.
    pub(super) fn process(&self) -> Option<&Process> {
        match self {
            Self::Socket(peer) => peer.as_ref().and_then(Peer::process),
            Self::Port(_) => None,
        }
    }
}

/// The other end of a connection on the port.
#[derive(Debug)]
pub(super) struct PortPeer {
    near: SocketAddr,
    far: SocketAddr,
    /// The processes that held it at the last search. All belonged to the person.
    holders: Mutex<Vec<Holder>>,
}

impl PortPeer {
    /// Creates the peer. `near` is the client's address, `far` is ours.
    pub(super) fn new(near: SocketAddr, far: SocketAddr) -> Arc<Self> {
        Arc::new(Self { near, far, holders: Mutex::default() })
    }

    /// Returns true if the other end is open only in processes of this user that do not descend from an agent. Returns
    /// false if that cannot be determined. The first call for a connection takes some milliseconds; later ones check
    /// only those processes.
    pub(super) async fn is_person(&self) -> bool {
        let mut holders = self.holders.lock().await;
        if !holders.is_empty() && holders.iter().all(Holder::still_holds) {
            return true;
        }
        let (near, far) = (self.near, self.far);
        let Ok(_turn) = SEARCHES.acquire().await else { return false };
        // The result of a failed search is not reliable, so it counts as empty.
        *holders = tokio::task::spawn_blocking(move || person_only(near, far)).await.unwrap_or_default();
        !holders.is_empty()
    }
}

/// Returns the holders of the other end, or none if any of them does not belong to the person.
fn person_only(near: SocketAddr, far: SocketAddr) -> Vec<Holder> {
    let found = loopback::holders(near, far);
    let all = found.iter().all(|holder| lineage::of(&holder.process) == Lineage::Person);
    if all { found } else { Vec::new() }
}
