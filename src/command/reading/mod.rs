//! Commands that read a page: text, snapshots, styles, storage, console, network.

pub(super) mod collected;
pub(super) mod contents;
pub(super) mod inspection;
pub(crate) mod look;
pub(super) mod react;
pub(super) mod snapshot;
mod snapshot_changes;
pub(super) mod styles;
pub(super) mod text;

pub(super) use collected::CLEAR;
pub(crate) use text::pretty;
