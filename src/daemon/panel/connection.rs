//! The connection of one native messaging host: its preamble, then messages until it ends.
//!
//! Owns reading and writing. Data for a slow panel is bounded: chat by its window, everything else by the bound in
//! `engine/ports/push.rs`, above which the connection is closed and the panel reconnects.

use super::dispatch;
use futures_util::{SinkExt, StreamExt};
use gstack_base::peer::Peer;
use gstack_engine::{Engine, PortSender};
use gstack_protocol::catalogue;
use gstack_protocol::fault::{Fault, FaultCode, Hop};
use gstack_protocol::frame::FrameCodec;
use gstack_protocol::hello::HostPreamble;
use gstack_protocol::rpc::Envelope;
use std::time::Duration;
use tokio::net::UnixStream;
use tokio::sync::mpsc;
use tokio_util::codec::{FramedRead, FramedWrite};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// A host sends its preamble at once; a client that does not is not our host.
const PREAMBLE_LIMIT: Duration = Duration::from_secs(5);

pub(super) async fn run(stream: UnixStream, peer: Peer, engine: Engine, shutdown: CancellationToken) {
    let (read, write) = stream.into_split();
    let mut incoming = FramedRead::new(read, FrameCodec::host_side());
    let mut outgoing = FramedWrite::new(write, FrameCodec::host_side());
    let preamble: HostPreamble = match tokio::time::timeout(PREAMBLE_LIMIT, incoming.next()).await {
        Ok(Some(Ok(frame))) => match serde_json::from_slice(&frame) {
            Ok(preamble) => preamble,
            Err(error) => {
                let fault =
                    Fault::new(FaultCode::ProtocolMismatch, catalogue::HOST_UNREADABLE.with([&error.to_string()]))
                        .hint(catalogue::HOST_UNREADABLE_NEXT)
                        .command("gstack install-host")
                        .at(Hop::Host);
                // Sent in case it is still listening.
                outgoing.send(Envelope::notification(None, "fault", &fault).encode()).await.ok();
                return;
            }
        },
        _ => return,
    };

    let (sender, mut queue) = mpsc::unbounded_channel();
    let closed = CancellationToken::new();
    let sender = PortSender::new(sender, closed.clone());
    let port = engine.panels().port_opened(preamble, Some(peer.clone()), sender.clone());
    let tasks = TaskTracker::new();
    let written = sender.clone();
    let writer = async {
        while let Some(message) = queue.recv().await {
            let size = Vec::len(&message);
            if let Err(error) = outgoing.send(message).await {
                tracing::debug!(%error, "a host stopped reading");
                break;
            }
            written.written(size);
        }
    };
    let reader = async {
        while let Some(frame) = incoming.next().await {
            // Data after the host's end comes from another process that holds its connection.
            if !peer.is_person() {
                tracing::warn!("the host has ended and another process goes on with its connection: closed");
                break;
            }
            match frame {
                Ok(frame) => dispatch::message(&engine, port, &sender, &tasks, &frame).await,
                Err(error) => {
                    tracing::warn!(%error, "a host sent what is not a frame");
                    let fault = Fault::new(FaultCode::BadRequest, error.to_string()).at(Hop::Host);
                    sender.send(&Envelope::notification(None, "fault", &fault));
                    break;
                }
            }
        }
    };
    tokio::select! {
        () = reader => {}
        () = writer => {}
        () = closed.cancelled() => {}
        () = shutdown.cancelled() => {}
    }
    engine.panels().port_closed(port);
    // Running requests have no one to answer; they complete anyway.
    tasks.close();
}
