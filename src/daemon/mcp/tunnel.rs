//! The socket of a tunnel: MCP for programs on another machine, whose connections arrive here through the person's ssh.
//!
//! Owns the socket, who may connect to it, and the registration that all of its connections share. Whatever arrives is MCP: no
//! route of the daemon can be reached from here, and each command goes to the daemon as one of this registered driver.

use super::registration::Registration;
use super::stdio::StdioTools;
use gstack_base::lineage::Lineage;
use gstack_base::peer::Peer;
use gstack_base::process::Process;
use gstack_client::http::{Client, Lines};
use gstack_protocol::command::CommandRequest;
use gstack_protocol::driver::{DriverBegin, DriverInfo, DriverLine};
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::tunnel::TunnelEnd;
use std::sync::Arc;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// The most connections at once. Each program on the other machine has one.
const MOST_CONNECTIONS: usize = 16;

/// An open tunnel.
pub struct Tunnel {
    pub info: DriverInfo,
    tools: StdioTools,
    lines: Lines,
    ended: CancellationToken,
}

impl Tunnel {
    /// Registers this process as the driver of the tunnel. Fails if the daemon refuses it or can't be reached.
    pub async fn open(client: &Client, begin: DriverBegin) -> Result<Self, Fault> {
        let cwd = begin.cwd.clone();
        let mut lines = client.stream("/driver", &begin).await?;
        let Some(DriverLine::Begun(info)) = lines.next().await? else {
            return Err(Fault::new(FaultCode::DaemonDown, "gstack ended before it registered this tunnel")
                .hint("Run it again."));
        };
        let ended = CancellationToken::new();
        let registration = Registration::begun(client.clone(), info.driver_id.clone(), ended.clone());
        let template = CommandRequest { cwd, for_model: true, ..CommandRequest::default() };
        let tools = StdioTools::of_tunnel(client.clone(), template, registration);
        Ok(Self { info, tools, lines, ended })
    }

    /// Serves the socket until the daemon ends the tunnel. Returns why, or `None` if the daemon itself has ended.
    pub async fn serve(self, listener: UnixListener) -> Option<TunnelEnd> {
        let Self { tools, mut lines, ended, .. } = self;
        let _ends_connections = ended.clone().drop_guard();
        let slots = Arc::new(Semaphore::new(MOST_CONNECTIONS));
        loop {
            tokio::select! {
                line = lines.next() => match line {
                    Ok(Some(DriverLine::TunnelEnded(end))) => return Some(end),
                    Ok(Some(_)) => {}
                    Ok(None) | Err(_) => return None,
                },
                accepted = listener.accept() => {
                    let Ok((stream, _)) = accepted else { continue };
                    // Beyond this, and for anyone else, the connection is closed.
                    let Ok(slot) = slots.clone().try_acquire_owned() else { continue };
                    let (tools, ended) = (tools.clone(), ended.clone());
                    tokio::spawn(async move {
                        tokio::select! {
                            () = connection(stream, tools) => {}
                            () = ended.cancelled() => {}
                        }
                        drop(slot);
                    });
                }
            }
        }
    }
}

async fn connection(stream: UnixStream, tools: StdioTools) {
    // Looking for ancestors reads files of each process.
    let peer = Peer::of(&stream).ok();
    if !peer.as_ref().is_some_and(is_admitted) {
        tracing::warn!("a process that is not the person's connected to a tunnel");
        return;
    }
    let (input, output) = stream.into_split();
    if let Err(error) = tools.serve_with(input, output).await {
        tracing::debug!(error, "a connection of a tunnel ended");
    }
}

/// Returns true for a process of the person, such as their ssh. What this process itself started is that too.
fn is_admitted(peer: &Peer) -> bool {
    let own = Process::find(gstack_base::process::own_pid());
    let is_ours = || own.is_some_and(|own| peer.descends_from_process(&own));
    peer.is_own_user() && (peer.lineage() == Lineage::Person || is_ours())
}
