//! The MCP endpoint: the registry's commands as tools for agents, over streamable HTTP.
//!
//! Owns the protocol's side (by the official SDK) and the check of the token, which is one conversation's
//! and dies with its agent. Never decides whether a tool may run: the engine's tools ask the policy.

mod server;

use crate::engine::Engine;
use crate::http::bearer;
use crate::protocol::fault::FaultCode;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use server::BrowserTools;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Where the endpoint lies on the port.
pub const PATH: &str = "/mcp";

/// The endpoint as a router, to be merged into the whole one.
pub fn router(engine: Engine, shutdown: CancellationToken) -> Router {
    let config = StreamableHttpServerConfig::default().with_cancellation_token(shutdown);
    let service =
        StreamableHttpService::new(|| Ok(BrowserTools), Arc::new(LocalSessionManager::default()), config);
    Router::new().nest_service(PATH, service).layer(from_fn_with_state(engine, authenticate))
}

/// Finds the conversation by its token and hands its tools to the server.
async fn authenticate(State(engine): State<Engine>, mut request: Request, next: Next) -> Response {
    if request.headers().contains_key(axum::http::header::ORIGIN) {
        return (StatusCode::FORBIDDEN, "requests of web pages are refused").into_response();
    }
    let tools = bearer(request.headers()).and_then(|token| engine.tools_of_token(token));
    match tools {
        Some(tools) => {
            request.extensions_mut().insert(tools);
            next.run(request).await
        }
        None => {
            tracing::warn!(code = ?FaultCode::Forbidden, "an MCP request without a valid token was refused");
            (StatusCode::UNAUTHORIZED, "the token is missing, wrong, or its agent has ended").into_response()
        }
    }
}
