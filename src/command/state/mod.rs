//! Commands for browser state: cookies, storage, saved states, headers, the user agent.

pub(super) mod browser_cookies;
pub mod browser_state;
mod cookie_file;
pub(super) mod cookies;
pub(super) mod identity;
pub(super) mod saved_state;
pub(super) mod storage;
