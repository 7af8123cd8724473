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
use tokio_util::sync::CancellationToken;

/// The endpoint as a router, to be guarded and merged into the whole one.
pub fn router(path: &str, shutdown: CancellationToken) -> Router {
    let config = StreamableHttpServerConfig::default().with_cancellation_token(shutdown);
    let service = StreamableHttpService::new(|| Ok(BrowserTools), Arc::new(LocalSessionManager::default()), config);
    Router::new().route_service(path, service)
}
