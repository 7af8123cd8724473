//! What every layer stands on: where things lie on disk, whole-file writes, the clock.
//!
//! Never knows of chats, browsers or agents.

pub mod append;
pub mod atomic;
pub mod browsers;
pub mod clock;
pub mod home;
pub mod inbox;
pub mod lock;
pub mod metadata;
pub mod own_page;
pub mod peer;
pub mod program;
pub mod site;
pub mod state;
pub mod trouble;
