//! The agents of this home: which exist, which one answers a conversation, and how many of their processes run.
//!
//! Owns the registry, the slots, the mark of the spare, and the environment that agents run in. Never talks to a
//! running agent: the tasks of the conversations do.

mod access;
mod alone;
mod choice;
mod environment;
mod left_over;
mod model;
mod pool;
mod sandbox;
mod slots;
mod spare;
mod tokens;

pub use access::{AgentAccess, ListedSteps, OfferedTool, PageToolOffer};
pub(super) use choice::Choice;
pub(super) use model::split_model;
pub(crate) use pool::AgentPool;
pub(super) use slots::{Slot, SlotAnswer, slots_by_memory};
pub(super) use tokens::Tokens;
