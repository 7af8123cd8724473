//! `notifications/tools/list_changed`: the page in the client's tab offers other tools.
//!
//! Owns the notification. `answer::versions` are those whose clients take it.

use gstack_engine::PageToolOffer;
use rmcp::RoleServer;
use rmcp::service::Peer;
use std::sync::Arc;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// Notifies a client that its list of tools changed. Returns false if this client gets no notifications.
pub(super) async fn tell(peer: &Peer<RoleServer>) -> bool {
    match peer.notify_tool_list_changed().await {
        Ok(()) => true,
        Err(error) => {
            tracing::debug!(%error, "the MCP client was not told that its tools changed");
            false
        }
    }
}

/// Notifies a client of each change until its agent or session ends. `lives` is closed with the session.
pub(super) async fn follow(
    mut offers: watch::Receiver<Arc<Vec<PageToolOffer>>>,
    peer: Peer<RoleServer>,
    ended: CancellationToken,
    mut lives: watch::Receiver<()>,
) {
    loop {
        tokio::select! {
            () = ended.cancelled() => return,
            _ = lives.changed() => return,
            changed = offers.changed() => {
                offers.mark_unchanged();
                if changed.is_err() || !tell(&peer).await {
                    return;
                }
            }
        }
    }
}
