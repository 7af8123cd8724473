//! One conversation's process while it lives, for agents that talk in JSON-RPC lines.
//!
//! Owns the process, the open questions to the person and the limits of time. A [`Talk`] decides what each message
//! means and what is said back; nothing here knows a method.

use super::message::{Dialect, Incoming, parse};
use super::wire::Wire;
use crate::agent::adapter::{
    AgentEvent, AgentSession, PermissionAnswer, PermissionAsked, Prompt, QuestionAnswer, QuestionAsked,
};
use crate::agent::faults;
use crate::agent::process::child::{LineChild, LineWriter, Patience};
use crate::agent::process::lines::Lines;
use crate::protocol::chat::{QuestionPart, StepKind, TurnOutcome};
use crate::protocol::fault::Fault;
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt};
use serde_json::Value;
use std::time::Duration;
use tokio::process::ChildStdout;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// A closed stdin ends these programs within 130 ms.
const PATIENCE: Patience = Patience { after_stdin_closed: Duration::from_secs(1), after_term: Duration::from_secs(1) };
/// An interrupt is answered in 10 ms; a process that does not end its turn by then is given up.
const INTERRUPT_LIMIT: Duration = Duration::from_secs(5);
const COMMANDS_WAITING: usize = 8;

/// An agent's side of the protocol: message in, [`Out`] filled. No IO.
pub trait Talk: Send + 'static {
    /// The agent's name as people know it.
    fn label(&self) -> &str;
    /// A message begins a turn, which ends by one [`AgentEvent::TurnDone`]. Only called between turns.
    fn prompt(&mut self, prompt: Prompt, out: &mut Out);
    /// The person stops the running turn.
    fn interrupt(&mut self, out: &mut Out);
    fn incoming(&mut self, message: Incoming, out: &mut Out);
    fn set_model(&mut self, model: Option<String>, out: &mut Out);
    /// A person answered, or nobody will (`None`). Not called for what was withdrawn meanwhile.
    fn answered(&mut self, request: &str, answer: Answer, out: &mut Out);
    /// What was read of a turn and not told to the end: the turn is given up.
    fn give_up(&mut self, out: &mut Out);
}

/// A person's answer; `None` where nobody gave one.
#[derive(Debug)]
pub enum Answer {
    Permission(Option<PermissionAnswer>),
    Question(Option<QuestionAnswer>),
}

/// What a [`Talk`] wants done.
pub struct Out {
    dialect: Dialect,
    last_id: u64,
    lines: Vec<Vec<u8>>,
    events: Vec<AgentEvent>,
    answers: Vec<BoxFuture<'static, (String, Answer)>>,
    /// The requests that a person looks at.
    open: Vec<String>,
    withdrawn: Vec<String>,
}

/// A permission to ask for, without the way back.
pub struct Wish {
    pub ask: String,
    pub does: String,
    pub why: Option<String>,
    pub kind: StepKind,
    pub read_only: bool,
}

impl Out {
    pub fn new(dialect: Dialect, last_id: u64) -> Self {
        let (lines, events, answers) = (Vec::new(), Vec::new(), Vec::new());
        Self { dialect, last_id, lines, events, answers, open: Vec::new(), withdrawn: Vec::new() }
    }

    /// Sends a request; its answer comes under the id that this gives.
    pub fn request(&mut self, method: &str, params: Value) -> u64 {
        self.last_id += 1;
        self.lines.push(self.dialect.request(self.last_id, method, params));
        self.last_id
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.lines.push(self.dialect.notification(method, Some(params)));
    }

    pub fn answer(&mut self, id: &Value, result: Value) {
        self.lines.push(self.dialect.answer(id, result));
    }

    pub fn unsupported(&mut self, id: &Value) {
        self.lines.push(self.dialect.unsupported(id));
    }

    /// The end of a turn closes the cards that are open.
    pub fn tell(&mut self, event: AgentEvent) {
        if matches!(event, AgentEvent::TurnDone { .. }) {
            self.withdraw_all();
        }
        self.events.push(event);
    }

    /// `first`: the text begins a new block of the answer.
    pub fn tell_text(&mut self, first: bool, text: &str) {
        if first {
            self.events.push(AgentEvent::TextStarted);
        }
        self.events.push(AgentEvent::TextDelta(text.to_owned()));
    }

    pub fn ask(&mut self, request: String, wish: Wish) {
        let (answer, answered) = oneshot::channel();
        let Wish { ask, does, why, kind, read_only } = wish;
        self.open.push(request.clone());
        self.events.push(AgentEvent::PermissionAsked(PermissionAsked {
            request: request.clone(),
            ask,
            does,
            why,
            kind,
            read_only,
            answer,
        }));
        self.answers.push(Box::pin(async move { (request, Answer::Permission(answered.await.ok())) }));
    }

