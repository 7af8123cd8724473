//! The built-in agent: plain commands without a model or a network. Always available.
//!
//! Owns its session and its one turn at a time. Acts only through [`Tools`].

mod direct_turn;
mod find;
mod help;
mod keys;
mod page;
mod parse;
#[cfg(test)]
mod parse_tests;
mod test_data;
#[cfg(test)]
mod tests;

use super::adapter::{Agent, AgentEnvironment, AgentEvent, AgentSession, Examined, Launch, Prompt, Started, Tools};
use direct_turn::{DirectTurn, End};
use futures_util::future::BoxFuture;
use gstack_protocol::agents::AgentInfo;
use gstack_protocol::catalogue;
use gstack_protocol::fault::{Fault, FaultCode, Hop};
use gstack_protocol::ids::AgentName;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

pub const NAME: &str = "builtin";

/// Returns whether a message is exactly one unambiguous command, so that it needs no model.
pub fn is_one_command(message: &str) -> bool {
    use parse::{Scroll, Step};
    matches!(
        &parse::parse(message)[..],
        [Step::Open(_) | Step::Back | Step::Forward | Step::Reload | Step::Screenshot | Step::Scroll(Scroll::By(_))]
    )
}

#[derive(Debug, Default)]
pub struct Builtin;

impl Agent for Builtin {
    fn name(&self) -> AgentName {
        AgentName::new(NAME)
    }

    fn label(&self) -> &str {
        "Built-in"
    }

    fn examine<'a>(&'a self, _: &'a AgentEnvironment, info: &'a mut AgentInfo) -> Examined<'a> {
        info.version = Some(gstack_protocol::VERSION.to_owned());
        info.has_model = false;
        Box::pin(std::future::ready(Ok(())))
    }

    fn start(&self, launch: Launch, events: mpsc::Sender<AgentEvent>) -> Started<'_> {
        let session: Box<dyn AgentSession> = Box::new(Session { tools: launch.tools, events, running: None });
        Box::pin(std::future::ready(Ok(session)))
    }
}

struct Session {
    tools: Arc<dyn Tools>,
    events: mpsc::Sender<AgentEvent>,
    running: Option<Running>,
}

struct Running {
    cancel: CancellationToken,
    /// Set before the turn's end is reported, so that the next turn can start as soon as the end is known.
    over: Arc<AtomicBool>,
    task: JoinHandle<()>,
}

impl Running {
    /// Waits for the task, which has only to return, or was cancelled.
    async fn finish(self) {
        if let Err(error) = self.task.await {
            tracing::error!(%error, "a turn of the built-in agent ended badly");
        }
    }
}

impl AgentSession for Session {
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
            let turn = DirectTurn {
                tools: Arc::clone(&self.tools),
                events: self.events.clone(),
                cancel: cancel.clone(),
                is_one: AtomicBool::new(false),
            };
            let ended = Arc::clone(&over);
            let task = tokio::spawn(async move {
                let End { outcome, fault } = turn.run(&prompt).await;
                ended.store(true, Ordering::Release);
                let end = AgentEvent::TurnDone { outcome, model: None, cost_usd: None, usage: None, fault };
                if turn.events.send(end).await.is_err() {
                    tracing::debug!("nobody hears the end of a turn");
                }
            });
            self.running = Some(Running { cancel, over, task });
            Ok(())
        })
    }

    /// Returns true: the built-in agent needs no knowledge of the earlier conversation.
    fn resumed(&self) -> bool {
        true
    }

    fn interrupt(&mut self) -> BoxFuture<'_, ()> {
        if let Some(running) = &self.running {
            running.cancel.cancel();
        }
        Box::pin(std::future::ready(()))
    }

    /// Does nothing: the built-in agent has no model.
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
                    tracing::error!(%error, "a turn of the built-in agent ended badly");
                }
            }
            if self.events.try_send(AgentEvent::Exited { fault: None }).is_err() {
                tracing::debug!("nobody hears that the built-in agent ended");
            }
        })
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Some(running) = &self.running {
            running.cancel.cancel();
            running.task.abort();
        }
    }
}
