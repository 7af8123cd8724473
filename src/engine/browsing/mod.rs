//! What joins browsers and tabs with conversations: connecting, attaching, handing over to a person, and what their changes mean.
//!
//! The browsers and the tabs themselves are services.

mod attach;
mod browser_changes;
mod connect;
mod error;
mod everyday_list;
mod handoff;
mod tab_reports;
