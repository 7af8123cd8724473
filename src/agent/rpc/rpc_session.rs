//! One conversation's running process, for agents that use JSON-RPC lines.
//!
//! Owns the process, the open requests to the person and the time limits. A [`ProtocolHandler`] interprets each message and
//! decides the answers; nothing here knows a method.

use super::message::{Incoming, parse};
use super::protocol_handler::{Answer, HandlerOutput, ProtocolHandler};
use super::wire::Wire;
use crate::adapter::{AgentEvent, AgentSession, Prompt};
use crate::faults;
use crate::process::child::{LineChild, LineWriter, Patience};
use crate::process::lines::Lines;
use crate::session_task::{Ending, Gone, SessionTask, end_and_report, exit_description};
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt};
use gstack_protocol::catalogue::Sentence;
use gstack_protocol::fault::Fault;
use std::time::Duration;
use tokio::process::ChildStdout;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// These programs end within 130 ms of a closed stdin.
const PATIENCE: Patience = Patience { after_stdin_closed: Duration::from_secs(1), after_term: Duration::from_secs(1) };
enum Command {
    Prompt { prompt: Box<Prompt>, accepted: oneshot::Sender<Result<(), Fault>> },
    Interrupt,
    SetModel { model: Option<String>, taken: oneshot::Sender<Result<(), Fault>> },
}

/// The handle of such an agent's session.
pub struct RpcSession {
    held: SessionTask<Command>,
    label: String,
    resumed: bool,
    pid: Option<u32>,
}

/// The start of a session.
pub struct Begin<T, K> {
    /// The connection to the agent, which is ready.
    pub wire: Wire,
    pub handler: T,
    /// Dropped when the process has ended.
    pub keep: K,
    /// It resumed an earlier session.
    pub resumed: bool,
    /// Notices to send when the first turn starts.
    pub notices: Vec<Sentence>,
}

impl RpcSession {
    pub fn run<T: ProtocolHandler, K: Send + 'static>(begin: Begin<T, K>, events: mpsc::Sender<AgentEvent>) -> Self {
        let Begin { wire, handler, keep, resumed, notices } = begin;
        let label = handler.label().to_owned();
        let Wire { child, writer, lines, dialect, last_id, early } = wire;
        let pid = child.pid();
        let held = SessionTask::spawn(move |commands, cancel| {
            let actor = Actor {
                out: HandlerOutput::new(dialect, last_id),
                handler,
                writer,
                lines,
                notices,
                events,
                answers: FuturesUnordered::new(),
                cancel,
                in_turn: false,
            };
            actor.run(child, early, keep, commands)
        });
        Self { held, label, resumed, pid }
    }

    async fn send(&self, command: Command) -> Result<(), Fault> {
        self.held.send(command).await.map_err(|Gone| faults::crashed(&self.label, "it is gone", None))
    }
}

impl AgentSession for RpcSession {
    fn prompt(&mut self, prompt: Prompt) -> BoxFuture<'_, Result<(), Fault>> {
        Box::pin(async move {
            let (accepted, answer) = oneshot::channel();
            self.send(Command::Prompt { prompt: Box::new(prompt), accepted }).await?;
            answer.await.map_err(|_| faults::crashed(&self.label, "it is gone", None))?
        })
    }

    fn interrupt(&mut self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            if self.send(Command::Interrupt).await.is_err() {
                tracing::debug!("an agent that is gone can't be interrupted");
            }
        })
    }

    fn set_model(&mut self, model: Option<String>) -> BoxFuture<'_, Result<(), Fault>> {
        Box::pin(async move {
            let (taken, answer) = oneshot::channel();
            self.send(Command::SetModel { model, taken }).await?;
            answer.await.map_err(|_| faults::crashed(&self.label, "it is gone", None))?
        })
    }

    fn resumed(&self) -> bool {
        self.resumed
    }

    fn pid(&self) -> Option<u32> {
        self.pid
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        self.held.close()
    }
}

struct Actor<T> {
    handler: T,
    out: HandlerOutput,
    writer: LineWriter,
    lines: Lines<ChildStdout>,
    notices: Vec<Sentence>,
    events: mpsc::Sender<AgentEvent>,
    answers: FuturesUnordered<BoxFuture<'static, (String, Answer)>>,
    cancel: CancellationToken,
    in_turn: bool,
}

enum Next {
    Command(Command),
    Line(String),
    Answer(String, Answer),
}

