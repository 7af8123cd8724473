//! The foundation of every command: arguments, the parsed call, its context, its output and how it is shown.
//!
//! Owns nothing specific to one command.

mod arguments;
mod call;
pub mod captions;
pub(super) mod composition;
pub mod consequence;
pub(crate) mod context;
pub mod effects;
pub mod envelope;
pub mod everyday;
mod folders;
pub(crate) mod output_files;
pub mod picture;
pub(crate) mod progress;
pub(crate) mod recording_log;
mod rests;
pub(crate) mod sign_ins;
mod steps;
pub mod structured;
pub mod tool_schema;
pub mod words;

pub(crate) use arguments::Arguments;
pub(crate) use arguments::{with_usage, wrong};
pub use call::Call;
pub(crate) use composition::{CHAIN, COMMANDS, TAB_EACH, calls};
pub use context::{Context, Output, TabSwitch};
pub use context::{leased, not_in_set};
pub(crate) use effects::download_line;
pub use folders::Folders;
pub use progress::Progress;
pub(crate) use recording_log::RecordingKind;
pub use recording_log::RecordingLog;
pub use rests::Rests;
pub use steps::Steps;
