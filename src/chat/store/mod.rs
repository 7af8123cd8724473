//! The conversations of a home on disk: loaded, listed, searched, attached files, deleted.
//!
//! Owns the folders of conversations. Never runs a turn.

mod branches;
mod conversations;
mod detached;
pub mod files;
mod listing;
mod search;
#[cfg(test)]
mod search_cost;
pub mod session_file;
mod tabs;
mod trash;

pub use branches::{Branch, NewBranch};
pub use conversations::{NewConversation, Store};
pub(super) use files::Part;
pub(super) use session_file::{FolderUse, Record, TabKey};
