//! JSON-RPC in lines, with agents that talk so: Codex's app-server and all that speak ACP.
//!
//! Owns the messages, the start and the running session. What a method means is its adapter's: a [`talk::Talk`]
//! decides, this carries out.

pub mod content;
pub mod message;
#[cfg(test)]
mod replay;
pub mod session;
pub mod talk;
pub mod wire;

#[cfg(test)]
pub use replay::{Entry, NoTools, ends, play, sample, steps, text_of, unknown};
