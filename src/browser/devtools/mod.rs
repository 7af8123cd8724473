//! The part of the DevTools protocol that gstack uses: its commands, with the fields that are sent and read.
//!
//! Owns the types and the method names, one file per domain. Replies are parsed leniently: a field that a newer or
//! older browser lacks matters only where it is used. `tests/keeper/protocol.rs` compares every command with the
//! browser's own protocol description. Calls nothing.
//!
//! Source: <https://chromedevtools.github.io/devtools-protocol/tot/>

// The types mirror the protocol's, under the names of its methods: that page documents each of them and its fields.
// Only what differs from it, and our own functions, are documented here.
#![allow(missing_docs)]

pub mod browser;
pub mod dom;
pub mod emulation;
pub mod extensions;
pub mod fetch;
pub mod heap_profiler;
pub mod input;
pub mod network;
pub mod page;
pub mod runtime;
pub mod service_worker;
pub mod target;
pub mod web_mcp;

use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};

/// One command; it serializes to its parameters.
pub trait Command: Serialize {
    /// The type of its reply.
    type Response: DeserializeOwned;
    /// Returns the method name: `Domain.name`.
    fn method(&self) -> &'static str;
}

/// A reply that is empty or not used.
pub type Done = IgnoredAny;

/// Maps commands to their replies and method names: `Navigate => Navigated, "Page.navigate";`.
macro_rules! commands {
    ($($command:ty => $response:ty, $method:literal;)+) => {
        $(impl crate::devtools::Command for $command {
            type Response = $response;
            fn method(&self) -> &'static str {
                $method
            }
        })+
    };
}
use commands;
