//! JSON-RPC in lines, for agents that use it: Codex's app-server and all ACP agents.
//!
//! Owns the messages, the start and the running session. Each adapter interprets the methods: a [`talk::Talk`] decides,
//! this module executes.

pub mod content;
pub mod message;
#[cfg(test)]
mod replay;
pub mod session;
pub mod talk;
pub mod wire;

#[cfg(test)]
pub use replay::{Entry, NoTools, ends, play, sample, steps, text_of, unknown};
