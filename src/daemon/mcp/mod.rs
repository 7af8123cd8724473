//! MCP: the registry's commands as tools, over streamable HTTP for the agents of conversations, and on standard input
//! and output for any client in which a person installs it.
//!
//! Owns the protocol, through the official SDK. Never decides whether a tool may run: the engine's tools ask the
//! policy. Never checks the token: the HTTP guard has checked it and attached the conversation's tools to the request.

mod answer;
mod batches;
mod clients;
mod hints;
mod lines;
mod list_changes;
mod malformed;
mod progress;
mod registration;
mod server;
mod sessions;
pub mod stdio;
pub mod tunnel;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{Method, StatusCode, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use gstack_base::home::Home;
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use server::BrowserTools;
use sessions::AgentSessions;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// An agent may be idle, or wait for a person's answer, for as long as the settings allow; its session ends with its
/// token anyway. This limit is for clients that disappear without closing their session.
const SESSION_KEPT: Duration = Duration::from_secs(24 * 60 * 60);

/// A client may request an answer again after its stream broke. On loopback it retries at once.
const ANSWER_KEPT: Duration = Duration::from_secs(1);

const SESSION_HEADER: &str = "mcp-session-id";

/// In bytes. An agent's tool calls are short.
const LARGEST_MESSAGE: usize = 4 * 1024 * 1024;

/// Returns the endpoint as a router, which the caller must guard.
pub fn router(path: &str, shutdown: CancellationToken, home: Home) -> Router {
    router_of(path, shutdown, move || BrowserTools::new(home.clone()))
}

/// Returns an endpoint whose sessions have another handler: the transport and its checks without the browser.
pub fn router_of<H: ServerHandler>(
    path: &str,
    shutdown: CancellationToken,
    handler: impl Fn() -> H + Send + Sync + 'static,
) -> Router {
    // Gemini CLI fails to parse an event without data at the start of a stream as JSON, and would continue without the
    // tools.
    let config = StreamableHttpServerConfig::default().with_cancellation_token(shutdown).with_sse_retry(None);
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.sse_retry = None;
    sessions.session_config.keep_alive = Some(SESSION_KEPT);
    sessions.session_config.completed_cache_ttl = ANSWER_KEPT;
    let sessions = Arc::new(sessions);
    let service = StreamableHttpService::new(move || Ok(handler()), sessions.clone(), config);
    Router::new()
        .route_service(path, service)
        .layer(from_fn_with_state(AgentSessions::new(sessions), AgentSessions::follow))
        .layer(from_fn(refuse_malformed))
}

/// Answers a message that is not an MCP request with a JSON-RPC error.
async fn refuse_malformed(request: Request, next: Next) -> Response {
    if request.method() != Method::POST {
        return next.run(request).await;
    }
    let (head, body) = request.into_parts();
    let (status, answer) = match to_bytes(body, LARGEST_MESSAGE).await {
        Err(_) => (StatusCode::PAYLOAD_TOO_LARGE, malformed::Answer::too_long()),
        Ok(message) => match malformed::answer_to(&message) {
            None => return next.run(Request::from_parts(head, Body::from(message))).await,
            // Clients read the body only if the status is a success.
            Some(answer) if answer.is_about_params() => (StatusCode::OK, answer),
            Some(answer) => (StatusCode::BAD_REQUEST, answer),
        },
    };
    (status, [(header::CONTENT_TYPE, "application/json")], answer.to_json()).into_response()
}
