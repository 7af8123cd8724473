//! The task that holds one agent's process, and the handle to it.
//!
//! Owns the task's queue, its end and the report of that end. Does not handle the agent's protocol: an adapter's own loop
//! does.

use super::adapter::AgentEvent;
use super::process::child::{LineChild, Patience};
use super::process::refused::LastWords;
use futures_util::future::BoxFuture;
use gstack_protocol::fault::Fault;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

const COMMANDS_WAITING: usize = 8;
/// The limit from the end of its output to its own end.
const END_LIMIT: Duration = Duration::from_secs(2);

/// The handle of the task. Dropping it ends the task and the process immediately.
pub struct SessionTask<C> {
    commands: mpsc::Sender<C>,
    cancel: CancellationToken,
    task: Option<JoinHandle<()>>,
}

/// The task has ended.
#[derive(Debug)]
pub struct Gone;

impl<C: Send + 'static> SessionTask<C> {
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

    /// Ends the process gracefully. None of its processes runs when this returns.
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

impl<C> Drop for SessionTask<C> {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

/// The reason why a task's loop ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    Closed,
    /// Its output ended.
    Silent,
    /// Its output can't be read, and why.
    Unreadable(String),
}

/// Ends and reaps the process, drops `keep`, then reports the end.
pub async fn end_and_report<K>(
    child: LineChild,
    patience: Patience,
    keep: K,
    fault: Option<Fault>,
    events: &mpsc::Sender<AgentEvent>,
    cancel: &CancellationToken,
) {
    child.end(patience).await;
    drop(keep);
    // Wait for a slow receiver, unless it closes the session: it may have stopped reading.
    let told = tokio::select! {
        biased;
        told = events.send(AgentEvent::Exited { fault }) => told.is_ok(),
        () = cancel.cancelled() => false,
    };
    if !told {
        tracing::debug!("nobody hears that an agent ended");
    }
}

/// Returns how a process ended whose output has ended, and what it wrote to stderr at last.
pub async fn exit_description(child: &mut LineChild) -> (String, Option<LastWords>) {
    let how = match tokio::time::timeout(END_LIMIT, child.wait()).await {
        Ok(Ok(status)) => status.to_string(),
        Ok(Err(error)) => error.to_string(),
        Err(_elapsed) => "it closed its output".to_owned(),
    };
    (how, child.last_words())
}
