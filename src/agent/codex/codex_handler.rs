//! Maps Codex's messages to agent events, and decides the answers.
//!
//! A state machine without IO. Owns the turn and its steps. `requests` has Codex's requests to the person.

mod requests;

use super::codex_turn::CodexTurn;
use super::faults::{self, LABEL, PROGRAM};
use super::models::Models;
use super::options::SERVER;
use super::wire::{
    Item, Notification, OfItem, PlanUpdated, RateLimits, Request, ThreadStarted, Tokens, TurnAccepted, TurnError,
};
use super::words;
use crate::adapter::{AgentEvent, Image, Prompt, StepWords, Tools};
use crate::clip::{RESULT_BYTES, STEP_BYTES, clip};
use crate::faults::local_time;
use crate::guard::Guard;
use crate::prompt;
use crate::rpc::content;
use crate::rpc::message::{Incoming, RpcError, read};
use crate::rpc::protocol_handler::{Answer, HandlerOutput, ProtocolHandler};
use base64::Engine;
use gstack_protocol::catalogue;
use gstack_protocol::chat::{PlanEntry, PlanStatus, StepKind, StepOutcome, TurnOutcome};
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::StepId;
use requests::Waiting;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// The person gets a notice when this percentage of their limit is used.
const LIMIT_IS_NEAR: f64 = 90.0;

/// One thread of Codex.
pub(super) struct CodexHandler {
    tools: Arc<dyn Tools>,
    guard: Guard,
    folder: PathBuf,
    thread: String,
    models: Models,
    uses_key: bool,
    told_session: bool,
    told_limit: bool,
    told_no_tools: bool,
    /// The tokens that the thread has used so far.
    used: Tokens,
    /// The tokens that it had used when the turn started.
    used_before: Tokens,
    turn: Option<CodexTurn>,
    waiting: HashMap<String, Waiting>,
}

impl CodexHandler {
    pub(super) fn new(
        tools: Arc<dyn Tools>,
        guard: Guard,
        folder: PathBuf,
        thread: ThreadStarted,
        uses_key: bool,
    ) -> Self {
        Self {
            tools,
            guard,
            folder,
            thread: thread.thread.id,
            models: Models::of(thread.model, thread.reasoning_effort),
            uses_key,
            told_session: false,
            told_limit: false,
            told_no_tools: false,
            used: Tokens::default(),
            used_before: Tokens::default(),
            turn: None,
            waiting: HashMap::new(),
        }
    }

    /// Sets the model for all following turns: `fast`, `deep` or one of its models; `None` for the thread's own.
    /// Returns false if that is no longer known.
    pub(super) fn choose_model(&mut self, model: Option<String>) -> bool {
        self.models.choose(model)
    }

    fn tell_session(&mut self, out: &mut HandlerOutput) {
        if !std::mem::replace(&mut self.told_session, true) {
            out.tell(AgentEvent::SessionStarted { resume: self.thread.clone(), model: self.models.now.clone() });
        }
    }

    fn answer_to_us(
        &mut self,
        id: u64,
        outcome: Result<Box<serde_json::value::RawValue>, RpcError>,
        out: &mut HandlerOutput,
    ) {
        let Some(turn) = self.turn.as_mut().filter(|turn| turn.asked == id) else { return };
        match outcome {
            Ok(answer) => {
                if let Some(accepted) = read::<TurnAccepted>(&answer, "turn/start") {
                    self.turn_has_id(accepted.turn.id);
                }
            }
            Err(error) => {
                turn.error = Some(TurnError { message: error.message, ..TurnError::default() });
                self.end_turn("failed", out);
            }
        }
    }

    fn turn_has_id(&mut self, id: String) {
        if let Some(turn) = self.turn.as_mut().filter(|turn| turn.id.is_none() && !id.is_empty()) {
            turn.id = Some(id);
        }
    }

    fn send_interrupt(&self, out: &mut HandlerOutput) {
        if let Some(id) = self.turn.as_ref().and_then(|turn| turn.id.as_ref()) {
            out.request("turn/interrupt", json!({"threadId": self.thread, "turnId": id}));
        }
    }

