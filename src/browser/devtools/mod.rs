//! The part of the DevTools protocol that is used: its commands, with the fields that are sent and read.
//!
//! Owns the shapes and the names of the methods, a file each domain. Replies are read leniently: a field that a newer or
//! older browser lacks matters only where it is used. `tests/keeper/protocol.rs` compares every command with the
//! browser's own description of its protocol. Calls nothing.
//!
//! Source: <https://chromedevtools.github.io/devtools-protocol/tot/>

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
pub mod target;

use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};

/// One command: it is written as its parameters.
pub trait Command: Serialize {
    /// What its reply is read as.
    type Response: DeserializeOwned;
    /// `Domain.name`.
    fn method(&self) -> &'static str;
}

/// A reply that says nothing, or nothing that is used.
pub type Done = IgnoredAny;

/// Gives commands their names and replies: `Navigate => Navigated, "Page.navigate";`.
macro_rules! commands {
    ($($command:ty => $response:ty, $method:literal;)+) => {
        $(impl crate::browser::devtools::Command for $command {
            type Response = $response;
            fn method(&self) -> &'static str {
                $method
            }
        })+
    };
}
use commands;
