//! Conversations in git worktrees of their own, if the person enabled them.
//!
//! Owns when a tree is created, left and removed. A tree is created at a conversation's first turn, in gstack's home
//! and never in the repository. It is removed after its conversation has left it, if nothing would be lost. Trees that
//! a crashed daemon left are recognized at the next start.

mod git;
mod left;
mod plan;
mod service;
mod tidying;
mod tree;
mod words;

pub(super) use service::Worktrees;

#[cfg(test)]
#[path = "hostile_tests.rs"]
mod hostile_tests;
#[cfg(test)]
#[path = "tests.rs"]
mod tests;
