//! What commands must not reach or record: closed paths, metadata addresses, secrets.
//!
//! Owns the rules. The commands and the engine apply them.

mod closed_paths;
pub(super) mod filled;
pub(crate) mod path_guard;
pub(crate) mod redaction;
pub(super) mod secrets;
pub(crate) mod shared_text;
pub(crate) mod tool_arguments;
pub(crate) mod url_guard;
