//! Everything about a conversation except the IO to agents and browsers: the turn state machine, the journal, the
//! pushes to panels, and the conversations of a home.
//!
//! Has no tasks and never waits: the methods are synchronous and cheap, under small locks. The engine drives them.

mod compaction;
pub mod conversation;
pub(crate) mod error;
pub(crate) mod evidence;
pub(crate) mod export;
pub(crate) mod feed;
pub(crate) mod journal;
mod metadata;
pub(crate) mod panels;
mod state;
pub mod store;
pub(crate) mod turn;

pub use compaction::Compacted;
pub use conversation::{BlockKind, Conversation, Handled, SendAnswer};
pub(crate) use error::ChatError;
pub(crate) use feed::{Push, Sink};
pub(crate) use metadata::WorkFolder;
pub(crate) use panels::Subscription;
pub use store::Store;
pub use store::session_file;
pub(crate) use turn::Effect;
pub use turn::{Event, Message};
