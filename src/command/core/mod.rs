//! The foundation of every command: arguments, the parsed call, its context, its output and how it is shown.
//!
//! Owns nothing specific to one command.

mod arguments;
mod call;
pub mod captions;
pub(super) mod composition;
pub mod consequence;
pub mod context;
pub mod effects;
pub(crate) mod envelope;
pub mod everyday;
pub mod picture;
pub mod progress;
mod steps;
pub mod tool_schema;
pub mod words;

pub use arguments::Arguments;
pub(in crate::command) use arguments::{usage, with_usage, wrong};
pub use call::Call;
pub(in crate::command) use composition::{CHAIN, COMMANDS, TAB_EACH, calls};
pub use context::{Context, Moves, Output, not_in_set};
pub(in crate::command) use effects::download_line;
pub use progress::Progress;
pub use steps::Steps;
