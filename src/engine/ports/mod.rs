//! The native ports that are open: one a browser profile, each with its panels behind it.
//!
//! Owns who is connected, what each has said of itself, and the way back to them. Never reads a socket, and never knows
//! what a port's browser or its conversations are.

mod confirming;
mod echo;
mod error;
mod open;
mod push;

pub(super) use confirming::Proving;
pub use confirming::Standing;
pub(super) use open::{Missing, Port, Ports};
pub(super) use push::PanelSink;
pub use push::{PortId, PortSender};
