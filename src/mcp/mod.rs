//! MCP: the registry's commands as tools, over streamable HTTP for the agents of conversations, and on standard
//! input and output for any client that a person installs it in.
//!
//! Owns the protocol's side, by the official SDK. Never decides whether a tool may run: the engine's tools
//! ask the policy. Never checks the token: the HTTP guard has done so and put the conversation's tools into
//! the request.

mod answer;
mod server;
pub mod stdio;

use axum::Router;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use server::BrowserTools;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// An agent may be idle, or wait for a person's answer, for as long as settings let it; its token ends with it anyway.
/// This bounds what clients leave behind that go without a word.
const SESSION_KEPT: Duration = Duration::from_secs(24 * 60 * 60);

/// The endpoint as a router, to be guarded and merged into the whole one.
pub fn router(path: &str, shutdown: CancellationToken) -> Router {
    // An event without data, by which a stream may begin, is no JSON to Gemini CLI: it would go on without the tools.
    let config = StreamableHttpServerConfig::default().with_cancellation_token(shutdown).with_sse_retry(None);
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.sse_retry = None;
    sessions.session_config.keep_alive = Some(SESSION_KEPT);
    let service = StreamableHttpService::new(|| Ok(BrowserTools), Arc::new(sessions), config);
    Router::new().route_service(path, service)
}
