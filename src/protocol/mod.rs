//! The wire between the panel and the daemon: every message, id, fault and limit, as types.
//!
//! Owns the types and their versions. Never does IO and knows nothing about the rest of the crate.
//! `extension/protocol.d.ts` is generated from these types (a test in `typescript.rs` keeps it up to date), and
//! `tests/golden` holds every message as JSON (`golden.rs`).

pub(crate) mod action;
pub(crate) mod activity;
pub mod agents;
#[cfg(test)]
mod answers;
pub(crate) mod approval_link;
pub mod approval_notices;
pub(crate) mod audit;
pub(crate) mod basics;
pub(crate) mod catalogue;
pub(crate) mod cdp_endpoint;
pub mod chat;
pub(crate) mod chat_push;
pub(crate) mod chat_requests;
pub(crate) mod command;
pub(crate) mod control;
pub(crate) mod conversation;
pub(crate) mod decision;
pub(crate) mod declare;
pub(crate) mod driver;
pub mod effects;
pub(crate) mod elements;
pub(crate) mod evidence;
pub mod fault;
pub mod frame;
#[cfg(test)]
mod golden;
pub(crate) mod hello;
pub(crate) mod history;
pub(crate) mod hops;
pub mod ids;
pub mod keeper;
pub(crate) mod links;
pub(crate) mod methods;
pub(crate) mod page_context;
pub(crate) mod page_tool;
pub(crate) mod panel_key;
pub(crate) mod panels;
pub(crate) mod policy;
pub(crate) mod relay;
pub mod remote;
pub mod rpc;
pub mod secret_text;
pub(crate) mod sentence;
pub(crate) mod settings;
pub mod sign_in;
pub(crate) mod status;
pub mod tabs;
pub(crate) mod tunnel;
pub(crate) mod turn;
#[cfg(test)]
mod typescript;

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
