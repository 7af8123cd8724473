//! `HeapProfiler`: a snapshot of a page's JavaScript heap. Its chunks come as `HeapProfiler.addHeapSnapshotChunk`, all of
//! them before the reply.

use super::{Done, commands};

commands! { js_protocol::heap_profiler:
    EnableParams => Done;
    DisableParams => Done;
    TakeHeapSnapshotParams => Done;
}
