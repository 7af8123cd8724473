//! One conversation's running Claude Code process.
//!
//! Owns the turn in flight, the open permission requests and the end of the process. The mapper interprets lines.

use super::faults;
use super::map::Mapper;
use super::options::RunFiles;
use super::outgoing;
use super::permissions::{Answered, Permissions, Reply, Verdict};
use super::wire::{ControlRequest, ControlResponse, Line, StreamEvent, System, parse};
use crate::adapter::{AgentEvent, AgentSession, Prompt};
use crate::process::child::{LineChild, LineWriter, Patience};
use crate::process::lines::Lines;
use crate::session_task::{Ending, Gone, SessionTask, end_and_report, exit_description};
use futures_util::future::BoxFuture;
use gstack_protocol::catalogue::{self, Sentence};
use gstack_protocol::fault::Fault;
use std::time::Duration;
use tokio::process::ChildStdout;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// It ends within 120 ms of a closed stdin, or about a second after TERM.
const PATIENCE: Patience = Patience { after_stdin_closed: Duration::from_secs(2), after_term: Duration::from_secs(2) };

/// A started and initialised process.
pub(super) struct Ready {
    pub child: LineChild,
    pub writer: LineWriter,
    pub lines: Lines<ChildStdout>,
    pub mapper: Mapper,
    pub permissions: Permissions,
    pub files: RunFiles,
    /// It resumed an earlier session.
    pub resumed: bool,
    /// A notice to send at the start of the first turn.
    pub notice: Option<Sentence>,
}

enum Command {
    Prompt { line: Vec<u8>, uuid: String, accepted: oneshot::Sender<Result<(), Fault>> },
    Interrupted,
}

/// The handle.
pub(super) struct ClaudeSession {
    held: SessionTask<Command>,
    writer: LineWriter,
    resumed: bool,
    pid: Option<u32>,
}

impl ClaudeSession {
    pub(super) fn run(ready: Ready, events: mpsc::Sender<AgentEvent>) -> Self {
        let (writer, resumed, pid) = (ready.writer.clone(), ready.resumed, ready.child.pid());
        let held = SessionTask::spawn(move |commands, cancel| {
            Actor { ready, events, cancel, in_turn: false, queued: None, is_interrupted: false }.run(commands)
        });
        Self { held, writer, resumed, pid }
    }
}

