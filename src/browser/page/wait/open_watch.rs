//! A watch that is under way, as it is remembered of a tab.

use crate::browser::linger::Stay;
use tokio::time::Instant;
use tokio_util::sync::DropGuard;

/// A watch that is under way. Dropping it ends its task.
#[derive(Debug)]
pub(in crate::browser::page) struct Watch {
    pub(super) started: Instant,
    pub(super) snapshots: usize,
    pub(super) last: String,
    pub(super) _stay: Stay,
    pub(super) _end: DropGuard,
}