    fn notified(&mut self, notification: Notification, out: &mut HandlerOutput) {
        match notification {
            Notification::TurnStarted(of) => {
                self.turn_has_id(of.turn.id);
                // An interrupt is refused before the turn has started.
                if self.turn.as_ref().is_some_and(|turn| turn.stopping) {
                    self.send_interrupt(out);
                }
            }
            Notification::TurnCompleted(of) => {
                if let Some(turn) = self.turn.as_mut()
                    && of.turn.error.is_some()
                {
                    turn.error = of.turn.error;
                }
                self.end_turn(&of.turn.status, out);
            }
            Notification::ItemStarted(OfItem { item }) => self.begin_step(&item, out),
            Notification::ItemCompleted(OfItem { item }) => self.item_done(item, out),
            Notification::TextDelta(delta) => self.say(&delta.item_id, delta.delta, out),
            Notification::ThinkingDelta(delta) => self.think(&delta.item_id, delta.delta, out),
            Notification::ThinkingPart(part) => {
                let began = self.turn.as_mut().is_some_and(|turn| !turn.grow(&part.item_id, ""));
                if began {
                    self.think(&part.item_id, "\n\n".to_owned(), out);
                }
            }
            Notification::PlanUpdated(plan) => out.tell(AgentEvent::Plan(entries(plan))),
            Notification::TokenUsage(updated) => {
                self.used = updated.token_usage.total;
                if let Some(turn) = &mut self.turn {
                    turn.count(&updated.token_usage, self.used_before);
                }
            }
            Notification::RateLimits(updated) => self.limits(&updated.rate_limits, out),
            Notification::Error(told) if told.will_retry => {
                out.tell(AgentEvent::Notice(faults::trying_again(&told.error)));
            }
            Notification::Error(told) => {
                if let Some(turn) = &mut self.turn {
                    turn.error = Some(told.error);
                }
            }
            Notification::RequestResolved(resolved) => {
                let request = resolved.request_id.to_string();
                if self.waiting.remove(&request).is_some() {
                    out.withdraw(&request);
                }
            }
            Notification::McpStartup(startup) => {
                let failed = startup.name == SERVER && startup.status == "failed";
                if failed && !std::mem::replace(&mut self.told_no_tools, true) {
                    out.tell(AgentEvent::Notice(catalogue::TOOLS_NOT_REACHED.with([LABEL])));
                }
            }
            Notification::Compacted => {
                out.tell(AgentEvent::Notice(catalogue::BEGINNING_SUMMARISED.into()));
            }
            Notification::Rerouted(rerouted) => {
                out.tell(AgentEvent::Notice(catalogue::OTHER_MODEL_ANSWERS.with([&rerouted.to_model])));
                self.models.now = Some(rerouted.to_model);
            }
            Notification::Ignored => {}
        }
    }

    fn limits(&mut self, limits: &RateLimits, out: &mut HandlerOutput) {
        let windows = [&limits.primary, &limits.secondary].into_iter().flatten();
        let fullest = windows.max_by(|one, other| one.used_percent.total_cmp(&other.used_percent));
        let Some(window) = fullest.filter(|window| window.used_percent >= LIMIT_IS_NEAR) else {
            self.told_limit = false;
            return;
        };
        if std::mem::replace(&mut self.told_limit, true) {
            return;
        }
        let used = format!("{:.0}", window.used_percent);
        out.tell(AgentEvent::Notice(match local_time(window.resets_at) {
            Some(time) => catalogue::LIMIT_USED_UNTIL.with([LABEL, &used, &time]),
            None => catalogue::LIMIT_USED.with([LABEL, &used]),
        }));
    }

    fn say(&mut self, item: &str, text: String, out: &mut HandlerOutput) {
        let Some(turn) = self.turn.as_mut().filter(|_| !text.is_empty()) else { return };
        if turn.grow(item, &text) {
            out.tell(AgentEvent::TextStarted);
        }
        out.tell(AgentEvent::TextDelta(text));
    }

