//! Maps Claude Code's lines to agent events.
//!
//! A state machine: line in, events out, without IO (except for the machine's time zone). Owns merging the two reports
//! of each answer (raw stream events and finished blocks) without loss or duplication. Never answers a control request:
//! the session does.

use super::faults::{self, API, ApiFailure, LABEL};
use super::plan::Plans;
use super::streamed::Streamed;
use super::wire::{Account, Assistant, Block, Content, Delta, Init, Line, StreamEvent, System, TurnResult, User};
use super::words;
use crate::adapter::{AgentEvent, Image, Offers, StepWords, Tools};
use crate::clip::{RESULT_BYTES, STEP_BYTES, clip};
use crate::faults::local_time;
use base64::Engine;
use gstack_protocol::catalogue::{self, Sentence};
use gstack_protocol::chat::{StepOutcome, TurnOutcome, Usage};
use gstack_protocol::ids::StepId;
use serde_json::Value;
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

/// The name of our MCP server in Claude Code's configuration.
pub(super) const SERVER: &str = "gstack";
const TOOL_PREFIX: &str = "mcp__gstack__";
/// Claude Code's model name for a message that no model wrote.
const SYNTHETIC_MODEL: &str = "<synthetic>";

/// Returns the registry's name if this is one of our tools; `None` for Claude Code's own and other servers' tools.
pub(super) fn own_tool(name: &str) -> Option<&str> {
    name.strip_prefix(TOOL_PREFIX)
}

/// Maps one process's lines to events. Lives as long as the process, because costs and ids accumulate.
pub(super) struct Mapper {
    tools: Arc<dyn Tools>,
    folder: PathBuf,
    session: Option<String>,
    model: Option<String>,
    uses_key: bool,
    cost_before: f64,
    /// Its offers, until they are sent with the session.
    offers: Option<Offers>,
    told_no_tools: bool,
    plans: Plans,
    turn: ClaudeTurn,
}

/// The state that is reset when a turn ends.
#[derive(Default)]
struct ClaudeTurn {
    streamed: Streamed,
    said_something: bool,
    /// Steps that have started and have no result yet, in order.
    open_steps: Vec<String>,
    denied: HashSet<String>,
    stopping: bool,
    /// Claude Code's name for the last failure.
    error: Option<String>,
    /// The number of tokens in the model's context window in the newest request.
    context: u64,
}

impl Mapper {
    pub(super) fn new(tools: Arc<dyn Tools>, folder: PathBuf) -> Self {
        Self {
            tools,
            folder,
            session: None,
            model: None,
            uses_key: false,
            cost_before: 0.0,
            offers: None,
            told_no_tools: false,
            plans: Plans::default(),
            turn: ClaudeTurn::default(),
        }
    }

    /// Records that a person stopped the turn: interrupted steps become "unknown", and the end is not a failure.
    pub(super) fn note_interrupt(&mut self) {
        self.turn.stopping = true;
    }

    /// Returns the end of a turn whose message was cancelled before it started.
    pub(super) fn cancelled(&mut self) -> AgentEvent {
        self.turn = ClaudeTurn::default();
        let (outcome, model) = (TurnOutcome::Stopped, self.model.clone());
        AgentEvent::TurnDone { outcome, model, cost_usd: None, usage: None, fault: None }
    }

    /// Records that a person or the policy denied this tool call.
    pub(super) fn note_denied(&mut self, tool_use_id: &str) {
        self.turn.denied.insert(tool_use_id.to_owned());
    }

    pub(super) fn note_account(&mut self, account: &Account) {
        self.uses_key = account.api_key_source.as_deref().is_some_and(|source| source != "none");
    }

    pub(super) fn note_offers(&mut self, offers: Offers) {
        self.offers = Some(offers);
    }

    /// Returns the events of a line. Ignores control requests and responses.
    pub(super) fn map(&mut self, line: Line) -> Vec<AgentEvent> {
        let mut events = Vec::new();
        match line {
            Line::System(System::Init(init)) => self.init(init, &mut events),
            Line::System(System::ApiRetry(retry)) => {
                let failure = self.failure(retry.error_status, retry.error.as_deref());
                events.push(AgentEvent::Notice(failure.trying_again(retry.attempt, retry.max_retries)));
            }
            Line::System(System::PermissionDenied { tool_use_id: Some(id) }) => self.note_denied(&id),
            Line::System(System::CompactBoundary) => {
                events.push(AgentEvent::Notice(catalogue::BEGINNING_SUMMARISED.into()));
            }
            Line::StreamEvent { event, parent_tool_use_id: None } => self.stream(event, &mut events),
            Line::Assistant(assistant) => self.assistant(*assistant, &mut events),
            Line::User(user) => self.user(*user, &mut events),
            Line::RateLimitEvent { rate_limit_info } => match rate_limit_info.status.as_str() {
                "rejected" => events.push(AgentEvent::Notice(limit_reached(rate_limit_info.resets_at))),
                "allowed_warning" => events.push(AgentEvent::Notice(limit_near(rate_limit_info.resets_at))),
                _ => {}
            },
            Line::Result(result) => self.result(*result, &mut events),
            // A sub-agent's own text is not part of the answer; its steps arrive as blocks.
            Line::StreamEvent { .. }
            | Line::System(System::PermissionDenied { tool_use_id: None } | System::Other)
            | Line::ControlRequest { .. }
            | Line::ControlResponse { .. }
            | Line::ControlCancelRequest { .. }
            | Line::CommandLifecycle { .. }
            | Line::Other => {}
        }
        events
    }

