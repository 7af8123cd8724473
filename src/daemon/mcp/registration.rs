//! The registration of this process as a driver of the daemon.
//!
//! Registers before the first command, and again after a daemon ended. The daemon ends the registration with
//! this process or its connection.

use super::list_changes;
use gstack_base::mutex::lock;
use gstack_client::http::Client;
use gstack_protocol::driver::{DriverBegin, DriverInfo, DriverLine};
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::ids::DriverId;
use gstack_protocol::page_tool::ListedPageTool;
use rmcp::RoleServer;
use rmcp::service::Peer;
use std::sync::{Arc, Mutex as StdMutex};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

/// The id of no driver. The daemon refuses it to everyone but an agent.
const UNREGISTERED: &str = "unregistered";

/// Cheap to clone.
#[derive(Clone)]
pub(super) struct Registration {
    client: Client,
    identity: DriverBegin,
    registered: Arc<Mutex<Option<Registered>>>,
    /// The daemon ends it for good: it is not begun again.
    is_final: bool,
    /// The tools of the page in the client's tab, as the daemon told them last.
    page_tools: Arc<StdMutex<Vec<ListedPageTool>>>,
}

struct Registered {
    id: DriverId,
    /// Cancelled when the daemon has ended it.
    ended: CancellationToken,
}

impl Registration {
    pub(super) fn new(client: Client, identity: DriverBegin) -> Self {
        Self { client, identity, registered: Arc::default(), is_final: false, page_tools: Arc::default() }
    }

    /// Returns a registration that has begun elsewhere. `ended` is cancelled when it ends.
    pub(super) fn begun(client: Client, id: DriverId, ended: CancellationToken) -> Self {
        let registered = Arc::new(Mutex::new(Some(Registered { id, ended })));
        Self { client, identity: DriverBegin::default(), registered, is_final: true, page_tools: Arc::default() }
    }

    /// Returns true if the client is offered the tools of pages. A trusted one is not: its tab is the person's.
    pub(super) fn reads_page_tools(&self) -> bool {
        self.identity.page_tools && !self.identity.trusted
    }

    /// Returns the tools of the page in the client's tab.
    pub(super) fn page_tools(&self) -> Vec<ListedPageTool> {
        lock(&self.page_tools).clone()
    }

    /// Returns the id of the registration. Registers if there is none. `name` is the MCP client's own name; `peer` is told
    /// when the page's tools change. Fails if the daemon can't be reached or refuses.
    pub(super) async fn id(&self, name: &str, peer: &Peer<RoleServer>) -> Result<DriverId, Fault> {
        let mut registered = self.registered.lock().await;
        if let Some(known) = registered.as_ref().filter(|known| !known.ended.is_cancelled()) {
            return Ok(known.id.clone());
        }
        if self.is_final {
            return Err(Fault::new(FaultCode::Forbidden, "this tunnel has ended")
                .hint("Ask the person to open another one: gstack tunnel"));
        }
        let begin = DriverBegin { client: name.to_owned(), ..self.identity.clone() };
        let mut lines = match self.client.stream("/driver", &begin).await {
            Ok(lines) => lines,
            // Started by an agent: its commands are the agent's. With this id they can't be anyone else's.
            Err(fault) if fault.code == FaultCode::Forbidden => return Ok(DriverId::new(UNREGISTERED)),
            Err(fault) => return Err(fault),
        };
        let ended = CancellationToken::new();
        let Some(DriverLine::Begun(DriverInfo { driver_id, .. })) = lines.next().await? else {
            return Err(Fault::new(FaultCode::DaemonDown, "gstack ended before it registered this client")
                .hint("Repeat the call."));
        };
        let end = ended.clone().drop_guard();
        let (known, peer) = (self.page_tools.clone(), peer.clone());
        tokio::spawn(async move {
            // Reading holds the registration.
            while let Ok(Some(line)) = lines.next().await {
                if let DriverLine::PageTools(offered) = line {
                    take(&known, offered, &peer).await;
                }
            }
            take(&known, Vec::new(), &peer).await;
            drop(end);
        });
        *registered = Some(Registered { id: driver_id.clone(), ended });
        Ok(driver_id)
    }
}

/// Stores the page's current tools, and notifies the client if the list changed.
async fn take(known: &StdMutex<Vec<ListedPageTool>>, offered: Vec<ListedPageTool>, peer: &Peer<RoleServer>) {
    let before = std::mem::replace(&mut *lock(known), offered.clone());
    if before != offered {
        list_changes::tell(peer).await;
    }
}
