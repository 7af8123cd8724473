//! Everything of a conversation but the IO to agents and browsers: the turn state machine, the journal,
//! what panels are sent, and the conversations of a home.
//!
//! No tasks and no waiting here: the methods are synchronous and cheap, under small locks. The engine drives them.

mod about;
mod compact;
pub mod conversation;
mod ending;
pub mod error;
pub mod export;
pub mod feed;
pub mod files;
pub mod journal;
mod line;
mod listing;
pub mod markdown;
pub mod panels;
pub mod read;
pub mod recover;
pub mod route;
mod search;
mod sent_index;
pub mod session;
mod state;
pub mod store;
mod trash;
pub mod turn;
mod turn_asking;
mod turn_clock;
mod vocabulary;

pub use about::Place;
pub use conversation::{BlockKind, Compacted, Conversation, Handled, SendAnswer};
pub use error::ChatError;
pub use feed::{Push, Sink};
pub use panels::Subscription;
pub use store::Store;
pub use turn::{Effect, Event, Message, TurnEnd};