    pub fn question(&mut self, request: String, parts: Vec<QuestionPart>) {
        let (answer, answered) = oneshot::channel();
        self.open.push(request.clone());
        self.events.push(AgentEvent::QuestionAsked(QuestionAsked { request: request.clone(), parts, answer }));
        self.answers.push(Box::pin(async move { (request, Answer::Question(answered.await.ok())) }));
    }

    /// Closes a card, where it is open: nothing is answered.
    pub fn withdraw(&mut self, request: &str) {
        if let Some(at) = self.open.iter().position(|open| open == request) {
            self.open.remove(at);
            self.events.push(AgentEvent::Withdrawn { request: request.to_owned() });
            self.withdrawn.push(request.to_owned());
        }
    }

    fn withdraw_all(&mut self) {
        for request in std::mem::take(&mut self.open) {
            self.events.push(AgentEvent::Withdrawn { request: request.clone() });
            self.withdrawn.push(request);
        }
    }

    /// What was told and said, for tests of a [`Talk`].
    #[cfg(test)]
    pub fn drain(&mut self) -> (Vec<AgentEvent>, Vec<Vec<u8>>) {
        (std::mem::take(&mut self.events), std::mem::take(&mut self.lines))
    }
}

enum Command {
    Prompt { prompt: Prompt, accepted: oneshot::Sender<Result<(), Fault>> },
    Interrupt,
    SetModel(Option<String>),
}

/// The handle. Its task owns the process; dropping the handle ends both at once.
pub struct RpcSession {
    commands: mpsc::Sender<Command>,
    cancel: CancellationToken,
    task: Option<JoinHandle<()>>,
    label: String,
}

impl RpcSession {
    /// Goes on from a `wire` whose agent is ready. `keep` lives as long as the process. `notice` is told when the
    /// first turn begins.
    pub fn run<T: Talk, K: Send + 'static>(
        wire: Wire,
        talk: T,
        keep: K,
        notice: Option<String>,
        events: mpsc::Sender<AgentEvent>,
    ) -> Self {
        let (commands, received) = mpsc::channel(COMMANDS_WAITING);
        let cancel = CancellationToken::new();
        let label = talk.label().to_owned();
        let Wire { child, writer, lines, dialect, last_id, early } = wire;
        let actor = Actor {
            out: Out::new(dialect, last_id),
            talk,
            writer,
            lines,
            notice,
            events,
            answers: FuturesUnordered::new(),
            cancel: cancel.clone(),
            in_turn: false,
            stop_by: None,
        };
        let task = Some(tokio::spawn(actor.run(child, early, keep, received)));
        Self { commands, cancel, task, label }
    }

    async fn send(&self, command: Command) -> Result<(), Fault> {
        self.commands.send(command).await.map_err(|_| faults::crashed(&self.label, "it is gone", None))
    }
}

