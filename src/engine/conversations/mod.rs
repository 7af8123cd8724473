//! The conversations: their store, the gates of their tasks, and which panels show which.
//!
//! Owns panel subscriptions, the list of conversations with its search and exports, and the folder of new ones. Never
//! decides what a turn does: the task does, which the engine starts.

mod call;
mod connected_from;
mod documents;
mod error;
mod gate;
mod gates;
mod listing;
mod pending;
mod service;
mod subscriptions;

pub(super) use call::{Learned, ToolCallName};
pub(super) use gate::{ConversationGate, Input, Start};
pub(super) use pending::{ApprovalAnswer, Pending, QuestionAnswers};
pub(crate) use service::Conversations;
pub(super) use service::persist;
