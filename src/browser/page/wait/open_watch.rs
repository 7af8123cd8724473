//! The state of a running watch, kept in a tab's memory.

use crate::keep_attached::KeepAttached;
use tokio::time::Instant;
use tokio_util::sync::DropGuard;

/// A running watch. Dropping it ends its task.
#[derive(Debug)]
pub(in crate::page) struct Watch {
    pub(super) started: Instant,
    pub(super) snapshots: usize,
    pub(super) last: String,
    pub(super) _keep: KeepAttached,
    pub(super) _end: DropGuard,
}
