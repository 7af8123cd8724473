//! The end of a turn: what the answer to `session/prompt` means.
//!
//! Owns the outcome and its fault.

use super::{AcpHandler, AcpTurn, Speaking};
use crate::acp::faults;
use crate::acp::wire::PromptDone;
use crate::adapter::AgentEvent;
use crate::rpc::message::{RpcError, read};
use crate::rpc::protocol_handler::HandlerOutput;
use gstack_protocol::catalogue;
use gstack_protocol::chat::{StepOutcome, TurnOutcome, Usage};
use gstack_protocol::ids::StepId;
use serde_json::value::RawValue;

impl AcpHandler {
    pub(super) fn prompt_done(&mut self, outcome: Result<Box<RawValue>, RpcError>, out: &mut HandlerOutput) {
        let Some(turn) = self.turn.take() else { return };
        self.waiting.clear();
        self.cancel_questions(out);
        self.was_stopped = turn.stopping;
        close_calls(&turn, out);
        if let Speaking::Text(id) | Speaking::Thought(id) = &turn.speaking {
            self.past.clone_from(id);
        }
        let done = outcome.map(|answer| read::<PromptDone>(&answer, "session/prompt").unwrap_or_default());
        let label = &self.session.label;
        // An agent may hide that its API refused the request. An answer that was made of tokens may be empty.
        let is_silent = !turn.has_answer && !turn.is_command;
        let has_tokens = done.as_ref().is_ok_and(PromptDone::has_answer_tokens);
        let failure = turn.failure.as_deref().map(|said| faults::of_words(label, said.trim()));
        let (outcome, fault) = match &done {
            Ok(done) => match done.stop_reason.as_str() {
                "cancelled" => (TurnOutcome::Stopped, None),
                "end_turn" if failure.is_some() => (TurnOutcome::Failed, failure),
                "end_turn" if is_silent && !has_tokens => (TurnOutcome::Failed, Some(faults::of_silence(label))),
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
        if outcome == TurnOutcome::Done && is_silent {
            out.tell(AgentEvent::Notice(catalogue::AGENT_SAID_NOTHING.with([label])));
        }
        if outcome == TurnOutcome::Done {
            self.session.preamble = None;
        }
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

/// Ends the steps of calls without a result: they were cut off, or denied and never ran.
fn close_calls(turn: &AcpTurn, out: &mut HandlerOutput) {
    for id in &turn.order {
        let Some(call) = turn.calls.get(id).filter(|call| call.begun && !call.done) else { continue };
        let outcome = if call.denied { StepOutcome::Denied } else { StepOutcome::Unknown };
        let (step_id, result, images) = (StepId::new(id), String::new(), Vec::new());
        out.tell(AgentEvent::StepDone { step_id, outcome, result, images });
    }
}
