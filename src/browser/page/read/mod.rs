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
mod pdf;
mod react;
mod shown;
mod snapshot;
mod snapshot_lines;
mod snapshot_log;
mod styles;

#[cfg(test)]
pub(super) use content::What;
pub use content::{ElementState, WholeText};
pub use contents::PageStorage;
pub use data::{ElementBox, Facts, SEARCHED, Table};
pub use destination::{Activation, ClickDestination};
pub use fetched::Fetched;
pub use react::{Component, ComponentDetails};
pub use snapshot::{Snapshot, SnapshotOptions};
pub use snapshot_log::PrintedSnapshot;
pub(super) use snapshot_log::SnapshotLog;
pub use styles::{BoxModel, Inspection, Origin, Rule};

/// In bytes. A longer snapshot would only crowd an agent's context.
pub const SNAPSHOT_LIMIT: usize = 60_000;
