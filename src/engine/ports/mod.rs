//! The open native ports: one per browser profile, each with its panels.
//!
//! Owns who is connected, what each has reported about itself, and their senders. Never reads a socket, and knows
//! nothing of browsers or conversations.

mod confirming;
mod echo;
mod error;
mod open;
mod push;

pub use confirming::PortState;
pub(super) use confirming::Proving;
pub(super) use open::{Missing, Port, Ports};
pub(super) use push::PanelSink;
pub use push::{PortId, PortSender};
