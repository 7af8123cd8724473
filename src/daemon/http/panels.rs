//! Routes for the browsers whose side panels are confirmed.
//!
//! Owns the routes, which are in the person's ring.

use super::route::{Route, get, post};
use gstack_engine::Engine;
use gstack_protocol::panel_key::{PanelConfirm, PanelForget};

pub(super) fn routes() -> Vec<Route> {
    vec![
        get("/panels", "The browsers whose panels are known", |engine: Engine| async move {
            Ok(engine.panel_keys().known())
        }),
        post("/panels/confirm", "Confirms a browser by its code", |engine: Engine, confirm: PanelConfirm| async move {
            engine.panel_keys().confirm(&confirm.code)
        }),
        post("/panels/forget", "Forgets a confirmed browser", |engine: Engine, forget: PanelForget| async move {
            engine.panel_keys().forget(&forget.id)
        }),
    ]
}
