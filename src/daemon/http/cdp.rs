//! The routes of CDP endpoints: opening, listing and ending them. For the person alone.
//!
//! Owns the list of them. `gstack_cdp` serves their clients, on ports of their own.

use super::route::{Route, get, post};
use gstack_engine::Engine;
use gstack_protocol::cdp_endpoint::{CdpEndpoints, CdpOpen, CdpRevoke};

pub(super) fn routes() -> Vec<Route> {
    vec![
        post("/cdp/open", "Opens a CDP endpoint for one client", |engine: Engine, open: CdpOpen| async move {
            gstack_cdp::open(&engine, open).await
        }),
        get("/cdp", "The CDP endpoints that are waiting for a client or in use", |engine: Engine| async move {
            Ok(CdpEndpoints { endpoints: engine.registrations().cdp_endpoints() })
        }),
        post(
            "/cdp/revoke",
            "Revokes a CDP endpoint and closes its connection, or all of them",
            |engine: Engine, revoke: CdpRevoke| async move { engine.registrations().revoke_endpoint(&revoke) },
        ),
    ]
}
