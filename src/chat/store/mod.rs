//! The conversations of a home on disk: loaded, listed, searched, attached files, deleted.
//!
//! Owns the folders of conversations. Never runs a turn.

mod conversations;
pub mod files;
mod listing;
mod search;
#[cfg(test)]
mod search_cost;
pub mod session;
mod trash;

pub use conversations::{NewConversation, Store};
pub(super) use files::Part;
pub(super) use session::{FolderUse, Record, TabKey};