    fn think(&mut self, item: &str, text: String, out: &mut HandlerOutput) {
        let Some(turn) = self.turn.as_mut().filter(|_| !text.is_empty()) else { return };
        if turn.grow(item, &text) {
            out.tell(AgentEvent::ThinkingStarted);
        }
        out.tell(AgentEvent::ThinkingDelta(text));
    }

    /// Sends the start of an item that is a step, once.
    fn begin_step(&mut self, item: &Item, out: &mut HandlerOutput) {
        let Some((id, tool, words, arguments)) = self.step_of(item) else { return };
        let Some(turn) = self.turn.as_mut().filter(|turn| !turn.open_steps.contains(&id)) else { return };
        if let Item::FileChange { changes, .. } = item {
            turn.changes.insert(id.clone(), changes.clone());
        }
        turn.open_steps.push(id.clone());
        let step_id = StepId::new(id);
        out.tell(AgentEvent::StepStarted { step_id, words, tool, arguments: clip(&arguments, STEP_BYTES) });
    }

    fn step_of(&self, item: &Item) -> Option<(String, String, StepWords, String)> {
        Some(match item {
            Item::CommandExecution { id, command, .. } => {
                let arguments = json!({"command": command}).to_string();
                (id.clone(), "shell".to_owned(), words::running(command), arguments)
            }
            Item::FileChange { id, changes, .. } => {
                let diffs: Vec<Value> =
                    changes.iter().map(|change| json!({"path": change.path, "diff": change.diff})).collect();
                let words = words::changing(changes, &self.folder);
                (id.clone(), "apply_patch".to_owned(), words, Value::Array(diffs).to_string())
            }
            Item::McpToolCall { id, server, tool, arguments, .. } => {
                let words = match server == SERVER {
                    true => self.tools.describe(tool, arguments),
                    false => words::words(StepKind::Other, "Using", tool),
                };
                (id.clone(), tool.clone(), words, arguments.to_string())
            }
            Item::WebSearch { id, query } => {
                let words = words::words(StepKind::Read, "Searching the web for", query);
                (id.clone(), "web_search".to_owned(), words, String::new())
            }
            Item::ImageView { id, path } => {
                (id.clone(), "view_image".to_owned(), words::words(StepKind::File, "Looking at", path), String::new())
            }
            _ => return None,
        })
    }

    fn item_done(&mut self, item: Item, out: &mut HandlerOutput) {
        self.begin_step(&item, out);
        match item {
            Item::AgentMessage { id, text } | Item::Plan { id, text } => {
                let rest = self.turn.as_mut().and_then(|turn| turn.rest_of(&id, &text));
                if let Some((first, rest)) = rest {
                    out.tell_text(first, rest);
                }
            }
            Item::Reasoning { id, summary, content } => {
                let whole = if summary.is_empty() { content.join("\n\n") } else { summary.join("\n\n") };
                let rest = self.turn.as_mut().and_then(|turn| turn.rest_of(&id, &whole));
                if let Some((first, rest)) = rest {
                    if first {
                        out.tell(AgentEvent::ThinkingStarted);
                    }
                    out.tell(AgentEvent::ThinkingDelta(rest.to_owned()));
                }
            }
            Item::CommandExecution { id, status, aggregated_output, exit_code, .. } => {
                let output = aggregated_output.unwrap_or_default();
                let failed = exit_code.filter(|code| *code != 0);
                let told = failed.map_or(output.clone(), |code| format!("{output}\n(exit code {code})"));
                self.step_done(id, &status, told.trim().to_owned(), Vec::new(), out);
            }
            Item::FileChange { id, status, .. } => self.step_done(id, &status, String::new(), Vec::new(), out),
            Item::McpToolCall { id, status, result, error, .. } => {
                let (text, images) = result.map(|result| content::read(result.content)).unwrap_or_default();
                let text = error.map_or(text, |error| error.message);
                self.step_done(id, &status, text, images, out);
            }
            Item::WebSearch { id, .. } | Item::ImageView { id, .. } => {
                self.step_done(id, "completed", String::new(), Vec::new(), out);
            }
            Item::UserMessage {} | Item::ContextCompaction {} | Item::Other => {}
        }
    }

