//! The registration of this process as a driver of the daemon.
//!
//! Owns when it registers: before the first command, and again after a daemon ended. The daemon ends the registration with
//! this process or its connection.

use crate::client::http::Client;
use crate::protocol::driver::{DriverBegin, DriverInfo, DriverLine};
use crate::protocol::fault::{Fault, FaultCode};
use crate::protocol::ids::DriverId;
use std::sync::Arc;
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
}

struct Registered {
    id: DriverId,
    /// Cancelled when the daemon has ended it.
    ended: CancellationToken,
}

impl Registration {
    pub(super) fn new(client: Client, identity: DriverBegin) -> Self {
        Self { client, identity, registered: Arc::default() }
    }

    /// Returns the id of the registration. Registers if there is none. `name` is the MCP client's own name. Fails if the
    /// daemon can't be reached or refuses.
    pub(super) async fn id(&self, name: &str) -> Result<DriverId, Fault> {
        let mut registered = self.registered.lock().await;
        if let Some(known) = registered.as_ref().filter(|known| !known.ended.is_cancelled()) {
            return Ok(known.id.clone());
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
        tokio::spawn(async move {
            // Reading holds the registration. No further line comes.
            while let Ok(Some(DriverLine::Begun(_))) = lines.next().await {}
            drop(end);
        });
        *registered = Some(Registered { id: driver_id.clone(), ended });
        Ok(driver_id)
    }
}
