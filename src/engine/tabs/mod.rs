//! Tabs by number: what each port's Chrome has reported about them, what they show, where agents work, and which tabs a
//! conversation may use.
//!
//! Owns that state, the translation between the ids of Chrome, DevTools and gstack, and the tab messages to panels.
//! Never drives a page, and never starts or stops a turn.

mod book;
mod closed;
mod error;
mod opened;
mod place;
mod service;
mod sets;
mod shown;
mod telling;

pub(super) use book::Working;
pub(super) use error::TabsError;
pub(super) use place::{KnownPlace, TabPlace, driven_place};
pub(super) use service::Tabs;
pub(super) use sets::JoinedBy;
