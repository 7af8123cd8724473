//! The activity log over HTTP: a page, a stream, and the refs of a tab's last snapshot.
//!
//! Owns the format of these answers. The engine has already redacted the entries.

use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use gstack_engine::{ACTIVITY_RING, Engine, Followed};
use gstack_protocol::activity::{ActivityEntry, ActivityId, ActivityPage};
use gstack_protocol::elements::Refs;
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::TabId;
use serde::Deserialize;
use serde_json::json;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;

/// A comment at this interval tells the client that its connection is alive.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// The start and the size of a page.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct After {
    /// The id of the last entry that the client has.
    #[serde(default)]
    after: Option<ActivityId>,
    /// The maximum number of entries.
    #[serde(default)]
    limit: Option<usize>,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "QueryOfTab"))]
#[serde(rename_all = "camelCase")]
pub(super) struct OfTab {
    /// If absent, the current tab.
    #[serde(default)]
    tab_id: Option<TabId>,
}

/// Serves `GET /activity/history?after=ID&limit=N` → `ActivityPage`.
pub(super) async fn history(engine: Engine, query: After) -> Result<ActivityPage, Fault> {
    let limit = query.limit.unwrap_or(ACTIVITY_RING).min(ACTIVITY_RING);
    Ok(engine.activity().page(query.after.unwrap_or_default(), limit))
}

/// Serves `GET /refs?tabId=N` → `Refs` of the last snapshot of the tab, or of the current tab if none is given.
pub(super) async fn refs(engine: Engine, of: OfTab) -> Result<Refs, Fault> {
    engine.elements().refs_of_tab(of.tab_id).await
}

/// Serves `GET /activity/stream?after=ID` (or `Last-Event-ID`): server-sent events. `activity` carries an entry, once
/// when it begins and again when it ends; `gap` says that entries before the next one are missing. A client that
/// resumes from an event's id misses no end.
pub(super) async fn stream(State(engine): State<Engine>, Query(query): Query<After>, headers: HeaderMap) -> Response {
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok()).and_then(|id| id.trim().parse().ok());
    let Followed { page, events } = engine.activity().follow(last.or(query.after).unwrap_or_default());
    let mut waiting: VecDeque<Event> = VecDeque::new();
    if page.gap {
        waiting.push_back(gap());
    }
    // The page is a snapshot: each of its events may be the last one that arrives.
    let mut settled = last.or(query.after).unwrap_or_default();
    let mut open = false;
    for entry in page.entries {
        open |= entry.duration_ms.is_none();
        settled = if open { settled } else { entry.id };
        waiting.push_back(activity(&entry, settled));
    }
    let ended = engine.ended();
    let state = Feed { engine, waiting, events, ended };
    let events = stream::unfold(state, |mut feed| async move {
        let event = feed.next().await?;
        Some((Ok::<_, Infallible>(event), feed))
    });
    Sse::new(events).keep_alive(KeepAlive::new().interval(HEARTBEAT).text("alive")).into_response()
}

struct Feed {
    engine: Engine,
    waiting: VecDeque<Event>,
    events: tokio::sync::broadcast::Receiver<ActivityEntry>,
    ended: CancellationToken,
}

impl Feed {
    async fn next(&mut self) -> Option<Event> {
        if let Some(event) = self.waiting.pop_front() {
            return Some(event);
        }
        tokio::select! {
            () = self.ended.cancelled() => None,
            entry = self.events.recv() => match entry {
                // Entries that began later follow this one in the stream.
                Ok(entry) => Some(activity(&entry, self.engine.activity().settled().min(entry.id))),
                Err(RecvError::Lagged(_)) => Some(gap()),
                Err(RecvError::Closed) => None,
            },
        }
    }
}

fn activity(entry: &ActivityEntry, settled: ActivityId) -> Event {
    // Our own types always serialize to JSON.
    let data = serde_json::to_string(entry).unwrap_or_default();
    Event::default().event("activity").id(settled.to_string()).data(data)
}

fn gap() -> Event {
    Event::default().event("gap").data(json!({ "gap": true }).to_string())
}
