//! Browser commands: the single list that the CLI, HTTP, MCP, the help and the agents' prompt are generated from.
//!
//! Owns the specs, their parsing and their output. Never talks to a browser directly: `browser::page` does.

mod acting;
mod core;
mod emulating;
mod files;
mod finding;
mod managing;
mod measuring;
mod navigating;
mod network;
mod privacy;
mod reading;
mod recording;
pub mod registry;
pub mod spec;
mod state;
pub mod tool_profile;
mod visual;

#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use self::core::envelope;
pub use self::core::{Arguments, Call, Context, Moves, Output, Progress, Steps, not_in_set};
pub use self::core::{captions, consequence, context, effects, everyday, picture, progress, tool_schema, words};
pub use managing::control;
pub use navigating::{listed_title, tab_number};
pub use privacy::{redaction, tool_arguments, url_guard};
pub use spec::{Category, Class, Spec};
pub use state::browser_state;
