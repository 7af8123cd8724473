//! gstack: a coding agent in the browser's side panel, and the same browser from the terminal.
//!
//! The folders are the layers of docs/ARCHITECTURE.md; `tests/layers.rs` holds who may use whom.

pub mod agent;
pub mod base;
pub mod browser;
pub mod command;
pub mod keeper;
pub mod protocol;