    fn init(&mut self, init: Init, events: &mut Vec<AgentEvent>) {
        if let Some(source) = &init.api_key_source {
            self.uses_key = source != "none";
        }
        if self.session.as_deref() != Some(&init.session_id) || self.model != init.model {
            self.session = Some(init.session_id.clone());
            self.model.clone_from(&init.model);
            events.push(AgentEvent::SessionStarted { resume: init.session_id, model: init.model });
        }
        events.extend(self.offers.take().map(AgentEvent::Offers));
        let failed = init.mcp_servers.iter().any(|server| server.name == SERVER && server.status == "failed");
        if failed && !std::mem::replace(&mut self.told_no_tools, true) {
            events.push(AgentEvent::Notice(catalogue::TOOLS_NOT_REACHED.with([LABEL])));
        }
    }

    fn stream(&mut self, event: StreamEvent, events: &mut Vec<AgentEvent>) {
        match event {
            StreamEvent::MessageStart { message } => self.turn.streamed.begin_message(message.id),
            StreamEvent::ContentBlockStart { content_block } => self.turn.streamed.begin_block(&content_block.kind),
            StreamEvent::ContentBlockDelta { delta: Delta::Text { text } } => {
                let first = self.turn.streamed.grow(&text);
                self.say(first, text, events);
            }
            StreamEvent::ContentBlockDelta { delta: Delta::Thinking { thinking } } => {
                let first = self.turn.streamed.grow(&thinking);
                think(first, thinking, events);
            }
            StreamEvent::ContentBlockDelta { delta: Delta::Other } | StreamEvent::Other => {}
        }
    }

    fn say(&mut self, first: bool, text: String, events: &mut Vec<AgentEvent>) {
        if text.is_empty() {
            return;
        }
        if first {
            events.push(AgentEvent::TextStarted);
        }
        self.turn.said_something = true;
        events.push(AgentEvent::TextDelta(text));
    }

    fn assistant(&mut self, assistant: Assistant, events: &mut Vec<AgentEvent>) {
        let Assistant { message, parent_tool_use_id, error } = assistant;
        if error.is_some() {
            self.turn.error = error;
            return;
        }
        if let Some(used) = message.usage.filter(|_| parent_tool_use_id.is_none()) {
            let read = used.input_tokens + used.cache_read_input_tokens + used.cache_creation_input_tokens;
            self.turn.context = read + used.output_tokens;
        }
        let blocks = match message.content {
            Content::Blocks(blocks) => blocks,
            Content::Text(text) => vec![Block::Text { text }],
            Content::Other(_) => Vec::new(),
        };
        let speaks = parent_tool_use_id.is_none() && message.model.as_deref() != Some(SYNTHETIC_MODEL);
        for block in blocks {
            match block {
                Block::Text { text } if speaks => {
                    if let Some((first, rest)) = self.turn.streamed.rest_of(&message.id, "text", &text) {
                        self.say(first, rest.to_owned(), events);
                    }
                }
                Block::Thinking { thinking } if speaks => {
                    if let Some((first, rest)) = self.turn.streamed.rest_of(&message.id, "thinking", &thinking) {
                        think(first, rest.to_owned(), events);
                    }
                }
                Block::ToolUse { id, name, input } => self.step(id, &name, &input, events),
                _ => {}
            }
        }
    }

    fn step(&mut self, id: String, name: &str, input: &Value, events: &mut Vec<AgentEvent>) {
        if self.turn.open_steps.contains(&id) {
            return;
        }
        self.plans.called(&id, name, input);
        let (tool, words) = self.describe(name, input);
        let arguments = clip(&input.to_string(), STEP_BYTES);
        events.push(AgentEvent::StepStarted { step_id: StepId::new(&id), words, tool, arguments });
        self.turn.open_steps.push(id);
    }

    fn describe(&self, name: &str, input: &Value) -> (String, StepWords) {
        match own_tool(name) {
            Some(own) => (own.to_owned(), self.tools.describe(own, input)),
            None => (name.to_owned(), words::describe(name, input, &self.folder)),
        }
    }

