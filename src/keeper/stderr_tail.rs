//! The tail of the browser's stderr, for the report of a failed launch.
//!
//! Owns a bounded tail and keeps the pipe drained. Never writes it to a file, because pages can write to it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::AsyncReadExt;
use tokio::process::ChildStderr;

/// In bytes. Enough for the lines that explain a failed start.
const TAIL: usize = 8 * 1024;

#[derive(Clone, Debug, Default)]
pub(super) struct StderrTail {
    bytes: Arc<Mutex<VecDeque<u8>>>,
}

impl StderrTail {
    /// Reads until the browser and all its children have closed their end.
    pub(super) async fn drain(self, mut stderr: ChildStderr) {
        let mut chunk = [0; 4096];
        while let Ok(count @ 1..) = stderr.read(&mut chunk).await {
            let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
            bytes.extend(&chunk[..count]);
            let surplus = bytes.len().saturating_sub(TAIL);
            bytes.drain(..surplus);
        }
    }

    pub(super) fn text(&self) -> String {
        let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(bytes.make_contiguous()).into_owned()
    }
}
