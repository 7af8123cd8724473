//! An ACP agent's messages as the one vocabulary of agent events, and what is said back.
//!
//! A state machine without IO. Owns the turn, its calls and the permissions that wait for a person.

use super::call::Call;
use super::faults;
use super::wire::{
    Chunk, Commands, Content, PermissionOption, PermissionRequest, Plan, PromptDone, ToolCall, Update, UsageUpdate,
};
use crate::agent::adapter::{AgentEvent, Offers, PermissionAnswer, Prompt, Tools};
use crate::agent::clip::{STEP_BYTES, clip};
use crate::agent::guard::Guard;
use crate::agent::prompt;
use crate::agent::rpc::message::{Incoming, RpcError, read};
use crate::agent::rpc::session::{Answer, Out, Talk, Wish};
use crate::protocol::agents::SlashCommand;
use crate::protocol::chat::{PlanEntry, PlanStatus, StepOutcome, TurnOutcome, Usage};
use crate::protocol::ids::StepId;
use base64::Engine;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// What is fixed for a session.
pub struct Session {
    pub label: String,
    /// The command that signs in, where it is known.
    pub sign_in: Option<String>,
    pub session_id: String,
    pub tools: Arc<dyn Tools>,
    /// The registry's names of the tools that it was given.
    pub offered: Vec<String>,
    pub guard: Guard,
    pub folder: PathBuf,
    pub model: Option<String>,
    pub takes_images: bool,
    /// How a model is set, where it can be.
    pub model_setting: Option<ModelSetting>,
    /// Instructions that the first message carries, for an agent that takes none apart.
    pub preamble: Option<String>,
    pub offers: Offers,
}

/// Agents differ in the method that sets a model.
#[derive(Clone, Debug)]
pub enum ModelSetting {
    /// `session/set_model`
    Method,
    /// `session/set_config_option` with this option.
    Option(String),
}

pub struct AcpTalk {
    session: Session,
    told_session: bool,
    turn: Option<Turn>,
    waiting: HashMap<String, Waiting>,
    /// What the session has cost until now, in US dollars, and when the turn began.
    cost: Option<f64>,
    cost_before: f64,
    context: (u64, u64),
    /// The message that the turn before ended in: its late parts are not the next turn's.
    past: Option<String>,
}

#[derive(Default)]
struct Turn {
    /// The id of our `session/prompt`.
    asked: u64,
    stopping: bool,
    speaking: Speaking,
    calls: HashMap<String, Call>,
    /// The calls in the order in which they came.
    order: Vec<String>,
}

/// What grows now: a call between two chunks begins a new block.
#[derive(Default, PartialEq)]
enum Speaking {
    #[default]
    Nothing,
    Text(Option<String>),
    Thought(Option<String>),
}

/// A permission that a person looks at.
struct Waiting {
    id: Value,
    options: Vec<PermissionOption>,
    call: String,
}

impl AcpTalk {
    pub fn new(session: Session) -> Self {
        Self {
            session,
            told_session: false,
            turn: None,
            waiting: HashMap::new(),
            cost: None,
            cost_before: 0.0,
            context: (0, 0),
            past: None,
        }
    }

    fn tell_session(&mut self, out: &mut Out) {
        if !std::mem::replace(&mut self.told_session, true) {
            let (resume, model) = (self.session.session_id.clone(), self.session.model.clone());
            out.tell(AgentEvent::SessionStarted { resume, model });
            out.tell(AgentEvent::Offers(std::mem::take(&mut self.session.offers)));
        }
    }

    fn updated(&mut self, update: Update, out: &mut Out) {
        match update {
            Update::Message(chunk) => self.say(chunk, out),
            Update::Thought(chunk) => self.think(chunk, out),
            Update::ToolCall(call) => self.call(*call, out),
            Update::Plan(plan) => out.tell(AgentEvent::Plan(entries(plan))),
            Update::Commands(commands) => {
                let commands = Some(slash_commands(commands));
                out.tell(AgentEvent::Offers(Offers { commands, ..Offers::default() }));
            }
            Update::Usage(usage) => self.used(&usage),
            Update::Ignored => {}
        }
    }

    fn say(&mut self, chunk: Chunk, out: &mut Out) {
        let Content::Text { text } = chunk.content else { return };
        let late = chunk.message_id.is_some() && chunk.message_id == self.past;
        let Some(turn) = self.turn.as_mut().filter(|_| !late && !text.is_empty()) else { return };
        let now = Speaking::Text(chunk.message_id);
        let first = turn.speaking != now;
        turn.speaking = now;
        out.tell_text(first, &text);
    }

    fn think(&mut self, chunk: Chunk, out: &mut Out) {
        let Content::Text { text } = chunk.content else { return };
        let Some(turn) = self.turn.as_mut().filter(|_| !text.is_empty()) else { return };
        let now = Speaking::Thought(chunk.message_id);
        if turn.speaking != now {
            turn.speaking = now;
            out.tell(AgentEvent::ThinkingStarted);
        }
        out.tell(AgentEvent::ThinkingDelta(text));
    }

