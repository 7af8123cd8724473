//! The page of `gstack view`: the live picture of a tab, the steps, approvals with their buttons, and *Take over*.
//!
//! Owns the page's routes, its stream and its DevTools sessions. The engine owns who may open one (`Engine::views`); the daemon
//! serves the routes on its port, to processes of the person only. Never decides an approval and never writes down what the
//! person types.

#![deny(clippy::print_stdout, clippy::print_stderr)]
#![warn(unreachable_pub)]

mod access;
mod attached;
mod attaching;
mod input;
mod message;
mod outgoing;
mod shown_tab;
mod watching;

use access::{cookie_header, cookie_of};
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use bytes::Bytes;
use futures_util::stream;
use gstack_engine::{Engine, VIEW_PATH, View};
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::view::{ViewAct, ViewBegin, ViewConnect};
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Text that a person pastes.
const BODY_LIMIT: usize = 256 * 1024;
/// The most acts that wait while the page's task does one.
const MOST_ACTS: usize = 64;
/// The name of the page, which only the tab that opened the link knows.
const PAGE: &str = "x-gstack-view";

/// Returns the routes of the page. The daemon admits only the person's processes to them.
pub fn router() -> Router<Engine> {
    let path = |name: &str| format!("{VIEW_PATH}{name}");
    Router::new()
        .route(VIEW_PATH, get(access::page))
        .route(&path("/begin"), post(begin))
        .route(&path("/stream"), post(stream_of))
        .route(&path("/act"), post(act))
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .layer(axum::middleware::from_fn(access::guard))
}

/// A fault as the page reads it.
struct Refused(Fault);

impl From<Fault> for Refused {
    fn from(fault: Fault) -> Self {
        Self(fault)
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let Self(fault) = self;
        let status = match fault.code {
            FaultCode::NotFound => StatusCode::NOT_FOUND,
            FaultCode::Forbidden => StatusCode::FORBIDDEN,
            FaultCode::BadRequest => StatusCode::BAD_REQUEST,
            _ => StatusCode::CONFLICT,
        };
        let says = serde_json::json!({ "says": message::words_of(&fault) });
        (status, Json(says)).into_response()
    }
}

/// Opens the link with this secret. Its cookie is for this page alone.
async fn begin(State(engine): State<Engine>, Json(begin): Json<ViewBegin>) -> Result<Response, Refused> {
    let begun = engine.views().begin(&begin.secret)?;
    let cookie = [(header::SET_COOKIE, cookie_header(&begun.view.id, &begun.cookie))];
    Ok((cookie, Json(serde_json::json!({ "page": begun.page }))).into_response())
}

fn view_of(engine: &Engine, headers: &HeaderMap) -> Result<Arc<View>, Fault> {
    let page = headers.get(PAGE).and_then(|page| page.to_str().ok()).unwrap_or_default();
    engine.views().find(page, |id| cookie_of(headers, id))
}

/// Connects the page: an answer that goes on until either side ends it. It has what `message` writes.
///
/// It reads the whole body: if a part of a request is not read, hyper stops to read the connection, and would notice only with
/// the next message that the page has gone.
async fn stream_of(
    State(engine): State<Engine>,
    headers: HeaderMap,
    Json(connection): Json<ViewConnect>,
) -> Result<Response, Refused> {
    let view = view_of(&engine, &headers)?;
    let (acts, waiting) = mpsc::channel(MOST_ACTS);
    view.connect(connection, acts)?;
    // One message at a time: what is not sent yet is replaced by what is newer.
    let (out, messages) = mpsc::channel(1);
    engine.spawn_task(watching::run(engine.clone(), view, waiting, out));
    let body = stream::unfold(messages, |mut messages: mpsc::Receiver<Bytes>| async move {
        let message = messages.recv().await?;
        Some((Ok::<_, Infallible>(message), messages))
    });
    Ok(([(header::CONTENT_TYPE, "application/octet-stream")], Body::from_stream(body)).into_response())
}

/// Passes the person's acts to the page's task, in their order.
async fn act(
    State(engine): State<Engine>,
    headers: HeaderMap,
    Json(acts): Json<Vec<ViewAct>>,
) -> Result<StatusCode, Refused> {
    let to = view_of(&engine, &headers)?.acts();
    let gone = || Fault::new(FaultCode::Conflict, "the page is not connected").hint("Reload it.");
    let to = to.ok_or_else(gone)?;
    for act in acts {
        to.send(act).await.map_err(|_| gone())?;
    }
    Ok(StatusCode::NO_CONTENT)
}
