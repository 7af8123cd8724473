//! Requests for a session that gstack stopped waiting for.
//!
//! Owns finding the outcome of such a request. A Grid starts a session even for a client that has disconnected, and ends it only
//! if it notices that before it answers.

use super::error::RemoteError;
use super::grid::{Grid, SessionPath, at};
use super::grid_answers::{Enveloped, QueuedRequest};
use super::http::{Bounds, send};
use hyper::{Method, StatusCode};
use std::time::Duration;
use tokio::time::Instant;

/// The capability that names a request. The Grid shows it in its queue and with the session. Nodes are not matched by
/// capabilities of this prefix, and a Grid ignores those that it does not know.
pub(super) const NAME: &str = "se:gstackRequest";

const LOOK_AGAIN: Duration = Duration::from_millis(300);
/// For how long nothing may be seen of a request: on its way from the queue to a slot, and from a start that failed to the next
/// one, a Grid shows it nowhere.
const QUIET: Duration = Duration::from_secs(3);

/// Ends the session that a request has created, or returns when it can't create one any more: it is in no queue, and no start is
/// under way that could be its own. Where others start sessions all the time that may never be certain: the caller has a limit.
pub(super) async fn withdraw(grid: &Grid, name: &str) -> Result<(), RemoteError> {
    let mut seen = Instant::now();
    while seen.elapsed() < QUIET {
        // In this order: a request leaves the queue for a slot.
        if is_queued(grid, name).await? {
            seen = Instant::now();
        } else {
            let state = grid.state().await?;
            for session in state.sessions_with(NAME, name) {
                SessionPath::new(&grid.hub, session).delete().await?;
                seen = Instant::now();
            }
            if state.is_starting() {
                seen = Instant::now();
            }
        }
        tokio::time::sleep(LOOK_AGAIN).await;
    }
    Ok(())
}

/// A server without a queue has nothing in it.
async fn is_queued(grid: &Grid, name: &str) -> Result<bool, RemoteError> {
    let answer = send(&at(&grid.hub, "/se/grid/newsessionqueue/queue"), Method::GET, None, Bounds::default()).await?;
    if answer.status == StatusCode::NOT_FOUND {
        return Ok(false);
    }
    let queued: Enveloped<Vec<QueuedRequest>> =
        serde_json::from_slice(&answer.body).map_err(|_| grid.garbled("its queue has another form"))?;
    Ok(queued.value.iter().any(|request| request.asks_for(NAME, name)))
}