    fn call(&mut self, update: ToolCall, out: &mut Out) {
        let Some(turn) = &mut self.turn else { return };
        let id = update.tool_call_id.clone();
        turn.speaking = Speaking::Nothing;
        if !turn.calls.contains_key(&id) {
            turn.order.push(id.clone());
        }
        turn.calls.entry(id.clone()).or_default().merge(update);
        if turn.calls.get(&id).is_some_and(Call::is_telling) {
            self.begin(&id, out);
        }
        self.finish(&id, out);
    }

    /// Tells the beginning of a call, once.
    fn begin(&mut self, id: &str, out: &mut Out) {
        let Some(call) = self.turn.as_mut().and_then(|turn| turn.calls.get_mut(id)) else { return };
        if std::mem::replace(&mut call.begun, true) {
            return;
        }
        let (words, tool, arguments) = call.describe(&self.session.offered, self.session.tools.as_ref());
        let step_id = StepId::new(id);
        out.tell(AgentEvent::StepStarted { step_id, words, tool, arguments: clip(&arguments, STEP_BYTES) });
    }

    fn finish(&mut self, id: &str, out: &mut Out) {
        let Some(turn) = &mut self.turn else { return };
        let Some(call) = turn.calls.get_mut(id).filter(|call| !call.done) else { return };
        let outcome = match call.status() {
            "completed" => StepOutcome::Ok,
            "failed" if call.denied => StepOutcome::Denied,
            "failed" if turn.stopping => StepOutcome::Unknown,
            "failed" => StepOutcome::Failed,
            _ => return,
        };
        call.done = true;
        let (text, images) = call.result();
        let result = clip(&text, STEP_BYTES);
        out.tell(AgentEvent::StepDone { step_id: StepId::new(id), outcome, result, images });
    }

    fn used(&mut self, usage: &UsageUpdate) {
        self.context = (usage.used, usage.size);
        if let Some(cost) = usage.cost.as_ref().filter(|cost| cost.currency == "USD") {
            self.cost = Some(cost.amount);
        }
    }

    fn asked(&mut self, id: Value, request: PermissionRequest, out: &mut Out) {
        let PermissionRequest { options, tool_call } = request;
        let call_id = tool_call.tool_call_id.clone();
        if self.turn.is_none() {
            return out.answer(&id, refused(&options));
        }
        // The request may be the first that is heard of the call.
        self.call(tool_call, out);
        self.begin(&call_id, out);
        let Session { guard, folder, offered, .. } = &self.session;
        let Some(call) = self.turn.as_mut().and_then(|turn| turn.calls.get_mut(&call_id)) else { return };
        // The policy asks for these itself, where the call arrives.
        if call.own_tool(offered).is_some() {
            return out.answer(&id, allowed(&options));
        }
        if call.is_closed(guard, folder) {
            call.denied = true;
            return out.answer(&id, refused(&options));
        }
        let (ask, does, kind) = call.question();
        let wish = Wish { ask, does, why: call.reason(), kind, read_only: call.only_reads(guard, folder) };
        let request = id.to_string();
        self.waiting.insert(request.clone(), Waiting { id, options, call: call_id });
        out.ask(request, wish);
    }

    fn prompt_done(&mut self, outcome: Result<Box<RawValue>, RpcError>, out: &mut Out) {
        let Some(turn) = self.turn.take() else { return };
        self.waiting.clear();
        close_calls(&turn, out);
        if let Speaking::Text(id) | Speaking::Thought(id) = &turn.speaking {
            self.past.clone_from(id);
        }
        let done = outcome.map(|answer| read::<PromptDone>(&answer, "session/prompt").unwrap_or_default());
        let label = &self.session.label;
        let (outcome, fault) = match &done {
            Ok(done) => match done.stop_reason.as_str() {
                "cancelled" => (TurnOutcome::Stopped, None),
                "end_turn" => (TurnOutcome::Done, None),
                _ if turn.stopping => (TurnOutcome::Stopped, None),
                reason => (TurnOutcome::Failed, Some(faults::of_stop_reason(label, reason))),
            },
            Err(_) if turn.stopping => (TurnOutcome::Stopped, None),
            Err(error) => {
                let fault = faults::of_error(label, self.session.sign_in.as_deref(), error);
                (TurnOutcome::Failed, Some(fault))
            }
        };
        let tokens = done.ok().and_then(|done| done.tokens());
        let (context_tokens, context_window) = self.context;
        let usage = tokens.map(|tokens| Usage {
            input_tokens: tokens.input_tokens,
            output_tokens: tokens.output_tokens,
            cached_tokens: tokens.cached_read_tokens,
            context_tokens,
            context_window,
        });
        let cost_usd = self.cost.map(|cost| (cost - self.cost_before).max(0.0));
        let model = self.session.model.clone();
        out.tell(AgentEvent::TurnDone { outcome, model, cost_usd, usage, fault });
    }
}

impl Talk for AcpTalk {
    fn label(&self) -> &str {
        &self.session.label
    }

