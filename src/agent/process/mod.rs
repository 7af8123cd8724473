//! Child processes: lines in and out, a graceful end, and no processes left behind.
//!
//! Owns a program's process group and its pipes. Never interprets the lines.

pub(crate) mod brief;
pub(crate) mod child;
pub(crate) mod lines;
pub mod minder;
