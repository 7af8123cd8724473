//! The browser's commands: one list that CLI, HTTP, MCP, help and the agents' prompt are made from.
//!
//! Owns the specs, their parsing and what they print. Never talks to a browser by itself: `browser::page` does.

mod arguments;
pub mod context;
pub mod envelope;
mod inspection;
mod interaction;
mod navigation;
mod path_guard;
mod reading;
pub mod registry;
mod snapshot;
pub mod spec;
mod tabs;
pub mod tool_schema;
mod url_guard;
mod visual;
pub mod words;

pub use arguments::Arguments;
pub use context::{Context, Output};
pub use spec::{Category, Class, Spec};
