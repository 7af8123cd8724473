//! Starts a browser through its keeper, or finds one that a keeper already holds.
//!
//! Owns the choice of browser, flags and profile. Never holds the browser's process: the keeper does.

pub mod error;
pub mod find;
pub mod flags;
pub mod profile;
pub mod side_panel;
pub mod site_guard;
mod start;

pub use error::LaunchError;
pub use start::check_free;
pub use start::{LaunchOptions, Started, kill, start, stop};
