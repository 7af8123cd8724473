//! Starts a browser through its keeper, or finds one that a keeper already holds.
//!
//! Owns the choice of browser, flags and profile. Never holds the browser's process: the keeper does.

pub mod error;
pub mod find;
pub mod flags;
mod force;
pub mod profile;
pub mod side_panel;
pub mod site_guard;
mod start;

pub use error::LaunchError;
pub use force::end_by_force;
pub use start::check_free;
pub use start::{LaunchOptions, Started, start, stop};
