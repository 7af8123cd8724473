//! The permission requests of an ACP agent.
//!
//! Owns the open requests and the choice of an offered answer. The engine decides what a rule allows without asking a
//! person.

use super::AcpHandler;
use super::Session;
use crate::acp::call::Call;
use crate::acp::form::Form;
use crate::acp::wire::{CallContent, PermissionOption, PermissionRequest, ToolCall};
use crate::adapter::PermissionAnswer;
use crate::rpc::protocol_handler::{HandlerOutput, ToolPermission};
use serde_json::{Value, json};

/// A permission request that is shown to a person.
pub(super) struct Waiting {
    pub(super) id: Value,
    pub(super) options: Vec<PermissionOption>,
    call: String,
}

impl AcpHandler {
    pub(super) fn asked(&mut self, id: Value, request: PermissionRequest, out: &mut HandlerOutput) {
        let PermissionRequest { options, mut tool_call } = request;
        let call_id = tool_call.tool_call_id.clone();
        if self.turn.is_none() {
            return out.answer(&id, refused(&options));
        }
        let question = Form::of_permission(&tool_call);
        self.add_open_calls(&mut tool_call);
        // The request may be the first message about the call.
        self.call(tool_call, out);
        self.begin(&call_id, out);
        if let Some(question) = question {
            return self.question_asked(id, question, options, out);
        }
        let Session { guard, folder, offered, .. } = &self.session;
        let Some(call) = self.turn.as_mut().and_then(|turn| turn.calls.get_mut(&call_id)) else { return };
        // The policy asks about our own tools itself, when the call arrives.
        if call.own_tool(offered).is_some() {
            return out.answer(&id, allowed(&options));
        }
        if call.is_closed(guard, folder) {
            call.denied = true;
            return out.answer(&id, refused(&options));
        }
        let (ask, does, kind) = call.question();
        let permission = ToolPermission {
            step: Some(call_id.clone()),
            ask,
            does,
            content: call.whole(),
            why: call.reason(),
            kind,
            read_only: call.only_reads(guard, folder),
        };
        let request = id.to_string();
        self.waiting.insert(request.clone(), Waiting { id, options, call: call_id });
        out.ask(request, permission);
    }

    /// Adds what the open calls do to a request that has a title only, about a call of its own: OpenHands 1.16.0 asks so for the calls
    /// that it has just reported.
    fn add_open_calls(&self, asked: &mut ToolCall) {
        let Some(turn) = self.turn.as_ref().filter(|turn| !turn.calls.contains_key(&asked.tool_call_id)) else {
            return;
        };
        let is_open = |call: &&Call| call.begun && !call.done;
        let open: Vec<String> =
            turn.order.iter().filter_map(|id| turn.calls.get(id)).filter(is_open).map(Call::whole).collect();
        if asked.tells_only_a_title() && !open.is_empty() {
            asked.content = Some(vec![CallContent::text(open.join("\n\n"))]);
        }
    }

    /// Handles a person's answer, or that there will be none.
    pub(super) fn answer(&mut self, request: &str, answer: Option<PermissionAnswer>, out: &mut HandlerOutput) {
        let Some(Waiting { id, options, call }) = self.waiting.remove(request) else { return };
        if matches!(answer, Some(PermissionAnswer::Allow)) {
            return out.answer(&id, allowed(&options));
        }
        if let Some(call) = self.turn.as_mut().and_then(|turn| turn.calls.get_mut(&call)) {
            call.denied = true;
        }
        out.answer(&id, refused(&options));
    }
}

/// Chooses by kind, never by id or position. A person who allows something once does not allow it permanently.
pub(super) fn allowed(options: &[PermissionOption]) -> Value {
    choose(options, &["allow_once", "allow_always"])
}

pub(super) fn refused(options: &[PermissionOption]) -> Value {
    choose(options, &["reject_once", "reject_always"])
}

fn choose(options: &[PermissionOption], kinds: &[&str]) -> Value {
    let chosen = kinds.iter().find_map(|kind| options.iter().find(|option| option.kind == *kind));
    match chosen {
        Some(option) => json!({"outcome": {"outcome": "selected", "optionId": option.option_id}}),
        None => json!({"outcome": {"outcome": "cancelled"}}),
    }
}
