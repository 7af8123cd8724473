//! Reads from a page: snapshots, text, tables, styles, files fetched with its cookies.
//!
//! Owns the types of this data. Never changes a page, except to replace its content for a client.

mod accessibility;
mod click_destination;
mod content;
mod contents;
mod data;
mod destination;
mod fetched;
mod react;
mod snapshot;
mod snapshot_lines;
mod snapshot_log;
mod styles;

pub(crate) use content::ElementState;
#[cfg(test)]
pub(super) use content::What;
pub(crate) use contents::PageStorage;
pub(crate) use data::{ElementBox, Facts, SEARCHED, Table};
pub(crate) use destination::{Activation, ClickDestination};
pub(crate) use fetched::Fetched;
pub(crate) use react::{Component, ComponentDetails};
pub(crate) use snapshot::{Snapshot, SnapshotOptions};
pub(crate) use snapshot_log::PrintedSnapshot;
pub(super) use snapshot_log::SnapshotLog;
pub(crate) use styles::{BoxModel, Inspection, Origin, Rule};

/// In bytes. A longer snapshot would only crowd an agent's context.
pub(crate) const SNAPSHOT_LIMIT: usize = 60_000;
