//! Waits for elements, loads, responses and conditions, and for a page to settle after an action.
//!
//! Owns the definition of when a page is ready. Never reads its content for a client.

mod conditions;
mod open_watch;
mod presence;
mod settle;
mod watch;

pub use conditions::Presence;
pub(in crate::page) use open_watch::Watch;
pub use presence::LoadState;
pub(in crate::page) use settle::{Settled, Settling, was_left};
