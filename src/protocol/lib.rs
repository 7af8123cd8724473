//! The wire between the panel and the daemon: every message, id, fault and limit, as types.
//!
//! Owns the types and their versions. Never does IO and knows nothing about the rest of the crate.
//! `extension/protocol.d.ts` is generated from these types (a test in `typescript.rs` keeps it up to date), and
//! `tests/golden` holds every message as JSON (`golden.rs`).

#![deny(clippy::print_stdout, clippy::print_stderr)]
#![warn(unreachable_pub)]

pub mod action;
pub mod activity;
pub mod agent_endpoint;
pub mod agents;
#[cfg(test)]
mod answers;
pub mod approval_link;
pub mod approval_notices;
pub mod audit;
pub mod basics;
pub mod catalogue;
pub mod cdp_endpoint;
pub mod chat;
pub mod chat_push;
pub mod chat_requests;
pub mod command;
pub mod control;
pub mod conversation;
pub mod decision;
pub mod declare;
pub mod driver;
pub mod effects;
pub mod elements;
pub mod evidence;
pub mod fault;
pub mod frame;
#[cfg(test)]
mod golden;
pub mod hello;
pub mod history;
pub mod hops;
pub mod ids;
pub mod keeper;
pub mod links;
pub mod methods;
pub mod page_context;
pub mod page_tool;
pub mod panel_key;
pub mod panels;
pub mod policy;
pub mod recorded;
pub mod relay;
pub mod remote;
pub mod rpc;
pub mod secret_text;
pub mod sentence;
pub mod settings;
pub mod sign_in;
pub mod status;
pub mod tabs;
pub mod tunnel;
pub mod turn;
#[cfg(test)]
mod typescript;
pub mod view;

/// The protocol version, compared on `hello`. The daemon supports this version and the one before it.
pub const PROTOCOL: u32 = 2;
/// The oldest protocol version that this daemon supports.
pub const PROTOCOL_OLDEST: u32 = 1;
/// The version shown to people, compared only to offer an update.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The id that the `key` in `extension/manifest.json` gives the extension on every machine. The key only fixes the id
/// and proves nothing: the proof is that Chrome starts the host only for that id.
pub const EXTENSION_ID: &str = "hmjooioflnjmgaipmokechimoabfkeji";

/// The extension's id in the Chrome Web Store; `None` until it is listed. Only the store holds its key. If it changes,
/// change `manifests/io.gstack.host.json` as well.
pub const STORE_EXTENSION_ID: Option<&str> = None;

/// Returns every id with which our extension connects to the native messaging host.
pub fn extension_ids() -> impl Iterator<Item = &'static str> {
    std::iter::once(EXTENSION_ID).chain(STORE_EXTENSION_ID)
}
