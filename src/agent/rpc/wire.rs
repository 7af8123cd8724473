//! The connection to an agent during its start: one request at a time.
//!
//! Owns the process until it is ready. Messages that arrive between the answers are kept for the session.

use super::message::{Dialect, Incoming, RpcError, parse};
use crate::process::child::{ChildError, LineChild, LineWriter, Patience, Spawn};
use crate::process::lines::Lines;
use crate::process::refused::LastWords;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::process::ChildStdout;

/// A started process that is not ready yet. Dropping it kills the process.
pub struct Wire {
    pub(super) child: LineChild,
    pub(super) writer: LineWriter,
    pub(super) lines: Lines<ChildStdout>,
    pub(super) dialect: Dialect,
    pub(super) last_id: u64,
    /// Messages received before the session started.
    pub early: Vec<Incoming>,
}

#[derive(Debug, thiserror::Error)]
pub enum AskError {
    #[error(transparent)]
    Refused(#[from] RpcError),
    /// Its output ended.
    #[error("it ended ({how})")]
    Ended { how: String, last_words: Option<LastWords> },
}

impl Wire {
    pub fn spawn(spawn: Spawn<'_>, dialect: Dialect) -> Result<Self, ChildError> {
        let (child, writer, lines) = LineChild::spawn(spawn)?;
        Ok(Self { child, writer, lines, dialect, last_id: 0, early: Vec::new() })
    }

    /// Sends a request and waits for its answer. Fails if the agent refuses it or its output ends.
    pub async fn ask(&mut self, method: &str, params: Value) -> Result<Box<RawValue>, AskError> {
        self.last_id += 1;
        let asked = self.last_id;
        self.write(self.dialect.request(asked, method, params)).await;
        loop {
            let line = match self.lines.next().await {
                Ok(Some(line)) => line,
                Ok(None) => return Err(self.ended().await),
                Err(error) => return Err(AskError::Ended { how: error.to_string(), last_words: None }),
            };
            match parse(&line) {
                Some(Incoming::Answer { id, outcome }) if id == asked => return Ok(outcome?),
                Some(message) => self.early.push(message),
                None => {}
            }
        }
    }

    pub async fn notify(&mut self, method: &str, params: Option<Value>) {
        self.write(self.dialect.notification(method, params)).await;
    }

    pub async fn end(self, patience: Patience) {
        self.child.end(patience).await;
    }

    /// Writes a line. Ignores a failure: if the process has ended, the reason follows at the end of its output.
    async fn write(&self, line: Vec<u8>) {
        self.writer.line(line).await.ok();
    }

    async fn ended(&mut self) -> AskError {
        let (how, last_words) = crate::session_task::exit_description(&mut self.child).await;
        AskError::Ended { how, last_words }
    }
}
