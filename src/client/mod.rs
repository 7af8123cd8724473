//! The connection of a short-lived process (CLI, native host) to the daemon.
//!
//! Owns finding, starting and calling the daemon. Has no state of its own.

pub(crate) mod direct;
pub(crate) mod ending;
pub(crate) mod events;
pub(crate) mod http;
mod newer;
pub mod start;
pub(crate) mod upgrade;
