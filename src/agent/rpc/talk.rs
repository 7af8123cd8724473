//! What an adapter says and does about each message: [`Talk`] decides, [`Out`] holds what it wants done.
//!
//! Owns their shapes and the requests that a person looks at. Without IO.

use super::message::{Dialect, Incoming};
use crate::agent::adapter::{AgentEvent, PermissionAnswer, PermissionAsked, Prompt, QuestionAnswer, QuestionAsked};
use crate::protocol::chat::{QuestionPart, StepKind};
use crate::protocol::fault::Fault;
use futures_util::future::BoxFuture;
use serde_json::Value;
use tokio::sync::oneshot;

/// An agent's side of the protocol: message in, [`Out`] filled. No IO.
pub trait Talk: Send + 'static {
    /// The agent's name as people know it.
    fn label(&self) -> &str;
    /// A message begins a turn, which ends by one [`AgentEvent::TurnDone`]. Only called between turns.
    fn prompt(&mut self, prompt: Prompt, out: &mut Out);
    /// The person stops the running turn.
    fn interrupt(&mut self, out: &mut Out);
    fn incoming(&mut self, message: Incoming, out: &mut Out);
    /// For the turns from now on; `None`: the session's own. An error where only a new process can have that model.
    fn set_model(&mut self, model: Option<String>, out: &mut Out) -> Result<(), Fault>;
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
    pub(super) lines: Vec<Vec<u8>>,
    pub(super) events: Vec<AgentEvent>,
    pub(super) answers: Vec<BoxFuture<'static, (String, Answer)>>,
    /// The requests that a person looks at.
    open: Vec<String>,
    withdrawn: Vec<String>,
}

/// A permission to ask for, without the way back.
pub struct ToolPermission {
    pub ask: String,
    pub does: String,
    pub content: String,
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

    pub fn ask(&mut self, request: String, permission: ToolPermission) {
        let (answer, answered) = oneshot::channel();
        let ToolPermission { ask, does, content, why, kind, read_only } = permission;
        self.open.push(request.clone());
        self.events.push(AgentEvent::PermissionAsked(PermissionAsked {
            request: request.clone(),
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

    /// Closes a card, where it is open: nothing is answered.
    pub fn withdraw(&mut self, request: &str) {
        if let Some(at) = self.open.iter().position(|open| open == request) {
            self.open.remove(at);
            self.events.push(AgentEvent::Withdrawn { request: request.to_owned() });
            self.withdrawn.push(request.to_owned());
        }
    }

    /// A person's answer has come. False where the request was withdrawn: an answer to that would be one too many.
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

    /// What was told and said, for tests of a [`Talk`].
    #[cfg(test)]
    pub fn drain(&mut self) -> (Vec<AgentEvent>, Vec<Vec<u8>>) {
        (std::mem::take(&mut self.events), std::mem::take(&mut self.lines))
    }
}
