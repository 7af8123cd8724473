//! Where a request comes from, found out once for its connection.
//!
//! Owns the identity of callers on the socket and on the port. What each may do, `guard` decides.

use crate::base::lineage::{self, Lineage};
use crate::base::loopback::{self, Holder};
use crate::base::peer::Peer;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::sync::{Mutex, Semaphore};

/// Searches for the other end of a connection that run at once: each looks at all open files of this user.
static SEARCHES: Semaphore = Semaphore::const_new(2);

/// Where a connection came in.
#[derive(Clone, Debug)]
pub enum Caller {
    /// `http.sock`: the kernel says who it is. `None` if it does not.
    Socket(Option<Peer>),
    /// 127.0.0.1: any process on this machine.
    Port(Arc<PortPeer>),
}

/// The other end of a connection on the port.
#[derive(Debug)]
pub struct PortPeer {
    near: SocketAddr,
    far: SocketAddr,
    /// The processes that held it when they were last looked for. All were the person's.
    holders: Mutex<Vec<Holder>>,
}

impl PortPeer {
    /// `near` is the client's address, `far` ours.
    pub fn new(near: SocketAddr, far: SocketAddr) -> Arc<Self> {
        Arc::new(Self { near, far, holders: Mutex::default() })
    }

    /// Whether the other end is open in processes of this user and in none that descends from an agent. False if that
    /// can't be shown. The first call for a connection takes some milliseconds, later ones look at those processes only.
    pub async fn is_person(&self) -> bool {
        let mut holders = self.holders.lock().await;
        if !holders.is_empty() && holders.iter().all(Holder::still_holds) {
            return true;
        }
        let (near, far) = (self.near, self.far);
        let Ok(_turn) = SEARCHES.acquire().await else { return false };
        // A search that broke off has found nothing that can be relied on.
        *holders = tokio::task::spawn_blocking(move || person_only(near, far)).await.unwrap_or_default();
        !holders.is_empty()
    }
}

/// The holders of the other end, unless one of them is not the person's.
fn person_only(near: SocketAddr, far: SocketAddr) -> Vec<Holder> {
    let found = loopback::holders(near, far);
    let all = found.iter().all(|holder| lineage::of(&holder.process) == Lineage::Person);
    if all { found } else { Vec::new() }
}
