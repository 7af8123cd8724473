//! Child processes: lines in and out, an end in order, and nothing left behind.
//!
//! Owns a program's process group and its pipes. Never knows what the lines mean.

pub mod brief;
pub mod child;
pub mod descendants;
pub mod lines;
pub mod minder;
