//! What panels and terminals ask of conversations: messages, approvals, history, and the steps of a turn.
//!
//! The store is the service `conversations`; the task of a turn is `runner`.

mod approvals;
mod choosing;
pub(in crate::engine) mod earlier;
mod error;
mod history;
mod messages;
mod terminal;
mod turn_steps;

pub(in crate::engine) use turn_steps::Steps;
