//! The browser's commands: one list that CLI, HTTP, MCP, help and the agents' prompt are made from.
//!
//! Owns the specs, their parsing and what they print. Never talks to a browser by itself: `browser::page` does.

mod arguments;
mod browser_cookies;
pub mod browser_state;
mod chain;
mod compare;
mod composition;
mod contents;
pub mod context;
pub mod control;
mod cookie_file;
mod cookies;
mod devtools;
mod dialog_answers;
pub mod envelope;
pub mod everyday;
mod files;
mod frames;
mod identity;
mod inbox;
mod inspect;
mod inspection;
mod interaction;
mod looks;
mod navigation;
mod partial_file;
mod path_guard;
pub mod picture;
pub mod progress;
mod reading;
pub mod redaction;
pub mod registry;
mod saved_state;
mod secrets;
mod shown_words;
mod snapshot;
pub mod spec;
mod steps;
mod tabs;
mod text_diff;
pub mod tool_profile;
pub mod tool_schema;
pub mod url_guard;
mod viewport;
mod visual;
mod waiting;
mod watch;
pub mod words;

pub use arguments::Arguments;
pub use context::{Context, Moves, Output, not_in_set};
pub use progress::Progress;
pub use spec::{Category, Class, Spec};
pub use steps::Steps;
pub use tabs::{listed_title, tab_number};
