//! JSON-RPC in lines, for agents that use it: Codex's app-server and all ACP agents.
//!
//! Owns the messages, the start and the running session. Each adapter interprets the methods: a [`protocol_handler::ProtocolHandler`] decides,
//! this module executes.

pub(crate) mod content;
pub(crate) mod message;
pub(crate) mod protocol_handler;
#[cfg(test)]
mod replay_tests;
pub(crate) mod rpc_session;
pub(crate) mod wire;

#[cfg(test)]
pub(crate) use replay_tests::{Entry, NoTools, ends, play, sample, steps, text_of, unknown};