impl AgentSession for ClaudeSession {
    fn prompt(&mut self, prompt: Prompt) -> BoxFuture<'_, Result<(), Fault>> {
        Box::pin(async move {
            let (accepted, answer) = oneshot::channel();
            let uuid = uuid::Uuid::new_v4().to_string();
            let command = Command::Prompt { line: outgoing::user_message(&prompt, &uuid), uuid, accepted };
            let gone = || faults::crashed("it is gone", None);
            self.held.send(command).await.map_err(|Gone| gone())?;
            answer.await.map_err(|_| gone())?
        })
    }

    fn interrupt(&mut self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            // Tell the task first, so that it does not treat the following messages as a failure.
            if self.held.send(Command::Interrupted).await.is_ok() {
                let id = uuid::Uuid::new_v4().to_string();
                if self.writer.line(outgoing::interrupt(&id)).await.is_err() {
                    tracing::debug!("an agent that is gone can't be interrupted");
                }
            }
        })
    }

    fn set_model(&mut self, model: Option<String>) -> BoxFuture<'_, Result<(), Fault>> {
        Box::pin(async move {
            let line = outgoing::set_model(model.as_deref());
            self.writer.line(line).await.map_err(|_| faults::crashed("it is gone", None))
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

struct Actor {
    ready: Ready,
    events: mpsc::Sender<AgentEvent>,
    cancel: CancellationToken,
    in_turn: bool,
    /// The id of the running turn's message while it is in the agent's queue.
    queued: Option<String>,
    /// True if the running turn was interrupted.
    is_interrupted: bool,
}

impl Actor {
    async fn run(mut self, mut commands: mpsc::Receiver<Command>) {
        let ending = self.run_until_end(&mut commands).await;
        let Self { ready: Ready { mut child, writer, files, .. }, events, cancel, in_turn, .. } = self;
        let fault = match ending {
            Ending::Silent => Some(ended(&mut child).await),
            Ending::Unreadable(how) => Some(faults::crashed(&how, None)),
            Ending::Closed if in_turn => {
                // Best effort: the following steps end the process anyway.
                writer.line(outgoing::interrupt("closing")).await.ok();
                None
            }
            Ending::Closed => None,
        };
        end_and_report(child, PATIENCE, files, fault, &events, &cancel).await;
    }

    async fn run_until_end(&mut self, commands: &mut mpsc::Receiver<Command>) -> Ending {
        let cancel = self.cancel.clone();
        loop {
            let next = tokio::select! {
                biased;
                () = cancel.cancelled() => return Ending::Closed,
                command = commands.recv() => match command {
                    Some(command) => Next::Command(command),
                    None => return Ending::Closed,
                },
                line = self.ready.lines.next() => match line {
                    Ok(Some(line)) => Next::Line(line),
                    Ok(None) => return Ending::Silent,
                    Err(error) => return Ending::Unreadable(error.to_string()),
                },
                Some(answered) = self.ready.permissions.answered() => Next::Answer(answered),
            };
            // Sending events may wait for a slow receiver, and must not delay the end.
            let handled = async {
                match next {
                    Next::Command(command) => self.command(command).await,
                    Next::Line(line) => self.line(&line).await,
                    Next::Answer(answered) => {
                        if let Some(reply) = self.ready.permissions.reply(answered) {
                            self.reply(reply).await;
                        }
                    }
                }
            };
            tokio::select! {
                biased;
                () = handled => {}
                () = cancel.cancelled() => return Ending::Closed,
            }
        }
    }

    async fn command(&mut self, command: Command) {
        match command {
            Command::Prompt { line, uuid, accepted } => {
                let taken = self.begin_turn(line, uuid).await;
                if accepted.send(taken).is_err() {
                    tracing::debug!("nobody waits for a message to be accepted");
                }
            }
            Command::Interrupted if self.in_turn => {
                self.ready.mapper.note_interrupt();
                self.is_interrupted = true;
            }
            Command::Interrupted => {}
        }
    }

    async fn begin_turn(&mut self, line: Vec<u8>, uuid: String) -> Result<(), Fault> {
        // Claude Code would merge two messages into one turn.
        if self.in_turn {
            return Err(faults::busy());
        }
        self.ready.writer.line(line).await.map_err(|_| faults::crashed("it takes no more input", None))?;
        self.in_turn = true;
        self.queued = Some(uuid);
        Ok(())
    }

    async fn line(&mut self, line: &str) {
        let Some(line) = parse(line) else { return };
        match line {
            Line::ControlRequest { request_id, request: ControlRequest::CanUseTool(request) } => {
                match self.ready.permissions.judge(request_id, request, self.in_turn) {
                    Verdict::Ask(asked) => self.tell(AgentEvent::PermissionAsked(asked)).await,
                    Verdict::Question(asked) => self.tell(AgentEvent::QuestionAsked(asked)).await,
                    Verdict::Reply(reply) => self.reply(reply).await,
                }
            }
            Line::ControlRequest { request_id, request: ControlRequest::Other } => {
                self.write(outgoing::unsupported(&request_id)).await;
            }
            Line::ControlCancelRequest { request_id } => {
                if self.ready.permissions.withdraw(&request_id) {
                    self.tell(AgentEvent::Withdrawn { request: request_id }).await;
                }
            }
            Line::ControlResponse { response } => {
                let Some(words) = refused_model(&response) else { return };
                if self.in_turn {
                    self.tell(AgentEvent::Notice(words)).await;
                } else {
                    self.ready.notice = Some(words);
                }
            }
            // Since 2.1.332, no result follows if an interrupt finds the message in the queue. A message that has started is also
            // reported as cancelled, after its result.
            Line::CommandLifecycle { command_uuid, state } => {
                let is_of_turn = self.queued.as_ref() == Some(&command_uuid);
                if is_of_turn && state != "queued" {
                    self.queued = None;
                }
                if is_of_turn && state == "cancelled" {
                    let end = self.ready.mapper.cancelled();
                    self.forward(end).await;
                }
            }
            line => {
                if begins_something(&line) {
                    self.queued = None;
                }
                if self.is_interrupted && begins_something(&line) {
                    self.write(outgoing::interrupt(&uuid::Uuid::new_v4().to_string())).await;
                }
                for event in self.ready.mapper.map(line) {
                    self.forward(event).await;
                }
            }
        }
    }

    /// Forwards an event. Drops events outside our turns, so that every turn has one start and one end.
    async fn forward(&mut self, event: AgentEvent) {
        if !self.in_turn && !matches!(event, AgentEvent::SessionStarted { .. } | AgentEvent::Offers(_)) {
            return;
        }
        if let Some(notice) = self.ready.notice.take() {
            self.tell(AgentEvent::Notice(notice)).await;
        }
        if matches!(event, AgentEvent::TurnDone { .. }) {
            self.in_turn = false;
            self.is_interrupted = false;
            for request in self.ready.permissions.withdraw_all() {
                self.tell(AgentEvent::Withdrawn { request }).await;
            }
        }
        self.tell(event).await;
    }

    async fn reply(&mut self, reply: Reply) {
        if let Some(tool_use_id) = &reply.denied {
            self.ready.mapper.note_denied(tool_use_id);
        }
        self.write(reply.line).await;
    }

    async fn write(&mut self, line: Vec<u8>) {
        if self.ready.writer.line(line).await.is_err() {
            tracing::debug!("an agent that is gone takes no answer");
        }
    }

    async fn tell(&mut self, event: AgentEvent) {
        if self.events.send(event).await.is_err() {
            tracing::debug!("nobody listens to an agent");
        }
    }
}

/// Returns the notice for a model that was refused.
fn refused_model(response: &ControlResponse) -> Option<Sentence> {
    let model = outgoing::model_asked_for(&response.request_id).filter(|_| response.subtype == "error")?;
    let why = response.error.as_deref().unwrap_or_default().trim();
    Some(catalogue::MODEL_NOT_TAKEN.with([faults::LABEL, model]).said(why))
}

/// Returns whether a line starts a turn, or an answer within it: an earlier interrupt then had no effect.
fn begins_something(line: &Line) -> bool {
    matches!(line, Line::System(System::Init(_)) | Line::StreamEvent { event: StreamEvent::MessageStart { .. }, .. })
}

enum Next {
    Command(Command),
    Line(String),
    Answer(Answered),
}

/// Returns the fault for a process whose output has ended: it has ended too, or is about to.
pub(super) async fn ended(child: &mut LineChild) -> Fault {
    let (how, last_words) = exit_description(child).await;
    faults::crashed(&how, last_words.as_ref().map(|words| words.line.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_that_is_refused_is_told_and_other_answers_are_not() {
        let sent = String::from_utf8(outgoing::set_model(Some("no-such"))).unwrap();
        let sent: serde_json::Value = serde_json::from_str(&sent).unwrap();
        let id = sent["request_id"].as_str().unwrap();
        let answer = |subtype: &str, id: &str| {
            let response = serde_json::json!({"subtype": subtype, "request_id": id, "error": "unknown model"});
            let line = serde_json::json!({"type": "control_response", "response": response}).to_string();
            let Some(Line::ControlResponse { response }) = parse(&line) else { panic!("{line}") };
            refused_model(&response)
        };
        let words = "Claude Code did not accept the model no-such; a different one is answering. (unknown model)";
        assert_eq!(answer("error", id).as_deref(), Some(words));
        assert_eq!(answer("success", id), None);
        assert_eq!(answer("error", "another"), None);
    }
}