    fn step_done(&mut self, id: String, status: &str, result: String, images: Vec<Image>, out: &mut HandlerOutput) {
        let Some(turn) = self.turn.as_mut() else { return };
        let Some(at) = turn.open_steps.iter().position(|open| *open == id) else { return };
        turn.open_steps.remove(at);
        let outcome = match status {
            "completed" => StepOutcome::Ok,
            _ if turn.denied.contains(&id) => StepOutcome::Denied,
            _ if turn.stopping => StepOutcome::Unknown,
            "declined" => StepOutcome::Denied,
            _ => StepOutcome::Failed,
        };
        let result = clip(&result, RESULT_BYTES);
        out.tell(AgentEvent::StepDone { step_id: StepId::new(id), outcome, result, images });
    }

    fn end_turn(&mut self, status: &str, out: &mut HandlerOutput) {
        let Some(turn) = self.turn.take() else { return };
        self.waiting.clear();
        turn.close_steps(out);
        let outcome = match status {
            "completed" => TurnOutcome::Done,
            _ if turn.stopping => TurnOutcome::Stopped,
            "interrupted" => TurnOutcome::Stopped,
            _ => TurnOutcome::Failed,
        };
        let fault = (outcome == TurnOutcome::Failed)
            .then(|| faults::of_turn(turn.error.as_ref().unwrap_or(&TurnError::default()), self.uses_key));
        let model = self.models.now.clone();
        out.tell(AgentEvent::TurnDone { outcome, model, cost_usd: None, usage: turn.usage, fault });
    }
}

impl ProtocolHandler for CodexHandler {
    fn label(&self) -> &str {
        PROGRAM.label
    }

    fn prompt(&mut self, prompt: Prompt, out: &mut HandlerOutput) {
        self.tell_session(out);
        let mut input = vec![json!({"type": "text", "text": prompt::message(&prompt)})];
        input.extend(prompt.images.iter().map(|image| {
            let data = base64::engine::general_purpose::STANDARD.encode(&image.bytes);
            json!({"type": "image", "url": format!("data:{};base64,{data}", image.mime)})
        }));
        let mut params = json!({"threadId": self.thread, "input": input});
        self.models.put_into(&mut params);
        self.used_before = self.used;
        let asked = out.request("turn/start", params);
        self.turn = Some(CodexTurn { asked, ..CodexTurn::default() });
    }

    fn interrupt(&mut self, out: &mut HandlerOutput) {
        if let Some(turn) = &mut self.turn {
            turn.stopping = true;
        }
        self.send_interrupt(out);
    }

    fn incoming(&mut self, message: Incoming, out: &mut HandlerOutput) {
        match message {
            Incoming::Answer { id, outcome } => self.answer_to_us(id, outcome, out),
            Incoming::Notification { method, params } => match Notification::parse(&method, &params) {
                Some(notification) => self.notified(notification, out),
                None => tracing::debug!(method, "Codex told something unknown"),
            },
            Incoming::Request { id, method, params } => match Request::parse(&method, &params) {
                Some(request) => self.asked(id, request, out),
                None => out.unsupported(&id),
            },
        }
    }

    fn set_model(&mut self, model: Option<String>, _out: &mut HandlerOutput) -> Result<(), Fault> {
        let taken = self.choose_model(model);
        taken.then_some(()).ok_or_else(faults::own_model_unknown)
    }

    fn answered(&mut self, request: &str, answer: Answer, out: &mut HandlerOutput) {
        self.answer(request, answer, out);
    }
}

fn entries(plan: PlanUpdated) -> Vec<PlanEntry> {
    let entry = |step: super::wire::PlanStep| {
        let status = match step.status.as_str() {
            "completed" => PlanStatus::Done,
            "inProgress" => PlanStatus::Running,
            _ => PlanStatus::Pending,
        };
        PlanEntry { text: step.step, status }
    };
    plan.plan.into_iter().map(entry).collect()
}
