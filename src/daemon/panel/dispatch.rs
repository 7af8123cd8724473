//! Dispatch: parses a message, calls the function of its method, and returns the answer.
//!
//! Owns the order of messages and which ones are served before confirmation. `serve.rs` implements the methods.

use super::serve::Panel;
use futures_util::FutureExt;
use gstack_base::well_formed;
use gstack_engine::{Engine, PortId, PortSender, PortState};
use gstack_protocol::catalogue;
use gstack_protocol::declare::Reply;
use gstack_protocol::fault::{Fault, FaultCode, Hop};
use gstack_protocol::ids::PanelId;
use gstack_protocol::methods::{Serve, ToDaemon};
use gstack_protocol::rpc::Envelope;
use serde::Serialize;
use tokio_util::task::TaskTracker;

/// Handles one message. Slow requests run concurrently; the others keep their order.
pub(super) async fn message(engine: &Engine, port: PortId, sender: &PortSender, tasks: &TaskTracker, bytes: &[u8]) {
    let bytes: &[u8] = &well_formed::repair(bytes);
    let envelope: Envelope = match serde_json::from_slice(bytes) {
        Ok(envelope) => envelope,
        Err(error) => {
            let fault = Fault::new(FaultCode::BadRequest, format!("not a JSON-RPC message: {error}"));
            sender.send(&Envelope::failure(None, None, fault));
            return;
        }
    };
    let reply = PortReply { sender: sender.clone(), client: envelope.client.clone(), id: envelope.id };
    let panel = Panel { engine: engine.clone(), port, client: envelope.client };
    let params = envelope.params.as_ref().map_or("null", |params| params.get());
    let call = match ToDaemon::read(envelope.method.as_deref().unwrap_or_default(), params) {
        Ok(call) => call,
        Err(error) => {
            let fault = Fault::new(FaultCode::BadRequest, error).hint(catalogue::VERSIONS_MAY_DIFFER);
            return reply.fail(fault);
        }
    };
    match engine.panel_keys().port_state(port) {
        _ if matches!(call, ToDaemon::Hello(_)) => {}
        PortState::Unknown => {
            let fault =
                Fault::new(FaultCode::ProtocolMismatch, catalogue::NO_HELLO).hint(catalogue::VERSIONS_MAY_DIFFER);
            return reply.fail(fault.at(Hop::Background));
        }
        PortState::Unconfirmed if !call.rules().unconfirmed => {
            return reply.refuse(|| engine.panel_keys().unconfirmed(port));
        }
        PortState::Unconfirmed | PortState::Confirmed => {}
    }
    if call.rules().beside {
        let mut handling = Box::pin(async move { panel.serve(call, &reply).await });
        // The request starts in order and continues on its own, so that a `pick.stop` finds the pick requested before
        // it.
        if (&mut handling).now_or_never().is_none() {
            tasks.spawn(handling);
        }
    } else {
        panel.serve(call, &reply).await;
    }
}

/// The destination of the answer to one message.
struct PortReply {
    sender: PortSender,
    client: Option<PanelId>,
    /// Absent for notifications, which get no answer.
    id: Option<u64>,
}

impl Reply for PortReply {
    fn give<T: Serialize>(&self, outcome: Result<T, Fault>) {
        match (outcome, self.id) {
            (Ok(value), Some(id)) => self.sender.send(&Envelope::response(self.client.clone(), id, &value)),
            (Ok(_), None) => {}
            (Err(fault), _) => self.fail(fault),
        }
    }
}

impl PortReply {
    /// Refuses a request. Ignores a notification.
    fn refuse(&self, fault: impl FnOnce() -> Fault) {
        if self.id.is_some() {
            self.fail(fault());
        }
    }

    fn fail(&self, fault: Fault) {
        match self.id {
            Some(id) => self.sender.send(&Envelope::failure(self.client.clone(), Some(id), fault)),
            None => tracing::warn!(code = ?fault.code, "a notification was refused: {fault}"),
        }
    }
}
