//! The part of the DevTools protocol that gstack uses, one file per domain.
//!
//! Owns which requests gstack sends, and what it reads of replies and events. The requests are chromiumoxide's types,
//! which are generated from the protocol. Replies and events have types of gstack's own with only the fields that it
//! uses: chromiumoxide's require every field and know every word, so a newer or older browser would break them.
//! `tests/keeper/protocol.rs` compares every request with the browser's own protocol description. Calls nothing.
//!
//! Source: <https://chromedevtools.github.io/devtools-protocol/tot/>

// The types mirror the protocol's: that page documents each of them and its fields. Only what differs from it, and our
// own functions, are documented here.
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

use chromiumoxide_types::Method;
use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};

/// One request; it serializes to its parameters. `Method` names it: `Domain.name`.
pub trait Command: Method + Serialize {
    /// The type of its reply.
    type Response: DeserializeOwned;
}

/// A reply that is empty or not used.
pub type Done = IgnoredAny;

/// Exports requests of a domain, and says what is read of their replies: `NavigateParams => Navigated;`. A request that
/// chromiumoxide lacks has a type in this module, and its method name follows: `Enable => Done, "WebMCP.enable";`.
macro_rules! commands {
    ($protocol:ident::$domain:ident: $($request:ident => $response:ty;)+) => {
        pub use chromiumoxide_cdp::cdp::$protocol::$domain::{$($request),+};
        $(impl crate::devtools::Command for $request {
            type Response = $response;
        })+
    };
    ($($request:ident => $response:ty, $method:literal;)+) => {
        $(impl crate::devtools::Command for $request {
            type Response = $response;
        }
        impl chromiumoxide_types::Method for $request {
            fn identifier(&self) -> chromiumoxide_types::MethodId {
                $method.into()
            }
        })+
    };
}
use commands;
