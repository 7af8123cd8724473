//! Maps an ACP agent's messages to agent events, and decides the answers.
//!
//! A state machine without IO. Owns the turn and its calls. `permission` has the open permission requests, `question` the open
//! questions, `ending` the end of a turn.

mod ending;
mod permission;
mod question;

use super::agreed::Session;
use super::call::Call;
use super::resume::NO_METHOD;
use super::wire::{
    CancelRequest, Chunk, Commands, ConfigUpdate, PermissionRequest, Plan, ToolCall, Update, UsageUpdate,
};
use crate::adapter::{AgentEvent, Offers, Prompt};
use crate::clip::{RESULT_BYTES, STEP_BYTES, clip};
use crate::prompt;
use crate::rpc::content::Content;
use crate::rpc::message::{Incoming, RpcError, read};
use crate::rpc::protocol_handler::{Answer, HandlerOutput, ProtocolHandler};
use base64::Engine;
use gstack_protocol::agents::SlashCommand;
use gstack_protocol::catalogue::{self, Sentence};
use gstack_protocol::chat::{PlanEntry, PlanStatus, StepOutcome};
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::StepId;
use permission::Waiting;
use question::Question;
use serde_json::json;
use serde_json::value::RawValue;
use std::collections::HashMap;

pub(super) struct AcpHandler {
    session: Session,
    told_session: bool,
    turn: Option<AcpTurn>,
    waiting: HashMap<String, Waiting>,
    questions: HashMap<String, Question>,
    /// The cost of the session so far, in US dollars; `cost_before` is its cost when the turn started.
    cost: Option<f64>,
    cost_before: f64,
    context: (u64, u64),
    /// The id of the last message of the previous turn, whose late chunks do not belong to the next turn.
    past: Option<String>,
    /// Unanswered changes of the model, in order: the id of our request, and the model.
    asked_models: Vec<(u64, String)>,
    /// The model that the agent confirmed last, while changes are unanswered.
    confirmed_model: Option<String>,
    told_one_model: bool,
    /// The names of the agent's own commands.
    commands: Vec<String>,
    /// Our request to change back to the mode that asks, and the name of the mode that the agent had changed to.
    going_back: Option<(u64, String)>,
    /// A notice to send when the next turn starts.
    to_tell: Option<Sentence>,
    /// The previous turn was stopped. Some agents send more of it after its end, and some do not name their messages.
    was_stopped: bool,
}

#[derive(Default)]
struct AcpTurn {
    /// The id of our `session/prompt`.
    asked: u64,
    /// The id of the fence request: everything before its answer belongs to the previous turn.
    fence: Option<u64>,
    stopping: bool,
    speaking: Speaking,
    calls: HashMap<String, Call>,
    /// The calls in order of arrival.
    order: Vec<String>,
    /// The message is a command of the agent, which may have no answer.
    is_command: bool,
    /// The agent said something, called a tool or showed a plan.
    has_answer: bool,
    /// What the agent said since it reported that the turn has failed.
    failure: Option<String>,
}

/// The growing block. A call between two chunks starts a new one.
#[derive(Default, PartialEq)]
enum Speaking {
    #[default]
    Nothing,
    Text(Option<String>),
    Thought(Option<String>),
}

impl AcpHandler {
    pub(super) fn new(session: Session) -> Self {
        Self {
            session,
            told_session: false,
            turn: None,
            waiting: HashMap::new(),
            questions: HashMap::new(),
            cost: None,
            cost_before: 0.0,
            context: (0, 0),
            past: None,
            asked_models: Vec::new(),
            confirmed_model: None,
            told_one_model: false,
            commands: Vec::new(),
            going_back: None,
            to_tell: None,
            was_stopped: false,
        }
    }

    fn tell_session(&mut self, out: &mut HandlerOutput) {
        if !std::mem::replace(&mut self.told_session, true) {
            let (resume, model) = (self.session.session_id.clone(), self.session.model.clone());
            out.tell(AgentEvent::SessionStarted { resume, model });
            out.tell(AgentEvent::Offers(std::mem::take(&mut self.session.offers)));
            self.tell_mode(out);
        }
    }

