//! The JavaScript heap of a page: its size and a snapshot.
//!
//! Owns the requests. A snapshot is streamed in chunks and never held as a whole. Never writes files.

use crate::cdp::CdpError;
use crate::devtools::Done;
use crate::devtools::heap_profiler::{DisableParams, EnableParams, TakeHeapSnapshotParams};
use crate::devtools_session::Session;
use crate::events::Subscription;
use crate::page::error::PageError;
use crate::page::page::Page;
use crate::page::script::call;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::json;
use std::time::Duration;

const CHUNK: &str = "HeapProfiler.addHeapSnapshotChunk";
/// The page is paused during a snapshot; a large heap takes long.
const SNAPSHOT_LIMIT: Duration = Duration::from_secs(300);

/// In bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HeapUsage {
    pub used_size: f64,
    pub total_size: f64,
    /// The size of the embedder's objects: documents, elements, styles.
    pub embedder_heap_used_size: f64,
    /// The size outside of the heap: the content of array buffers.
    pub backing_storage_size: f64,
}

/// A heap snapshot being streamed.
pub struct HeapSnapshot {
    chunks: Subscription,
    reply: BoxFuture<'static, Result<Done, CdpError>>,
    is_whole: bool,
    session: Session,
}

#[derive(Deserialize)]
struct Chunk {
    chunk: String,
}

impl Page {
    pub async fn heap_usage(&self) -> Result<HeapUsage, PageError> {
        call(self.session(), "Runtime.getHeapUsage", &json!({})).await
    }

    /// Starts a snapshot after a garbage collection.
    pub async fn heap_snapshot(&self) -> Result<HeapSnapshot, PageError> {
        let session = self.session().clone();
        let chunks = session.subscribe(&[CHUNK]);
        session.call(EnableParams {}).await?;
        let mut batch = session.batch();
        let reply = batch.add(TakeHeapSnapshotParams::default())?;
        batch.send();
        let reply = reply.within(SNAPSHOT_LIMIT).boxed();
        Ok(HeapSnapshot { chunks, reply, is_whole: false, session })
    }
}

impl HeapSnapshot {
    /// Returns the next chunk of its JSON; `None` at the end.
    pub async fn next(&mut self) -> Result<Option<String>, PageError> {
        loop {
            let event = if self.is_whole {
                self.chunks.try_next()
            } else {
                tokio::select! {
                    biased;
                    event = self.chunks.next() => event,
                    // All chunks were reported before the reply.
                    reply = &mut self.reply => {
                        reply?;
                        self.is_whole = true;
                        continue;
                    }
                }
            };
            if self.chunks.missed() > 0 {
                return Err(PageError::Unreadable("the snapshot came faster than it could be written".to_owned()));
            }
            match event {
                Some(event) => match event.read::<Chunk>() {
                    Some(Chunk { chunk }) => return Ok(Some(chunk)),
                    None => continue,
                },
                None if self.is_whole => return Ok(None),
                None => return Err(PageError::Unreadable("the browser went away".to_owned())),
            }
        }
    }
}

impl Drop for HeapSnapshot {
    fn drop(&mut self) {
        self.session.post(DisableParams {});
    }
}
