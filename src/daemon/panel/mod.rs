//! The server for panels: `panel.sock`, with one connection per native messaging host.
//!
//! Owns frames, envelopes and dispatch by method. Never holds chat state: the engine does.

mod connection;
mod dispatch;
mod serve;

use gstack_base::peer::Peer;
use gstack_engine::Engine;
use std::time::Duration;
use tokio::net::{UnixListener, UnixStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The delay after a failed accept, because retrying at once would only use the CPU.
const ACCEPT_AGAIN: Duration = Duration::from_millis(500);

/// Returns the peer if it is a process of our own user that no agent started, because only the person may act as a
/// panel.
fn host(stream: &UnixStream) -> Option<Peer> {
    Peer::of(stream).ok().filter(Peer::is_person)
}

/// Serves connections until shutdown. Returns when the last of them has ended.
pub(crate) async fn serve(listener: UnixListener, engine: Engine, shutdown: CancellationToken) {
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
                // Out of file descriptors: open connections continue. No event reports a free one, so retry after a
                // delay.
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::select! {
                    () = shutdown.cancelled() => break,
                    () = tokio::time::sleep(ACCEPT_AGAIN) => {}
                }
            }
        }
    }
    // From here on no client can connect to the ending daemon: a new daemon starts instead.
    drop(listener);
    tasks.close();
    tasks.wait().await;
}
