//! Conversations in git work trees of their own, if a person has set that.
//!
//! Owns when a tree is made, left and removed. A tree is made at a conversation's first turn and lies beneath gstack's home,
//! never in the repository. It is removed after its conversation has left it, if nothing would be lost with it. What a
//! daemon that died left behind is recognised at the next start.

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
