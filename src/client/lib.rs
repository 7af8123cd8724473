//! The connection of a short-lived process (CLI, native host) to the daemon.
//!
//! Owns finding, starting and calling the daemon. Has no state of its own.

#![deny(clippy::print_stdout, clippy::print_stderr)]
#![warn(unreachable_pub)]

pub mod agent_relay;
pub mod direct;
pub mod ending;
pub mod events;
pub mod http;
mod newer;
pub mod start;
pub mod upgrade;
