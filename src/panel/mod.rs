//! The panel's end of the wire: `panel.sock`, one connection a native messaging host.
//!
//! Owns frames, envelopes and dispatch by method. Never holds chat state: the engine does.

mod connection;
mod dispatch;
mod serve;

use crate::base::peer::Peer;
use crate::engine::Engine;
use std::time::Duration;
use tokio::net::{UnixListener, UnixStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long accepting rests after it failed: at once again would only burn the processor.
const ACCEPT_AGAIN: Duration = Duration::from_millis(500);

/// A process of our own user that no agent started: what panels may do belongs to the person.
fn host(stream: &UnixStream) -> Option<Peer> {
    Peer::of(stream).ok().filter(Peer::is_person)
}

/// Serves connections until shutdown; returns when the last of them has ended.
pub async fn serve(listener: UnixListener, engine: Engine, shutdown: CancellationToken) {
    let tasks = TaskTracker::new();
    loop {
        let accepted = tokio::select! {
            biased;
            () = shutdown.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) => match host(&stream) {
                Some(peer) => {
                    tasks.spawn(connection::run(stream, peer, engine.clone(), shutdown.clone()));
                }
                None => tracing::warn!("refused a process on the panel socket that is not a native host of the person"),
            },
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
    // From now on nobody connects to a daemon that ends: the next one is started instead.
    drop(listener);
    tasks.close();
    tasks.wait().await;
}
