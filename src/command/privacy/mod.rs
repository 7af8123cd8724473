//! What commands must not reach or record: closed paths, metadata addresses, secrets.
//!
//! Owns the rules. The commands and the engine apply them.

mod closed_paths;
pub(super) mod filled;
pub mod path_guard;
pub mod redaction;
pub(super) mod secrets;
pub mod shared_text;
pub mod tool_arguments;
pub mod upload_copies;
pub mod url_guard;
