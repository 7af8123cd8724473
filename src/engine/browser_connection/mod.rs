//! The link between browsers, tabs and conversations: connecting, attaching, handing off to a person, and the effects
//! of their changes.
//!
//! The browsers and the tabs themselves are services.

mod attach;
mod browser_changes;
mod connect;
mod error;
mod everyday_list;
mod handoff;
mod remote;
mod tab_reports;
