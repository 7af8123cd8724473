//! The wire between the panel and the daemon: every message, id, fault and limit, as types.
//!
//! Owns the shapes and their versions. Never does IO and knows nothing of the rest of the crate.
//! `extension/protocol.d.ts` is generated from these types (`tests/protocol.rs` holds it in step).

pub mod agents;
pub mod chat;
pub mod command;
pub mod fault;
pub mod frame;
pub mod hello;
pub mod ids;
pub mod keeper;
pub mod methods;
pub mod rpc;
pub mod tabs;

/// The protocol number, compared on `hello`; the daemon serves this one and the one before it.
pub const PROTOCOL: u32 = 1;
/// The oldest protocol number that this daemon still serves.
pub const PROTOCOL_OLDEST: u32 = 1;
/// The release, shown to people and compared only to offer an update.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
