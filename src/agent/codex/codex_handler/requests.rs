//! Codex's requests to a person: approvals of commands, changes and wider permissions, and questions.
//!
//! Owns the open requests and their answers. The engine decides what a rule allows without asking a person.

use super::CodexHandler;
use crate::adapter::{PermissionAnswer, QuestionAnswer};
use crate::clip::{STEP_BYTES, clip};
use crate::codex::options::SERVER;
use crate::codex::wire::{self, CommandApproval, FileApproval, PermissionsApproval, Questions, Request};
use crate::codex::words;
use crate::rpc::protocol_handler::{Answer, HandlerOutput, ToolPermission};
use gstack_protocol::chat::{QuestionOption, QuestionPart, StepKind};
use serde_json::{Value, json};
use std::path::Path;

/// A request of Codex that is shown to a person.
pub(super) struct Waiting {
    id: Value,
    kind: WaitingKind,
}

enum WaitingKind {
    /// With the step that a refusal denies.
    Decision { item: String },
    /// With the requested permissions.
    Permissions(Value),
    /// With the ids of the questions, in order.
    Questions(Vec<String>),
}

impl CodexHandler {
    pub(super) fn asked(&mut self, id: Value, request: Request, out: &mut HandlerOutput) {
        // Without a running turn, the person cannot be asked.
        let in_turn = self.turn.is_some();
        match request {
            Request::Command(command) if in_turn => self.ask_command(id, command, out),
            Request::FileChange(change) if in_turn => self.ask_change(id, change, out),
            Request::Permissions(wanted) if in_turn => self.ask_permissions(id, wanted, out),
            Request::Questions(questions) if in_turn => self.ask_questions(id, questions, out),
            Request::Command(_) | Request::FileChange(_) => out.answer(&id, json!({"decision": "decline"})),
            Request::Permissions(_) => out.answer(&id, no_permissions()),
            Request::Questions(_) => out.answer(&id, json!({"answers": {}})),
            // The policy asks about our own tools itself, when the call arrives.
            Request::Elicitation(elicitation) if elicitation.server_name == SERVER => {
                out.answer(&id, json!({"action": "accept", "content": {}, "_meta": null}));
            }
            Request::Elicitation(_) => out.answer(&id, json!({"action": "decline", "content": null, "_meta": null})),
        }
    }

    fn wait(&mut self, id: Value, kind: WaitingKind) -> String {
        let request = id.to_string();
        self.waiting.insert(request.clone(), Waiting { id, kind });
        request
    }

    fn ask_command(&mut self, id: Value, approval: CommandApproval, out: &mut HandlerOutput) {
        let CommandApproval { item_id, reason, command } = approval;
        let named = command.filter(|command| !command.trim().is_empty());
        let does =
            named.map_or_else(|| "Codex did not name the command".to_owned(), |named| words::command_line(&named));
        let step = Some(item_id.clone());
        let request = self.wait(id, WaitingKind::Decision { item: item_id });
        let ask = "Run a command outside of the sandbox".to_owned();
        out.ask(
            request,
            ToolPermission {
                step,
                ask,
                content: does.clone(),
                does,
                why: reason,
                kind: StepKind::Shell,
                read_only: false,
            },
        );
    }

    fn ask_change(&mut self, id: Value, approval: FileApproval, out: &mut HandlerOutput) {
        let FileApproval { item_id, reason } = approval;
        let changes = self.turn.as_ref().and_then(|turn| turn.changes.get(&item_id)).map_or(&[][..], Vec::as_slice);
        let closed = changes.iter().any(|change| self.guard.is_closed(&self.folder.join(Path::new(&change.path))));
        if closed {
            self.deny(&item_id);
            return out.answer(&id, json!({"decision": "decline"}));
        }
        let (ask, does) = words::change_question(changes, &self.folder);
        let step = Some(item_id.clone());
        let request = self.wait(id, WaitingKind::Decision { item: item_id });
        out.ask(
            request,
            ToolPermission {
                step,
                ask,
                content: does.clone(),
                does,
                why: reason,
                kind: StepKind::File,
                read_only: false,
            },
        );
    }

    fn ask_permissions(&mut self, id: Value, wanted: PermissionsApproval, out: &mut HandlerOutput) {
        let PermissionsApproval { reason, permissions } = wanted;
        let does = clip(&permissions.to_string(), STEP_BYTES);
        let request = self.wait(id, WaitingKind::Permissions(permissions));
        let ask = "Widen the sandbox for this turn".to_owned();
        out.ask(
            request,
            ToolPermission {
                step: None,
                ask,
                content: does.clone(),
                does,
                why: reason,
                kind: StepKind::Shell,
                read_only: false,
            },
        );
    }

    fn ask_questions(&mut self, id: Value, questions: Questions, out: &mut HandlerOutput) {
        let ids = questions.questions.iter().map(|question| question.id.clone()).collect();
        let part = |question: wire::Question| {
            let option = |option: wire::QuestionOption| QuestionOption::plain(option.label, option.description);
            let options = question.options.unwrap_or_default().into_iter().map(option).collect();
            QuestionPart {
                text: question.question,
                header: question.header,
                options,
                multiple: false,
                closed: false,
                words: None,
            }
        };
        let parts = questions.questions.into_iter().map(part).collect();
        let request = self.wait(id, WaitingKind::Questions(ids));
        out.question(request, parts);
    }

    fn deny(&mut self, item: &str) {
        if let Some(turn) = &mut self.turn {
            turn.denied.insert(item.to_owned());
        }
    }

    /// Handles a person's answer, or that there will be none.
    pub(super) fn answer(&mut self, request: &str, answer: Answer, out: &mut HandlerOutput) {
        let Some(Waiting { id, kind }) = self.waiting.remove(request) else { return };
        let allowed = matches!(answer, Answer::Permission(Some(PermissionAnswer::Allow)));
        match kind {
            WaitingKind::Decision { .. } if allowed => out.answer(&id, json!({"decision": "accept"})),
            WaitingKind::Decision { item } => {
                self.deny(&item);
                out.answer(&id, json!({"decision": "decline"}));
            }
            WaitingKind::Permissions(wanted) if allowed => {
                out.answer(&id, json!({"permissions": wanted, "scope": "turn"}));
            }
            WaitingKind::Permissions(_) => out.answer(&id, no_permissions()),
            WaitingKind::Questions(ids) => {
                let answers = match answer {
                    Answer::Question(answers) => answers.unwrap_or_default(),
                    Answer::Permission(_) => QuestionAnswer::new(),
                };
                let told: serde_json::Map<String, Value> =
                    ids.into_iter().zip(answers).map(|(id, answers)| (id, json!({"answers": answers}))).collect();
                out.answer(&id, json!({"answers": told}));
            }
        }
    }
}

/// Returns the answer that grants no permissions.
fn no_permissions() -> Value {
    json!({"permissions": {}, "scope": "turn"})
}
