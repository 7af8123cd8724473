//! The session of an agent without a process: each turn is a task of the daemon.
//!
//! Owns one turn at a time and its end. What a turn does is its agent's.

use super::adapter::{AgentEvent, AgentSession, Prompt};
use futures_util::future::BoxFuture;
use gstack_protocol::catalogue;
use gstack_protocol::chat::TurnOutcome;
use gstack_protocol::fault::{Fault, FaultCode, Hop};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// The end of a turn.
#[derive(Debug)]
pub struct End {
    pub outcome: TurnOutcome,
    pub fault: Option<Fault>,
}

type RunTurn = Box<dyn Fn(Prompt, CancellationToken) -> BoxFuture<'static, End> + Send>;

/// A session whose turns `run` runs.
pub struct InProcess {
    run: RunTurn,
    events: mpsc::Sender<AgentEvent>,
    running: Option<Running>,
}

struct Running {
    cancel: CancellationToken,
    /// Set before the turn's end is reported, so that the next turn can start as soon as the end is known.
    over: Arc<AtomicBool>,
    task: JoinHandle<()>,
}

impl InProcess {
    /// Creates the session. Its events and those of its turns go to `events`. `run` runs one turn until its end; the token
    /// is cancelled when the person stops it.
    pub fn new<T>(
        events: mpsc::Sender<AgentEvent>,
        run: impl Fn(Prompt, CancellationToken) -> T + Send + 'static,
    ) -> Self
    where
        T: Future<Output = End> + Send + 'static,
    {
        let run: RunTurn = Box::new(move |prompt, cancel| Box::pin(run(prompt, cancel)));
        Self { run, events, running: None }
    }
}

impl Running {
    /// Waits for the task, which has only to return, or was cancelled.
    async fn finish(self) {
        if let Err(error) = self.task.await {
            tracing::error!(%error, "a turn in the daemon ended badly");
        }
    }
}

impl AgentSession for InProcess {
    fn prompt(&mut self, prompt: Prompt) -> BoxFuture<'_, Result<(), Fault>> {
        Box::pin(async move {
            if let Some(running) = self.running.take() {
                if !running.over.load(Ordering::Acquire) {
                    self.running = Some(running);
                    return Err(Fault::new(FaultCode::Conflict, catalogue::MESSAGE_BEFORE_RUNS)
                        .hint(catalogue::WAIT_FOR_END)
                        .at(Hop::Agent));
                }
                running.finish().await;
            }
            let (cancel, over) = (CancellationToken::new(), Arc::new(AtomicBool::new(false)));
            let turn = (self.run)(prompt, cancel.clone());
            let (ended, events) = (Arc::clone(&over), self.events.clone());
            let task = tokio::spawn(async move {
                let End { outcome, fault } = turn.await;
                ended.store(true, Ordering::Release);
                let end = AgentEvent::TurnDone { outcome, model: None, cost_usd: None, usage: None, fault };
                if events.send(end).await.is_err() {
                    tracing::debug!("nobody hears the end of a turn");
                }
            });
            self.running = Some(Running { cancel, over, task });
            Ok(())
        })
    }

    /// Returns true: it needs no knowledge of the earlier conversation.
    fn resumed(&self) -> bool {
        true
    }

    fn interrupt(&mut self) -> BoxFuture<'_, ()> {
        if let Some(running) = &self.running {
            running.cancel.cancel();
        }
        Box::pin(std::future::ready(()))
    }

    /// Does nothing: it has no model.
    fn set_model(&mut self, _model: Option<String>) -> BoxFuture<'_, Result<(), Fault>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn pid(&self) -> Option<u32> {
        None
    }

    fn close(mut self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            if let Some(running) = self.running.take() {
                running.cancel.cancel();
                // Abort it: it may wait for a receiver that no longer reads, and its remaining events are not needed.
                running.task.abort();
                if let Err(error) = running.task.await
                    && error.is_panic()
                {
                    tracing::error!(%error, "a turn in the daemon ended badly");
                }
            }
            if self.events.try_send(AgentEvent::Exited { fault: None }).is_err() {
                tracing::debug!("nobody hears that an agent in the daemon ended");
            }
        })
    }
}

impl Drop for InProcess {
    fn drop(&mut self) {
        if let Some(running) = &self.running {
            running.cancel.cancel();
            running.task.abort();
        }
    }
}
