//! The HTTP server: one router, served on `http.sock` for our own clients and on 127.0.0.1 for scripts.
//!
//! Owns routes, their guard and the format of answers. Never does a command's work: the engine does.

mod activity;
mod answer;
mod approval_link;
mod auth;
mod caller;
mod cdp;
mod commands;
mod connection_slots;
mod conversations;
mod guard;
mod headers;
mod listen;
#[cfg(test)]
mod openapi;
mod panels;
mod route;
mod routes;
mod stream;
mod tunnels;
mod views;
mod welcome;

pub(crate) use guard::Access;

/// Returns true if the port's guard passes a request with these headers to the token check.
pub fn lets_in(headers: &axum::http::HeaderMap) -> bool {
    let nowhere = std::net::SocketAddr::from(([127, 0, 0, 1], 0));
    let caller = caller::Caller::Port(caller::PortPeer::new(nowhere, nowhere));
    headers::check(&caller, &axum::http::Uri::from_static("/"), headers, false).is_ok()
}
pub(crate) use listen::{bind_port, serve_port, serve_socket};
pub(crate) use routes::router;
