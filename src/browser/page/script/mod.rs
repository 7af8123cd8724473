//! Scripts in a page: the injected script in its own world, calls of its functions, and a client's expressions.
//!
//! Owns the injection into a frame and the parsing of replies.

mod client_script;
pub(super) mod devtools;
mod evaluate;
mod init_script;
mod injected;
mod injection;

pub use client_script::ScriptValue;
pub(in crate::page) use devtools::{LIMIT, call, tell};
pub(in crate::page) use evaluate::{Argument, not_told, script_in};
pub(in crate::page) use injected::{FaultKind, Guarded, Injected};
pub(super) use injection::WORLD;
pub use injection::early_script;
