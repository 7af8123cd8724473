//! `HeapProfiler`: a snapshot of a page's JavaScript heap.

use super::{Done, commands};
use serde::Serialize;

#[derive(Clone, Debug, Serialize)]
pub struct Enable {}

#[derive(Clone, Debug, Serialize)]
pub struct Disable {}

/// Takes a heap snapshot. Its chunks come as `HeapProfiler.addHeapSnapshotChunk`, all of them before the reply.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TakeHeapSnapshot {
    pub report_progress: bool,
}

commands! {
    Enable => Done, "HeapProfiler.enable";
    Disable => Done, "HeapProfiler.disable";
    TakeHeapSnapshot => Done, "HeapProfiler.takeHeapSnapshot";
}