    fn user(&mut self, user: User, events: &mut Vec<AgentEvent>) {
        let Content::Blocks(blocks) = user.message.content else { return };
        for meta in user.tool_result_meta.iter().filter(|meta| meta.non_execution_kind.is_some()) {
            self.turn.denied.insert(meta.id.clone());
        }
        for block in blocks {
            let Block::ToolResult { tool_use_id, content, is_error } = block else { continue };
            let Some(at) = self.turn.open_steps.iter().position(|id| *id == tool_use_id) else { continue };
            self.turn.open_steps.remove(at);
            let outcome = match is_error {
                Some(true) if self.turn.stopping => StepOutcome::Unknown,
                Some(true) if self.turn.denied.contains(&tool_use_id) => StepOutcome::Denied,
                Some(true) => StepOutcome::Failed,
                _ => StepOutcome::Ok,
            };
            if let Some(plan) = self.plans.answered(&tool_use_id, outcome == StepOutcome::Ok, &user.tool_use_result) {
                events.push(AgentEvent::Plan(plan));
            }
            let (text, images) = read_result(content);
            let result = clip(without_error_tags(&text), RESULT_BYTES);
            events.push(AgentEvent::StepDone { step_id: StepId::new(tool_use_id), outcome, result, images });
        }
    }

    fn failure<'a>(&self, status: Option<u16>, kind: Option<&'a str>) -> ApiFailure<'a> {
        ApiFailure { status, kind, uses_key: self.uses_key }
    }

    fn result(&mut self, result: TurnResult, events: &mut Vec<AgentEvent>) {
        let turn = std::mem::take(&mut self.turn);
        self.plans.turn_ended();
        for id in turn.open_steps {
            let step_id = StepId::new(id);
            let (outcome, result, images) = (StepOutcome::Unknown, String::new(), Vec::new());
            events.push(AgentEvent::StepDone { step_id, outcome, result, images });
        }
        if let Some(text) = result.result.as_ref().filter(|text| !text.is_empty())
            && !result.is_error
            && !turn.said_something
        {
            events.extend([AgentEvent::TextStarted, AgentEvent::TextDelta(text.clone())]);
        }
        let aborted = result.terminal_reason.as_deref().is_some_and(|reason| reason.starts_with("aborted"));
        let outcome = match result.is_error {
            _ if turn.stopping && (result.is_error || aborted) => TurnOutcome::Stopped,
            true if aborted => TurnOutcome::Stopped,
            true => TurnOutcome::Failed,
            false => TurnOutcome::Done,
        };
        if outcome == TurnOutcome::Done && turn.said_something && result.stop_reason == Some(None) {
            events.push(AgentEvent::Notice(catalogue::ANSWER_MAY_BE_INCOMPLETE.into()));
        }
        let cost_usd = result.total_cost_usd.map(|total| {
            let of_turn = (total - self.cost_before).max(0.0);
            self.cost_before = total;
            of_turn
        });
        let fault = (outcome == TurnOutcome::Failed)
            .then(|| faults::of_result(&result, self.failure(result.api_error_status, turn.error.as_deref())));
        let usage = result.usage.map(|used| {
            let window = self.model.as_ref().and_then(|model| result.model_usage.get(model));
            Usage {
                input_tokens: used.input_tokens + used.cache_creation_input_tokens,
                output_tokens: used.output_tokens,
                cached_tokens: used.cache_read_input_tokens,
                context_tokens: turn.context,
                context_window: window.map_or(0, |window| window.context_window),
            }
        });
        events.push(AgentEvent::TurnDone { outcome, model: self.model.clone(), cost_usd, usage, fault });
    }
}

fn think(first: bool, text: String, events: &mut Vec<AgentEvent>) {
    if text.is_empty() {
        return;
    }
    if first {
        events.push(AgentEvent::ThinkingStarted);
    }
    events.push(AgentEvent::ThinkingDelta(text));
}

fn limit_reached(resets_at: Option<i64>) -> Sentence {
    match local_time(resets_at) {
        Some(time) => catalogue::LIMIT_REACHED_UNTIL.with([API, &time]),
        None => catalogue::API_USAGE_LIMIT.with([API]),
    }
}

fn limit_near(resets_at: Option<i64>) -> Sentence {
    match local_time(resets_at) {
        Some(time) => catalogue::LIMIT_NEAR_UNTIL.with([API, &time]),
        None => catalogue::LIMIT_NEAR.with([API]),
    }
}

/// Removes the error tags that Claude Code adds for its model; people read only the text.
fn without_error_tags(text: &str) -> &str {
    let inner = text.trim().strip_prefix("<tool_use_error>").and_then(|rest| rest.strip_suffix("</tool_use_error>"));
    inner.map_or(text, str::trim)
}

fn read_result(content: Content) -> (String, Vec<Image>) {
    let blocks = match content {
        Content::Text(text) => return (text, Vec::new()),
        Content::Blocks(blocks) => blocks,
        Content::Other(_) => return (String::new(), Vec::new()),
    };
    let mut texts = Vec::new();
    let mut images = Vec::new();
    for block in blocks {
        match block {
            Block::Text { text } => texts.push(text),
            Block::Image { source } => {
                if let Ok(bytes) = base64::engine::general_purpose::STANDARD.decode(&source.data) {
                    images.push(Image { mime: source.media_type, bytes });
                }
            }
            _ => {}
        }
    }
    (texts.join("\n"), images)
}
