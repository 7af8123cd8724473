//! The panel's end of the wire: `panel.sock`, one connection a native messaging host.
//!
//! Owns frames, envelopes and dispatch by method. Never holds chat state: the engine does.

mod connection;
mod dispatch;

use crate::base::peer::Peer;
use crate::engine::Engine;
use crate::engine::lineage::{self, Lineage};
use std::time::Duration;
use tokio::net::{UnixListener, UnixStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long accepting rests after it failed: at once again would only burn the processor.
const ACCEPT_AGAIN: Duration = Duration::from_millis(500);

/// A process of our own user that no agent started: what panels may do belongs to the person.
fn is_host(stream: &UnixStream) -> bool {
    Peer::of(stream)
        .is_ok_and(|peer| peer.is_own_user() && peer.pid.is_none_or(|pid| lineage::of(pid) == Lineage::Person))
}

/// Serves connections until shutdown; returns when the last of them has ended.
pub async fn serve(listener: UnixListener, engine: Engine, shutdown: CancellationToken) {
    let tasks = TaskTracker::new();
    loop {
        let accepted = tokio::select! {
            () = shutdown.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) if is_host(&stream) => {
                tasks.spawn(connection::run(stream, engine.clone(), shutdown.clone()));
            }
            Ok(_) => tracing::warn!("a process that is no native host of ours was turned away from the panel socket"),
            Err(error) => {
                // Out of file descriptors: what is open goes on. Nothing tells when one is free, so it is asked again.
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::select! {
                    () = shutdown.cancelled() => break,
                    () = tokio::time::sleep(ACCEPT_AGAIN) => {}
                }
            }
        }
    }
    tasks.close();
    tasks.wait().await;
}
