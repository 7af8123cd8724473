//! The task of one conversation, which carries out the inputs that its gate passes on.
//!
//! Owns the agent's start, its turns and its end. The gate is in `conversations`.

mod ahead;
mod choosing;
mod earlier;
mod error;
mod from_agent;
mod prompt;
mod running_agent;
mod start;
mod task;
mod turn_marks;
mod turn_steps;
#[cfg(test)]
mod tests;
mod watchdog;

pub(super) use task::Task;