    /// Returns true if the sandbox must keep the agent from writing in its folder.
    pub(super) fn is_read_only(&self) -> bool {
        self.session.modes.is_read_only()
    }

    fn tell_mode(&self, out: &mut HandlerOutput) {
        if let Some(mode) = self.session.modes.shown() {
            out.tell(AgentEvent::ModeChanged(mode.clone()));
        }
    }

    /// Handles that the session is in another mode. Changes back if the agent asks nothing in it and the person has not
    /// chosen it.
    fn mode_changed(&mut self, out: &mut HandlerOutput) {
        self.tell_mode(out);
        let modes = &self.session.modes;
        let (Some(back), Some(setting)) = (modes.to_go_back_to(), &modes.setting) else { return };
        if self.going_back.is_some() {
            return;
        }
        let (method, params) = super::choices::set_mode(&self.session.session_id, setting, back);
        let left_for = modes.shown().map(|mode| mode.label.clone()).unwrap_or_default();
        self.going_back = Some((out.request(method, params), left_for));
    }

    /// Handles the answer to the request to change back. An agent that refuses it does not go on.
    fn went_back(&mut self, outcome: Result<Box<RawValue>, RpcError>, out: &mut HandlerOutput) {
        let Some((_, left_for)) = self.going_back.take() else { return };
        let told = outcome.is_ok();
        if let Ok(answer) = outcome {
            let options: ConfigUpdate = read(&answer, "a mode").unwrap_or_default();
            if let Some(mode) = self.session.modes.to_go_back_to().map(str::to_owned) {
                self.session.modes.entered(mode);
            }
            self.session.modes.entered_by_option(&options.config_options);
        }
        let is_back = told && self.session.modes.to_go_back_to().is_none();
        let words = if is_back { catalogue::MODE_LEFT } else { catalogue::MODE_NOT_CHANGED_BACK };
        self.notice(words.with([&self.session.label, &left_for]), out);
        self.tell_mode(out);
        if !is_back && let Some(turn) = &mut self.turn {
            turn.stopping = true;
            self.cancel(out);
        }
    }

    /// Sends a notice, at the latest when the next turn starts.
    fn notice(&mut self, words: Sentence, out: &mut HandlerOutput) {
        match &self.turn {
            Some(_) => out.tell(AgentEvent::Notice(words)),
            None => self.to_tell = Some(words),
        }
    }

    /// Returns whether a message is one of the agent's own commands.
    fn is_command(&self, message: &Prompt) -> bool {
        let named = message.text.strip_prefix('/').and_then(|rest| rest.split_whitespace().next());
        named.is_some_and(|name| self.commands.iter().any(|command| command == name))
    }

    /// Returns the text of a message. A command is sent as it is, because it must be first. Anything else that starts with a slash
    /// is not: an agent may ignore a message with an unknown command.
    fn text_of(&self, message: &Prompt, is_command: bool) -> String {
        if is_command {
            return message.text.clone();
        }
        let text = prompt::message(message);
        if text.starts_with('/') { prompt::enclosed(&text) } else { text }
    }

    fn cancel(&mut self, out: &mut HandlerOutput) {
        out.notify("session/cancel", json!({"sessionId": self.session.session_id}));
        // The protocol requires the client to answer open requests when it cancels.
        for (request, waiting) in self.waiting.drain() {
            out.withdraw(&request);
            out.answer(&waiting.id, json!({"outcome": {"outcome": "cancelled"}}));
        }
        self.cancel_questions(out);
    }

    /// Handles the answer to a change of the model. A refused model changes nothing, and the person gets a notice.
    fn model_answered(&mut self, id: u64, taken: bool, out: &mut HandlerOutput) {
        let Some(at) = self.asked_models.iter().position(|(asked, _)| *asked == id) else { return };
        let (_, wanted) = self.asked_models.remove(at);
        if taken {
            self.confirmed_model = Some(wanted.clone());
        }
        if self.asked_models.is_empty() {
            self.session.model.clone_from(&self.confirmed_model);
        }
        if taken {
            return;
        }
        let words = catalogue::MODEL_NOT_TAKEN.with([&self.session.label, &wanted]);
        self.notice(words, out);
    }

