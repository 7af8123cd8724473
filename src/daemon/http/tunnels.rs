//! The routes of tunnels: listing and ending them. For the person alone. A tunnel begins as a driver (`/driver`).
//!
//! Owns the list of them.

use super::route::{Route, get, post};
use gstack_engine::Engine;
use gstack_protocol::tunnel::TunnelRevoke;

pub(super) fn routes() -> Vec<Route> {
    vec![
        get("/tunnels", "The tunnels to other machines", |engine: Engine| async move {
            Ok(engine.registrations().tunnels())
        }),
        post("/tunnels/revoke", "Ends a tunnel, or all of them", |engine: Engine, revoke: TunnelRevoke| async move {
            engine.registrations().revoke_tunnel(&revoke)
        }),
    ]
}
