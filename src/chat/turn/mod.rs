//! The life cycle of turns: a pure state machine, its types, its clock, and its approvals and questions.
//!
//! Owns every decision about a turn. Never does IO.

mod asking;
mod clock;
mod ending;
mod machine;
mod vocabulary;

pub(crate) use clock::TurnClock;
pub(super) use machine::{Machine, QUEUE_LIMIT};
pub(super) use vocabulary::Refusal;
pub use vocabulary::{ApprovalRequest, Effect, QuestionRequest, TurnEnd};
pub use vocabulary::{Event, Message};
