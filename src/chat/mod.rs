//! Everything about a conversation except the IO to agents and browsers: the turn state machine, the journal, the
//! pushes to panels, and the conversations of a home.
//!
//! Has no tasks and never waits: the methods are synchronous and cheap, under small locks. The engine drives them.

pub mod conversation;
pub mod error;
pub mod export;
pub mod feed;
pub mod journal;
mod metadata;
pub mod panels;
pub mod route;
mod state;
pub mod store;
pub mod turn;

pub use conversation::{BlockKind, Compacted, Conversation, Handled, SendAnswer};
pub use error::ChatError;
pub use feed::{Push, Sink};
pub use journal::{read, recover};
pub use metadata::Place;
pub use panels::Subscription;
pub use store::Store;
pub use store::{files, session};
pub use turn::{Effect, Event, Message, TurnEnd};
