//! One running turn of Codex: the streamed text, the open steps, the usage.
//!
//! Owns the state that is dropped when the turn ends. Pure.

use super::wire::{FileUpdate, TokenUsage, Tokens, TurnError};
use crate::adapter::AgentEvent;
use crate::rpc::protocol_handler::HandlerOutput;
use gstack_protocol::chat::{StepOutcome, Usage};
use gstack_protocol::ids::StepId;
use std::collections::{HashMap, HashSet};

#[derive(Default)]
pub(super) struct CodexTurn {
    /// The id of our `turn/start`.
    pub asked: u64,
    /// Codex's id of the turn, once known.
    pub id: Option<String>,
    pub stopping: bool,
    /// The text of each item that was already reported.
    pub streamed: HashMap<String, String>,
    pub open_steps: Vec<String>,
    pub denied: HashSet<String>,
    /// The planned changes of files, for the question about them.
    pub changes: HashMap<String, Vec<FileUpdate>>,
    pub error: Option<TurnError>,
    pub usage: Option<Usage>,
}

impl CodexTurn {
    /// Ends the steps without a result when the turn ends: they were cut off.
    pub(super) fn close_steps(&self, out: &mut HandlerOutput) {
        for id in &self.open_steps {
            let (outcome, result, images) = (StepOutcome::Unknown, String::new(), Vec::new());
            out.tell(AgentEvent::StepDone { step_id: StepId::new(id), outcome, result, images });
        }
    }

    /// Appends to an item's text. Returns true if this is its first text.
    pub(super) fn grow(&mut self, item: &str, text: &str) -> bool {
        let told = self.streamed.entry(item.to_owned()).or_default();
        let first = told.is_empty();
        told.push_str(text);
        first
    }

    /// Returns the unreported rest of a finished item's text, and whether it starts a new block. Returns `None` if the
    /// finished text does not begin with the reported one, because reported text cannot be retracted.
    pub(super) fn rest_of<'a>(&mut self, item: &str, whole: &'a str) -> Option<(bool, &'a str)> {
        let told = self.streamed.entry(item.to_owned()).or_default();
        let rest = whole.strip_prefix(told.as_str()).filter(|rest| !rest.is_empty())?;
        let first = told.is_empty();
        told.push_str(rest);
        Some((first, rest))
    }

    /// Updates the turn's usage. `before`: the tokens that the thread had used when the turn started.
    pub(super) fn count(&mut self, usage: &TokenUsage, before: Tokens) {
        let since = |total: u64, before: u64| total.saturating_sub(before);
        let input = since(usage.total.input_tokens, before.input_tokens);
        let cached = since(usage.total.cached_input_tokens, before.cached_input_tokens);
        self.usage = Some(Usage {
            input_tokens: input.saturating_sub(cached),
            output_tokens: since(usage.total.output_tokens, before.output_tokens),
            cached_tokens: cached,
            context_tokens: usage.last.total_tokens,
            context_window: usage.model_context_window.unwrap_or(0),
        });
    }
}
