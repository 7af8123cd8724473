//! Finds the element that a client names and checks whether it is actionable: refs, selectors, frames, closed shadow
//! roots.
//!
//! Owns finding and waiting for an element. Never acts on it.

mod closed_roots;
pub(super) mod element;
mod expected;
mod frame;
mod frame_search;
mod frame_view;
mod internals;
mod listed;
mod projection;
mod recheck;
pub mod refs;
mod target;

pub(in crate::page) use element::{FaultReply, Need, OptionPlace, Point, Ready, ScriptTarget, TRIES_TO_READ};
pub use expected::{Expected, ExpectedElement};
pub use frame::FrameChoice;
pub(in crate::page) use projection::Bounds;
pub(in crate::page) use refs::{ElementPlace, RefKind, RefName, RefTable};
pub use target::Target;