    fn prompt(&mut self, prompt: Prompt, out: &mut Out) {
        self.tell_session(out);
        let text = prompt::message(&prompt);
        let text = match self.session.preamble.take() {
            Some(preamble) => format!("<instructions>\n{preamble}\n</instructions>\n\n{text}"),
            None => text,
        };
        let mut content = vec![json!({"type": "text", "text": text})];
        if self.session.takes_images {
            content.extend(prompt.images.iter().map(|image| {
                let data = base64::engine::general_purpose::STANDARD.encode(&image.bytes);
                json!({"type": "image", "mimeType": image.mime, "data": data})
            }));
        } else if !prompt.images.is_empty() {
            out.tell(AgentEvent::Notice(format!("{} can't look at pictures: they were left out.", self.session.label)));
        }
        self.cost_before = self.cost.unwrap_or(0.0);
        let asked = out.request("session/prompt", json!({"sessionId": self.session.session_id, "prompt": content}));
        self.turn = Some(Turn { asked, ..Turn::default() });
    }

    fn interrupt(&mut self, out: &mut Out) {
        let Some(turn) = &mut self.turn else { return };
        turn.stopping = true;
        out.notify("session/cancel", json!({"sessionId": self.session.session_id}));
        // Whoever cancels answers what is open, the protocol says.
        for (request, waiting) in self.waiting.drain() {
            out.withdraw(&request);
            out.answer(&waiting.id, json!({"outcome": {"outcome": "cancelled"}}));
        }
    }

    fn incoming(&mut self, message: Incoming, out: &mut Out) {
        match message {
            Incoming::Answer { id, outcome } => {
                if self.turn.as_ref().is_some_and(|turn| turn.asked == id) {
                    self.prompt_done(outcome, out);
                }
            }
            Incoming::Notification { method, params } if method == "session/update" => match Update::parse(&params) {
                Some(update) => self.updated(update, out),
                None => tracing::debug!("an ACP agent told something unknown"),
            },
            Incoming::Notification { .. } => {}
            Incoming::Request { id, method, params } => match method.as_str() {
                "session/request_permission" => match read::<PermissionRequest>(&params, &method) {
                    Some(request) => self.asked(id, request, out),
                    None => out.answer(&id, json!({"outcome": {"outcome": "cancelled"}})),
                },
                _ => out.unsupported(&id),
            },
        }
    }

    fn set_model(&mut self, model: Option<String>, out: &mut Out) {
        let model = model.filter(|model| super::start::is_model(model));
        let (Some(model), Some(setting)) = (model, &self.session.model_setting) else { return };
        super::start::set_model(&self.session.session_id, setting, &model, |method, params| {
            out.request(method, params);
        });
        self.session.model = Some(model);
    }

    fn answered(&mut self, request: &str, answer: Answer, out: &mut Out) {
        let Some(Waiting { id, options, call }) = self.waiting.remove(request) else { return };
        if matches!(answer, Answer::Permission(Some(PermissionAnswer::Allow))) {
            return out.answer(&id, allowed(&options));
        }
        if let Some(call) = self.turn.as_mut().and_then(|turn| turn.calls.get_mut(&call)) {
            call.denied = true;
        }
        out.answer(&id, refused(&options));
    }

    fn give_up(&mut self, out: &mut Out) {
        if let Some(turn) = self.turn.take() {
            close_calls(&turn, out);
        }
    }
}

/// Calls that have no result when the turn ends were cut off, or never began because they were denied.
fn close_calls(turn: &Turn, out: &mut Out) {
    for id in &turn.order {
        let Some(call) = turn.calls.get(id).filter(|call| call.begun && !call.done) else { continue };
        let outcome = if call.denied { StepOutcome::Denied } else { StepOutcome::Unknown };
        let (step_id, result, images) = (StepId::new(id), String::new(), Vec::new());
        out.tell(AgentEvent::StepDone { step_id, outcome, result, images });
    }
}

/// Chosen by kind, never by id or position. What a person allows once is not allowed for ever.
fn allowed(options: &[PermissionOption]) -> Value {
    choose(options, &["allow_once", "allow_always"])
}

fn refused(options: &[PermissionOption]) -> Value {
    choose(options, &["reject_once", "reject_always"])
}

fn choose(options: &[PermissionOption], kinds: &[&str]) -> Value {
    let chosen = kinds.iter().find_map(|kind| options.iter().find(|option| option.kind == *kind));
    match chosen {
        Some(option) => json!({"outcome": {"outcome": "selected", "optionId": option.option_id}}),
        None => json!({"outcome": {"outcome": "cancelled"}}),
    }
}

fn entries(plan: Plan) -> Vec<PlanEntry> {
    let entry = |step: super::wire::PlanStep| {
        let status = match step.status.as_str() {
            "completed" => PlanStatus::Done,
            "in_progress" => PlanStatus::Running,
            _ => PlanStatus::Pending,
        };
        PlanEntry { text: step.content, status }
    };
    plan.entries.into_iter().map(entry).collect()
}

fn slash_commands(commands: Commands) -> Vec<SlashCommand> {
    let command = |command: super::wire::Command| SlashCommand {
        name: command.name,
        description: command.description.unwrap_or_default(),
        hint: command.input.and_then(|input| input.hint).unwrap_or_default(),
    };
    commands.available_commands.into_iter().map(command).collect()
}
