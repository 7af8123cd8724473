//! Requests for a session whose answer was not waited for.
//!
//! Owns how it is found out what became of one. A Grid starts a session also for a client that has left, and ends it again only
//! if it notices that before it answers.

use super::error::RemoteError;
use super::grid::{Grid, SessionPath, at};
use super::grid_answers::{Enveloped, QueuedRequest, is_id};
use super::http::{Bounds, send};
use hyper::{Method, StatusCode};
use std::collections::BTreeSet;
use std::time::Duration;

/// The capability that names a request. The Grid shows it in its queue and with the session. Nodes are not matched by
/// capabilities of this prefix, and a Grid ignores those that it does not know.
pub(super) const NAME: &str = "se:gstackRequest";

const LOOK_AGAIN: Duration = Duration::from_millis(300);

/// Ends the session that a request has created, or returns when it can't create one any more: it is in no queue, and every start
/// that was under way then is over. Nobody waits here for ever: the caller has a limit.
pub(super) async fn withdraw(grid: &Grid, name: &str) -> Result<(), RemoteError> {
    let mut starts: Option<BTreeSet<(String, String)>> = None;
    loop {
        // In this order: a request leaves the queue for a slot.
        if !is_queued(grid, name).await? {
            let state = grid.state().await?;
            if let Some(session) = state.sessions_with(NAME, name).find(|id| is_id(id)) {
                return SessionPath::new(&grid.hub, session).delete().await;
            }
            let now = state.starting();
            let starts = starts.get_or_insert_with(|| now.clone());
            starts.retain(|start| now.contains(start));
            if starts.is_empty() {
                return Ok(());
            }
        }
        tokio::time::sleep(LOOK_AGAIN).await;
    }
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
