//! The life cycle of turns: a pure state machine, its types, its clock, and its approvals and questions.
//!
//! Owns every decision about a turn. Never does IO.

mod asking;
mod clock;
mod ending;
mod machine;
mod vocabulary;

pub(in crate::chat) use clock::TurnClock;
pub use machine::{ApprovalRequest, Effect, Event, Message, QuestionRequest, TurnEnd};
pub(super) use machine::{Machine, QUEUE_LIMIT, Refusal};
