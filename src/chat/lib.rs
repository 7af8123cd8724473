//! Everything about a conversation except the IO to agents and browsers: the turn state machine, the journal, the
//! pushes to panels, and the conversations of a home.
//!
//! Has no tasks and never waits: the methods are synchronous and cheap, under small locks. The engine drives them.

#![deny(clippy::print_stdout, clippy::print_stderr)]
#![warn(unreachable_pub)]

mod compaction;
pub mod conversation;
pub mod error;
pub mod evidence;
pub mod export;
pub mod feed;
pub mod journal;
mod metadata;
pub mod panels;
mod state;
pub mod store;
pub mod turn;

pub use compaction::Compacted;
pub use conversation::{BlockKind, Conversation, Handled, SendAnswer};
pub use error::ChatError;
pub use feed::{Push, Sink};
pub use metadata::WorkFolder;
pub use panels::Subscription;
pub use store::Store;
pub use store::session_file;
pub use turn::Effect;
pub use turn::{Event, Message};
