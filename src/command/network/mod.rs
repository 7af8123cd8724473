//! Network traffic of pages: reading it and changing it.
//!
//! Owns the list of files; each declares its own commands.

pub(super) mod cache;
pub(super) mod conditions;
mod filter;
pub(super) mod har;
pub(super) mod list;
mod record;
mod redact;
mod replay;
pub(super) mod route;
mod show;
pub(super) mod site;
pub(super) mod workers;

pub(super) use record::readable_address;