impl AgentSession for RpcSession {
    fn prompt(&mut self, prompt: Prompt) -> BoxFuture<'_, Result<(), Fault>> {
        Box::pin(async move {
            let (accepted, answer) = oneshot::channel();
            self.send(Command::Prompt { prompt, accepted }).await?;
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
        Box::pin(self.send(Command::SetModel(model)))
    }

    fn close(mut self: Box<Self>) -> BoxFuture<'static, ()> {
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

impl Drop for RpcSession {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

struct Actor<T> {
    talk: T,
    out: Out,
    writer: LineWriter,
    lines: Lines<ChildStdout>,
    notice: Option<String>,
    events: mpsc::Sender<AgentEvent>,
    answers: FuturesUnordered<BoxFuture<'static, (String, Answer)>>,
    cancel: CancellationToken,
    in_turn: bool,
    /// When a turn that was interrupted has to have ended.
    stop_by: Option<Instant>,
}

/// Why the task's loop ended.
enum Ending {
    Closed,
    /// Its output ended.
    Silent,
    /// It did not end its turn when it was interrupted.
    Stuck,
}

enum Next {
    Command(Command),
    Line(String),
    Answer(String, Answer),
    Stuck,
}

impl<T: Talk> Actor<T> {
    async fn run<K>(
        mut self,
        mut child: LineChild,
        early: Vec<Incoming>,
        keep: K,
        mut commands: mpsc::Receiver<Command>,
    ) {
        let ending = self.talk(early, &mut commands).await;
        let fault = match ending {
            Ending::Silent => {
                let (how, last_words) = how_it_ended(&mut child).await;
                Some(faults::crashed(self.talk.label(), &how, last_words.as_deref()))
            }
            Ending::Closed if self.in_turn => {
                // Best effort: the steps after it end the process anyway.
                self.talk.interrupt(&mut self.out);
                self.write_lines().await;
                None
            }
            Ending::Closed | Ending::Stuck => None,
        };
        child.end(PATIENCE).await;
        drop(keep);
        // A slow listener is waited for, but not one that closes the session: it may have stopped reading.
        let told = tokio::select! {
            biased;
            told = self.events.send(AgentEvent::Exited { fault }) => told.is_ok(),
            () = self.cancel.cancelled() => false,
        };
        if !told {
            tracing::debug!("nobody hears that an agent ended");
        }
    }

    async fn talk(&mut self, early: Vec<Incoming>, commands: &mut mpsc::Receiver<Command>) -> Ending {
        for message in early {
            self.talk.incoming(message, &mut self.out);
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
            let stop_by = self.stop_by;
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
                    Err(error) => {
                        tracing::warn!(%error, "an agent's output could not be read");
                        return Ending::Silent;
                    }
                },
                Some((request, answer)) = self.answers.next() => Next::Answer(request, answer),
                () = at(stop_by) => Next::Stuck,
            };
            match next {
                Next::Command(command) => self.command(command),
                Next::Line(line) => {
                    if let Some(message) = parse(&line) {
                        self.talk.incoming(message, &mut self.out);
                    }
                }
                Next::Answer(request, answer) => self.answer(&request, answer),
                Next::Stuck => {
                    self.talk.give_up(&mut self.out);
                    let (outcome, model, cost_usd, usage) = (TurnOutcome::Stopped, None, None, None);
                    self.out.tell(AgentEvent::TurnDone { outcome, model, cost_usd, usage, fault: None });
                    tokio::select! {
                        () = self.carry_out() => {}
                        () = cancel.cancelled() => {}
                    }
                    return Ending::Stuck;
                }
            }
        }
    }

    fn command(&mut self, command: Command) {
        match command {
            Command::Prompt { prompt, accepted } => {
                let outcome = if self.in_turn {
                    Err(faults::busy(self.talk.label()))
                } else {
                    self.in_turn = true;
                    if let Some(notice) = self.notice.take() {
                        self.out.tell(AgentEvent::Notice(notice));
                    }
                    self.talk.prompt(prompt, &mut self.out);
                    Ok(())
                };
                if accepted.send(outcome).is_err() {
                    tracing::debug!("nobody waits for a message to be accepted");
                }
            }
            Command::Interrupt if self.in_turn => {
                self.talk.interrupt(&mut self.out);
                self.stop_by.get_or_insert_with(|| Instant::now() + INTERRUPT_LIMIT);
            }
            Command::Interrupt => {}
            Command::SetModel(model) => self.talk.set_model(model, &mut self.out),
        }
    }

    fn answer(&mut self, request: &str, answer: Answer) {
        // An answer to what was withdrawn would be one too many.
        if let Some(at) = self.out.withdrawn.iter().position(|withdrawn| withdrawn == request) {
            self.out.withdrawn.remove(at);
            return;
        }
        self.out.open.retain(|open| open != request);
        self.talk.answered(request, answer, &mut self.out);
    }

    /// Writes and tells what was decided, in order. May wait for a slow listener.
    async fn carry_out(&mut self) {
        self.write_lines().await;
        self.answers.extend(self.out.answers.drain(..));
        let events: Vec<AgentEvent> = self.out.events.drain(..).collect();
        for event in events {
            // What belongs to no turn of ours is left out, so that every turn has one beginning and one end.
            let of_session = matches!(event, AgentEvent::SessionStarted { .. } | AgentEvent::Offers(_));
            if !self.in_turn && !of_session {
                continue;
            }
            if matches!(event, AgentEvent::TurnDone { .. }) {
                self.in_turn = false;
                self.stop_by = None;
            }
            if self.events.send(event).await.is_err() {
                tracing::debug!("nobody listens to an agent");
            }
        }
    }

    async fn write_lines(&mut self) {
        for line in std::mem::take(&mut self.out.lines) {
            if self.writer.line(line).await.is_err() {
                // The end of its output tells the same with a reason.
                tracing::debug!("an agent that is gone takes no more lines");
            }
        }
    }
}

/// Waits for the time, or for ever where there is none.
async fn at(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time).await,
        None => std::future::pending().await,
    }
}

/// Its output has ended: its process has too, or is about to. How, and its last words on stderr.
pub(super) async fn how_it_ended(child: &mut LineChild) -> (String, Option<String>) {
    let how = match tokio::time::timeout(PATIENCE.after_stdin_closed, child.wait()).await {
        Ok(Ok(status)) => status.to_string(),
        Ok(Err(error)) => error.to_string(),
        Err(_elapsed) => "it fell silent".to_owned(),
    };
    (how, child.last_words())
}
