//! The commands: one registry of what the browser can be told, from which everything else is made.
//!
//! Owns names, arguments, classes, help and handlers. Never decides who may call what: the engine does.

pub mod arguments;
pub mod envelope;
mod inspection;
mod interaction;
mod navigation;
pub mod path_guard;
mod reading;
pub mod registry;
pub mod schema;
mod snapshot;
pub mod spec;
mod tabs;
pub mod url_guard;
mod visual;
pub mod words;

pub use arguments::{Arguments, UsageError};
pub use spec::{Argument, Call, Category, Class, Flag, Kind, Output, Spec};
