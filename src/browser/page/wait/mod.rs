//! Waits for elements, loads, responses and conditions, and for a page to settle after an action.
//!
//! Owns the definition of when a page is ready. Never reads its content for a client.

mod conditions;
mod open_watch;
mod presence;
mod settle;
mod watch;

pub(crate) use conditions::Presence;
pub(in crate::browser::page) use open_watch::Watch;
pub(crate) use presence::LoadState;
pub(in crate::browser::page) use settle::{Settled, Settling, was_left};
