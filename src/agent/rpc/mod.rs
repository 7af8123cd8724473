//! JSON-RPC in lines, for agents that use it: Codex's app-server and all ACP agents.
//!
//! Owns the messages, the start and the running session. Each adapter interprets the methods: a [`protocol_handler::ProtocolHandler`] decides,
//! this module executes.

pub mod content;
pub mod message;
pub mod protocol_handler;
#[cfg(test)]
mod replay_tests;
pub mod rpc_session;
pub mod wire;

#[cfg(test)]
pub use replay_tests::{Entry, NoTools, ends, play, sample, steps, text_of, unknown};