    fn updated(&mut self, update: Update, out: &mut HandlerOutput) {
        let of_past = self.turn.as_ref().is_some_and(|turn| turn.fence.is_some());
        match update {
            Update::Message(_) | Update::Thought(_) | Update::ToolCall(_) | Update::Plan(_) if of_past => {}
            Update::Message(chunk) => self.say(chunk, out),
            Update::Thought(chunk) => self.think(chunk, out),
            Update::ToolCall(call) => self.call(*call, out),
            Update::Plan(plan) => {
                if let Some(turn) = &mut self.turn {
                    turn.has_answer = true;
                }
                out.tell(AgentEvent::Plan(entries(plan)));
            }
            Update::Commands(commands) => {
                self.commands = commands.available_commands.iter().map(|command| command.name.clone()).collect();
                let commands = Some(slash_commands(commands));
                out.tell(AgentEvent::Offers(Offers { commands, ..Offers::default() }));
            }
            Update::Usage(usage) => self.used(&usage),
            Update::Mode(id) => {
                if self.session.modes.entered(id) {
                    self.mode_changed(out);
                }
            }
            Update::Config(options) => {
                if self.session.modes.entered_by_option(&options) {
                    self.mode_changed(out);
                }
            }
            Update::Failed => {
                if let Some(turn) = self.turn.as_mut().filter(|_| !of_past) {
                    turn.failure.get_or_insert_default();
                }
            }
            Update::Ignored => {}
        }
    }

    fn say(&mut self, chunk: Chunk, out: &mut HandlerOutput) {
        let Content::Text { text } = chunk.content else { return };
        let late = chunk.message_id.is_some() && chunk.message_id == self.past;
        let Some(turn) = self.turn.as_mut().filter(|_| !late && !text.is_empty()) else { return };
        let now = Speaking::Text(chunk.message_id);
        let first = turn.speaking != now;
        turn.speaking = now;
        turn.has_answer |= !text.trim().is_empty();
        if let Some(failure) = &mut turn.failure {
            failure.push_str(&text);
        }
        out.tell_text(first, &text);
    }

    fn think(&mut self, chunk: Chunk, out: &mut HandlerOutput) {
        let Content::Text { text } = chunk.content else { return };
        let Some(turn) = self.turn.as_mut().filter(|_| !text.is_empty()) else { return };
        let now = Speaking::Thought(chunk.message_id);
        if turn.speaking != now {
            turn.speaking = now;
            out.tell(AgentEvent::ThinkingStarted);
        }
        out.tell(AgentEvent::ThinkingDelta(text));
    }

    fn call(&mut self, update: ToolCall, out: &mut HandlerOutput) {
        let Some(turn) = &mut self.turn else { return };
        let id = update.tool_call_id.clone();
        turn.speaking = Speaking::Nothing;
        turn.has_answer = true;
        if !turn.calls.contains_key(&id) {
            turn.order.push(id.clone());
        }
        turn.calls.entry(id.clone()).or_default().merge(update);
        if turn.calls.get(&id).is_some_and(Call::is_telling) {
            self.begin(&id, out);
        }
        self.finish(&id, out);
    }

    /// Sends the start of a call's step, once.
    fn begin(&mut self, id: &str, out: &mut HandlerOutput) {
        let Some(turn) = &mut self.turn else { return };
        let Some(call) = turn.calls.get_mut(id) else { return };
        if std::mem::replace(&mut call.begun, true) {
            return;
        }
        let (words, tool, arguments) = call.describe(&self.session.offered, self.session.tools.as_ref());
        let step_id = StepId::new(id);
        out.tell(AgentEvent::StepStarted { step_id, words, tool, arguments: clip(&arguments, STEP_BYTES) });
    }

    fn finish(&mut self, id: &str, out: &mut HandlerOutput) {
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
        let result = clip(&text, RESULT_BYTES);
        out.tell(AgentEvent::StepDone { step_id: StepId::new(id), outcome, result, images });
    }

    fn used(&mut self, usage: &UsageUpdate) {
        self.context = (usage.used, usage.size);
        if let Some(cost) = usage.cost.as_ref().filter(|cost| cost.currency == "USD") {
            self.cost = Some(cost.amount);
        }
    }
}

impl ProtocolHandler for AcpHandler {
    fn label(&self) -> &str {
        &self.session.label
    }

