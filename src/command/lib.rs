//! Browser commands: the single list that the CLI, HTTP, MCP, the help and the agents' prompt are generated from.
//!
//! Owns the specs, their parsing and their output. Never talks to a browser directly: `browser::page` does.

#![deny(clippy::print_stdout, clippy::print_stderr)]
#![warn(unreachable_pub)]

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

pub use self::core::envelope;
pub use self::core::sign_ins::{SignInSecrets, SignInSource};
pub use self::core::{Call, Context, Folders, Output, Progress, RecordingLog, Rests, Steps, TabSwitch, captions};
pub use self::core::{consequence, effects, everyday, picture, structured, tool_schema, words};
pub use self::core::{leased, not_in_set};
pub use acting::sign_in::check_origin as check_sign_in_origin;
pub use acting::tool_input::input_of as page_tool_input;
pub use acting::web_mcp::{chosen as chosen_page_tool, claims as page_tool_claims};
pub use navigating::{listed_title, tab_number};
pub use privacy::{path_guard, redaction, shared_text, tool_arguments, upload_copies, url_guard};
pub use spec::{Category, Class, Spec};
pub use state::browser_state;
