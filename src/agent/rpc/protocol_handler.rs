//! An adapter's reaction to each message: [`ProtocolHandler`] decides, [`HandlerOutput`] collects what to send.
//!
//! Owns their types and the requests that are shown to a person. Without IO.

use super::message::{Dialect, Incoming};
use crate::adapter::{AgentEvent, PermissionAnswer, PermissionAsked, Prompt, QuestionAnswer, QuestionAsked};
use futures_util::future::BoxFuture;
use gstack_protocol::chat::{QuestionPart, StepKind};
use gstack_protocol::fault::Fault;
use serde_json::Value;
use tokio::sync::oneshot;

/// The host's side of an agent's protocol: takes a message and fills [`HandlerOutput`]. No IO.
pub trait ProtocolHandler: Send + 'static {
    /// Returns the agent's name for people.
    fn label(&self) -> &str;
    /// Tells what is known of the session before its first message.
    fn ready(&mut self, _out: &mut HandlerOutput) {}
    /// Starts a turn with a message. The turn ends with one [`AgentEvent::TurnDone`]. Only called between turns.
    fn prompt(&mut self, prompt: Prompt, out: &mut HandlerOutput);
    /// Handles that the person stops the running turn.
    fn interrupt(&mut self, out: &mut HandlerOutput);
    fn incoming(&mut self, message: Incoming, out: &mut HandlerOutput);
    /// Sets the model for all following turns; `None` for the session's own. Fails if only a new process can use that
    /// model.
    fn set_model(&mut self, model: Option<String>, out: &mut HandlerOutput) -> Result<(), Fault>;
    /// Handles a person's answer, or that there will be none (`None`). Not called for a request that was withdrawn.
    fn answered(&mut self, request: &str, answer: Answer, out: &mut HandlerOutput);
}

/// A person's answer; `None` if there is none.
#[derive(Debug)]
pub enum Answer {
    Permission(Option<PermissionAnswer>),
    Question(Option<QuestionAnswer>),
}

/// The lines and events that a [`ProtocolHandler`] wants to send.
pub struct HandlerOutput {
    dialect: Dialect,
    last_id: u64,
    pub(super) lines: Vec<Vec<u8>>,
    pub(super) events: Vec<AgentEvent>,
    pub(super) answers: Vec<BoxFuture<'static, (String, Answer)>>,
    /// The requests that are shown to a person.
    open: Vec<String>,
    withdrawn: Vec<String>,
}

/// A permission request without its answer channel.
pub struct ToolPermission {
    /// As [`PermissionAsked::step`].
    pub step: Option<String>,
    pub ask: String,
    pub does: String,
    pub content: String,
    pub why: Option<String>,
    pub kind: StepKind,
    pub read_only: bool,
}

impl HandlerOutput {
    pub fn new(dialect: Dialect, last_id: u64) -> Self {
        let (lines, events, answers) = (Vec::new(), Vec::new(), Vec::new());
        Self { dialect, last_id, lines, events, answers, open: Vec::new(), withdrawn: Vec::new() }
    }

    /// Sends a request and returns its id, under which the answer arrives.
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

    /// Sends an event. The end of a turn closes its open cards.
    pub fn tell(&mut self, event: AgentEvent) {
        if matches!(event, AgentEvent::TurnDone { .. }) {
            self.withdraw_all();
        }
        self.events.push(event);
    }

    /// Sends text. `first`: it starts a new block of the answer.
    pub fn tell_text(&mut self, first: bool, text: &str) {
        if first {
            self.events.push(AgentEvent::TextStarted);
        }
        self.events.push(AgentEvent::TextDelta(text.to_owned()));
    }

    pub fn ask(&mut self, request: String, permission: ToolPermission) {
        let (answer, answered) = oneshot::channel();
        let ToolPermission { step, ask, does, content, why, kind, read_only } = permission;
        self.open.push(request.clone());
        self.events.push(AgentEvent::PermissionAsked(PermissionAsked {
            request: request.clone(),
            step,
            ask,
            does,
            content,
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

    /// Closes a card if it is open, without an answer.
    pub fn withdraw(&mut self, request: &str) {
        if let Some(at) = self.open.iter().position(|open| open == request) {
            self.open.remove(at);
            self.events.push(AgentEvent::Withdrawn { request: request.to_owned() });
            self.withdrawn.push(request.to_owned());
        }
    }

    /// Records that a person's answer has arrived. Returns false if the request was withdrawn and must not be answered
    /// again.
    pub(super) fn is_awaited(&mut self, request: &str) -> bool {
        if let Some(at) = self.withdrawn.iter().position(|withdrawn| withdrawn == request) {
            self.withdrawn.remove(at);
            return false;
        }
        self.open.retain(|open| open != request);
        true
    }

    fn withdraw_all(&mut self) {
        for request in std::mem::take(&mut self.open) {
            self.events.push(AgentEvent::Withdrawn { request: request.clone() });
            self.withdrawn.push(request);
        }
    }

    /// Returns the events and lines, for tests of a [`ProtocolHandler`].
    #[cfg(test)]
    pub fn drain(&mut self) -> (Vec<AgentEvent>, Vec<Vec<u8>>) {
        (std::mem::take(&mut self.events), std::mem::take(&mut self.lines))
    }
}