    fn ready(&mut self, out: &mut HandlerOutput) {
        self.tell_session(out);
    }

    fn prompt(&mut self, prompt: Prompt, out: &mut HandlerOutput) {
        self.tell_session(out);
        if let Some(words) = self.to_tell.take() {
            out.tell(AgentEvent::Notice(words));
        }
        let is_command = self.is_command(&prompt);
        let text = self.text_of(&prompt, is_command);
        // Sent until a turn is done: an agent may forget the message of a turn that was not.
        let text = match &self.session.preamble {
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
            out.tell(AgentEvent::Notice(catalogue::PICTURES_LEFT_OUT.with([&self.session.label])));
        }
        self.cost_before = self.cost.unwrap_or(0.0);
        let fences = self.session.fences && std::mem::take(&mut self.was_stopped);
        let fence = fences.then(|| out.request(NO_METHOD, json!({})));
        let asked = out.request("session/prompt", json!({"sessionId": self.session.session_id, "prompt": content}));
        self.turn = Some(AcpTurn { asked, fence, is_command, ..AcpTurn::default() });
    }

    fn interrupt(&mut self, out: &mut HandlerOutput) {
        let Some(turn) = &mut self.turn else { return };
        turn.stopping = true;
        self.cancel(out);
    }

    fn incoming(&mut self, message: Incoming, out: &mut HandlerOutput) {
        match message {
            Incoming::Answer { id, outcome } if self.asked_models.iter().any(|(asked, _)| *asked == id) => {
                self.model_answered(id, outcome.is_ok(), out);
            }
            Incoming::Answer { id, outcome } if self.going_back.as_ref().is_some_and(|(asked, _)| *asked == id) => {
                self.went_back(outcome, out);
            }
            Incoming::Answer { id, outcome } => {
                let Some(turn) = &mut self.turn else { return };
                if turn.fence == Some(id) {
                    turn.fence = None;
                } else if turn.asked == id {
                    self.prompt_done(outcome, out);
                }
            }
            Incoming::Notification { method, params } if method == "session/update" => match Update::parse(&params) {
                Some(update) => self.updated(update, out),
                None => tracing::debug!("an ACP agent told something unknown"),
            },
            Incoming::Notification { method, params } if method == "$/cancel_request" => {
                if let Some(CancelRequest { request_id }) = read(&params, &method) {
                    self.request_withdrawn(&request_id, out);
                }
            }
            Incoming::Notification { .. } => {}
            Incoming::Request { id, method, params } => match method.as_str() {
                "session/request_permission" => match read::<PermissionRequest>(&params, &method) {
                    Some(request) => self.asked(id, request, out),
                    None => out.answer(&id, json!({"outcome": {"outcome": "cancelled"}})),
                },
                "elicitation/create" => {
                    self.form_asked(id, read(&params, &method).unwrap_or_default(), out);
                }
                _ => out.unsupported(&id),
            },
        }
    }

    fn set_model(&mut self, model: Option<String>, out: &mut HandlerOutput) -> Result<(), Fault> {
        let named = model.filter(|model| super::choices::is_model(model));
        let wanted = named.or_else(|| self.session.own_model.clone());
        if wanted == self.session.model {
            return Ok(());
        }
        let Some(setting) = &self.session.model_setting else {
            // A new process could not change the model either.
            if !std::mem::replace(&mut self.told_one_model, true) {
                self.to_tell = Some(catalogue::MODEL_IS_FIXED.with([&self.session.label]));
            }
            return Ok(());
        };
        let wanted = wanted.ok_or_else(|| crate::faults::own_model_unknown(&self.session.label))?;
        let mut asked = 0;
        super::choices::set_model(&self.session.session_id, setting, &wanted, |method, params| {
            asked = out.request(method, params);
        });
        let before = self.session.model.replace(wanted.clone());
        if self.asked_models.is_empty() {
            self.confirmed_model = before;
        }
        self.asked_models.push((asked, wanted));
        Ok(())
    }

    fn answered(&mut self, request: &str, answer: Answer, out: &mut HandlerOutput) {
        match answer {
            Answer::Permission(answer) => self.answer(request, answer, out),
            Answer::Question(answers) => self.question_answered(request, answers, out),
        }
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
