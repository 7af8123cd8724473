//! The routes of `gstack view` for the terminal: creating a link and ending them all. For the person alone.
//!
//! Owns the list of them. `gstack_view` serves the page that a link opens.

use super::route::{Route, post, tell};
use gstack_engine::Engine;
use gstack_protocol::view::ViewOpen;

pub(super) fn routes() -> Vec<Route> {
    vec![
        post(
            "/view/open",
            "Creates a one-time link to a page that shows a browser live",
            |engine: Engine, open: ViewOpen| async move { engine.views().open(open) },
        ),
        tell("/view/end", "Ends every such link and every page that one opened", |engine: Engine| async move {
            engine.views().end()
        }),
    ]
}
