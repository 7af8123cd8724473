//! The foundation of every command: arguments, the parsed call, its context, its output and how it is shown.
//!
//! Owns nothing specific to one command.

mod arguments;
mod call;
pub mod captions;
pub(super) mod composition;
pub(crate) mod consequence;
pub(crate) mod context;
pub(crate) mod effects;
pub(crate) mod envelope;
pub(crate) mod everyday;
mod folders;
pub(in crate::command) mod output_files;
pub(crate) mod picture;
pub(crate) mod progress;
pub(crate) mod recording_log;
pub(crate) mod sign_ins;
mod steps;
pub(crate) mod tool_schema;
pub(crate) mod words;

pub(crate) use arguments::Arguments;
pub(in crate::command) use arguments::{usage, with_usage, wrong};
pub use call::Call;
pub(in crate::command) use composition::{CHAIN, COMMANDS, TAB_EACH, calls};
pub use context::{Context, Output, TabSwitch};
pub(crate) use context::{leased, not_in_set};
pub(in crate::command) use effects::download_line;
pub use folders::Folders;
pub use progress::Progress;
pub(in crate::command) use recording_log::RecordingKind;
pub use recording_log::RecordingLog;
pub use steps::Steps;
