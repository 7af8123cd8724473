//! CDP endpoints: an address on 127.0.0.1 at which one DevTools client drives the tabs that it leases, and nothing else.
//!
//! Owns the listener, the DevTools messages of clients, and the filter that they pass. The engine registers a client as a
//! driver and leases it its tabs; `browser` gives it sessions of its own.

#![deny(clippy::print_stdout, clippy::print_stderr)]
#![warn(unreachable_pub)]

mod acting;
mod allowed;
mod browser_commands;
mod checks;
mod contexts;
mod downloads;
mod frames;
mod held_requests;
mod listener;
mod message;
mod own_names;
mod reports;
mod session;
mod tabs;
mod targets;

use gstack_engine::Engine;
use gstack_protocol::cdp_endpoint::{CdpOpen, CdpOpened};
use gstack_protocol::fault::{Fault, FaultCode};
use std::net::Ipv4Addr;
use std::ops::RangeInclusive;
use tokio::net::TcpListener;

/// How long a client may connect, in seconds: up to a week.
const TTL: RangeInclusive<u64> = 1..=7 * 24 * 60 * 60;

/// Creates an endpoint and listens for its client.
pub async fn open(engine: &Engine, open: CdpOpen) -> Result<CdpOpened, Fault> {
    if !TTL.contains(&open.ttl_seconds) {
        return Err(Fault::new(FaultCode::BadRequest, "an endpoint can stay open for one second to seven days")
            .hint("Give a time such as --ttl 10m or --ttl 8h."));
    }
    let no_port = |error: std::io::Error| {
        Fault::new(FaultCode::Conflict, format!("no port is free on 127.0.0.1: {error}"))
            .hint("Close programs that hold many ports.")
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(no_port)?;
    let port = listener.local_addr().map_err(no_port)?.port();
    let endpoint = engine.registrations().create_endpoint(open, port)?;
    let secret = endpoint.secret();
    let opened = CdpOpened {
        id: endpoint.id.clone(),
        url: format!("ws://127.0.0.1:{port}/devtools/browser/{secret}"),
        http_url: format!("http://127.0.0.1:{port}/{secret}"),
        expires_at: endpoint.expires_at,
    };
    engine.spawn_task(listener::run(engine.clone(), endpoint, listener));
    Ok(opened)
}
