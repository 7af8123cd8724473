//! Tabs by their numbers: what each port's Chrome has said of its tabs, where agents work, and which tabs a conversation
//! may use.
//!
//! Owns that as plain state. Never asks a browser and never tells a panel: those who change it do.

mod book;
mod closed;
mod sets;

pub(super) use book::{TabBook, Working};
pub(super) use closed::RecentlyClosed;
pub(super) use sets::{How, TabSets};
