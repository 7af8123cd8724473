//! The task that holds one agent's process, and the handle to it.
//!
//! Owns the queue into the task, its end and what is told of that. Never knows what an agent says: an adapter's own
//! loop does.

use super::adapter::AgentEvent;
use super::process::child::{LineChild, Patience};
use crate::protocol::fault::Fault;
use futures_util::future::BoxFuture;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// An interrupt is answered in 10 to 50 ms; a process that does not end its turn by then is given up.
pub const INTERRUPT_LIMIT: Duration = Duration::from_secs(5);
const COMMANDS_WAITING: usize = 8;
/// Between the end of its output and its own.
const END_LIMIT: Duration = Duration::from_secs(2);

/// The handle. Dropping it ends the task and the process at once.
pub struct Held<C> {
    commands: mpsc::Sender<C>,
    cancel: CancellationToken,
    task: Option<JoinHandle<()>>,
}

/// The task has ended.
#[derive(Debug)]
pub struct Gone;

impl<C: Send + 'static> Held<C> {
    pub fn spawn<F>(task: impl FnOnce(mpsc::Receiver<C>, CancellationToken) -> F) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let (commands, received) = mpsc::channel(COMMANDS_WAITING);
        let cancel = CancellationToken::new();
        let task = Some(tokio::spawn(task(received, cancel.clone())));
        Self { commands, cancel, task }
    }

    pub async fn send(&self, command: C) -> Result<(), Gone> {
        self.commands.send(command).await.map_err(|_| Gone)
    }

    /// Ends the process in order; nothing of it runs when this returns.
    pub fn close(mut self) -> BoxFuture<'static, ()> {
        self.cancel.cancel();
        let task = self.task.take();
        Box::pin(async move {
            if let Some(task) = task
                && let Err(error) = task.await
            {
                tracing::error!(%error, "an agent's task ended badly");
            }
        })
    }
}

impl<C> Drop for Held<C> {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

/// Why a task's loop ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    Closed,
    /// Its output ended.
    Silent,
    /// It did not end its turn when it was interrupted.
    Stuck,
}

/// The end of each task: the process is ended and reaped, `keep` dropped after it, and then it is told.
pub async fn farewell<K>(
    child: LineChild,
    patience: Patience,
    keep: K,
    fault: Option<Fault>,
    events: &mpsc::Sender<AgentEvent>,
    cancel: &CancellationToken,
) {
    child.end(patience).await;
    drop(keep);
    // A slow listener is waited for, but not one that closes the session: it may have stopped reading.
    let told = tokio::select! {
        biased;
        told = events.send(AgentEvent::Exited { fault }) => told.is_ok(),
        () = cancel.cancelled() => false,
    };
    if !told {
        tracing::debug!("nobody hears that an agent ended");
    }
}

/// Its output has ended: its process has too, or is about to. How, and its last words on stderr.
pub async fn how_it_ended(child: &mut LineChild) -> (String, Option<String>) {
    let how = match tokio::time::timeout(END_LIMIT, child.wait()).await {
        Ok(Ok(status)) => status.to_string(),
        Ok(Err(error)) => error.to_string(),
        Err(_elapsed) => "it fell silent".to_owned(),
    };
    (how, child.last_words())
}

/// Waits for the time, or for ever where there is none.
pub async fn at(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time).await,
        None => std::future::pending().await,
    }
}
