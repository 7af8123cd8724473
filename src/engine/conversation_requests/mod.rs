//! Requests of panels and terminals about conversations: messages, history, and the steps of a turn.
//!
//! The service `conversations` is the store; `conversation_task` runs the turns.

mod choosing;
pub(in crate::engine) mod earlier;
mod error;
mod history;
mod messages;
mod tab_set;
mod terminal;
mod turn_steps;

pub(in crate::engine) use turn_steps::Steps;
