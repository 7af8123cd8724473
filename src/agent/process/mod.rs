//! Child processes: lines in and out, a graceful end, and no processes left behind.
//!
//! Owns a program's process group and its pipes. Never interprets the lines.

pub mod brief;
pub mod child;
pub mod lines;
pub mod minder;
pub mod refused;
pub mod renewal;