impl<T: ProtocolHandler> Actor<T> {
    async fn run<K>(
        mut self,
        mut child: LineChild,
        early: Vec<Incoming>,
        keep: K,
        mut commands: mpsc::Receiver<Command>,
    ) {
        let ending = self.run_until_end(early, &mut commands).await;
        let fault = match ending {
            Ending::Silent => {
                let (how, last_words) = exit_description(&mut child).await;
                Some(faults::crashed(self.handler.label(), &how, last_words.as_ref().map(|words| words.line.as_str())))
            }
            Ending::Unreadable(how) => Some(faults::crashed(self.handler.label(), &how, None)),
            Ending::Closed if self.in_turn => {
                // Best effort: the following steps end the process anyway.
                self.handler.interrupt(&mut self.out);
                self.write_lines().await;
                None
            }
            Ending::Closed => None,
        };
        end_and_report(child, PATIENCE, keep, fault, &self.events, &self.cancel).await;
    }

    async fn run_until_end(&mut self, early: Vec<Incoming>, commands: &mut mpsc::Receiver<Command>) -> Ending {
        self.handler.ready(&mut self.out);
        for message in early {
            self.handler.incoming(message, &mut self.out);
        }
        let cancel = self.cancel.clone();
        loop {
            let done = tokio::select! {
                biased;
                () = self.carry_out() => None,
                () = cancel.cancelled() => Some(Ending::Closed),
            };
            if let Some(ending) = done {
                return ending;
            }
            let next = tokio::select! {
                biased;
                () = cancel.cancelled() => return Ending::Closed,
                command = commands.recv() => match command {
                    Some(command) => Next::Command(command),
                    None => return Ending::Closed,
                },
                line = self.lines.next() => match line {
                    Ok(Some(line)) => Next::Line(line),
                    Ok(None) => return Ending::Silent,
                    Err(error) => return Ending::Unreadable(error.to_string()),
                },
                Some((request, answer)) = self.answers.next() => Next::Answer(request, answer),
            };
            match next {
                Next::Command(command) => self.command(command),
                Next::Line(line) => {
                    if let Some(message) = parse(&line) {
                        self.handler.incoming(message, &mut self.out);
                    }
                }
                Next::Answer(request, answer) => self.answer(&request, answer),
            }
        }
    }

    fn command(&mut self, command: Command) {
        match command {
            Command::Prompt { prompt, accepted } => {
                let outcome = if self.in_turn {
                    Err(faults::busy(self.handler.label()))
                } else {
                    self.in_turn = true;
                    for notice in self.notices.drain(..) {
                        self.out.tell(AgentEvent::Notice(notice));
                    }
                    self.handler.prompt(*prompt, &mut self.out);
                    Ok(())
                };
                if accepted.send(outcome).is_err() {
                    tracing::debug!("nobody waits for a message to be accepted");
                }
            }
            Command::Interrupt if self.in_turn => {
                self.handler.interrupt(&mut self.out);
            }
            Command::Interrupt => {}
            Command::SetModel { model, taken } => {
                if taken.send(self.handler.set_model(model, &mut self.out)).is_err() {
                    tracing::debug!("nobody waits for a model to be set");
                }
            }
        }
    }

    fn answer(&mut self, request: &str, answer: Answer) {
        if !self.out.is_awaited(request) {
            return;
        }
        self.handler.answered(request, answer, &mut self.out);
    }

    /// Writes the lines and sends the events, in order. May wait for a slow receiver.
    async fn carry_out(&mut self) {
        self.write_lines().await;
        self.answers.extend(self.out.answers.drain(..));
        let events: Vec<AgentEvent> = self.out.events.drain(..).collect();
        for event in events {
            // Drop events outside our turns, so that every turn has one start and one end.
            let of_session =
                matches!(event, AgentEvent::SessionStarted { .. } | AgentEvent::Offers(_) | AgentEvent::ModeChanged(_));
            if !self.in_turn && !of_session {
                continue;
            }
            if matches!(event, AgentEvent::TurnDone { .. }) {
                self.in_turn = false;
            }
            if self.events.send(event).await.is_err() {
                tracing::debug!("nobody listens to an agent");
            }
        }
    }

    async fn write_lines(&mut self) {
        for line in std::mem::take(&mut self.out.lines) {
            if self.writer.line(line).await.is_err() {
                // The end of its output reports the same with a reason.
                tracing::debug!("an agent that is gone takes no more lines");
            }
        }
    }
}
