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
pub(crate) mod tool_profile;
mod visual;

#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use self::core::envelope;
pub use self::core::sign_ins::{SignInSecrets, SignInSource};
pub use self::core::{Call, Context, Folders, Output, Progress, RecordingLog, Steps, TabSwitch, captions};
pub(crate) use self::core::{consequence, effects, everyday, picture, tool_schema, words};
pub(crate) use self::core::{leased, not_in_set};
pub(crate) use acting::sign_in::check_origin as check_sign_in_origin;
pub(crate) use acting::web_mcp::{chosen as chosen_page_tool, claims as page_tool_claims};
pub(crate) use navigating::{listed_title, tab_number};
pub(crate) use privacy::{path_guard, redaction, shared_text, tool_arguments, url_guard};
pub use spec::{Category, Class, Spec};
pub(crate) use state::browser_state;
