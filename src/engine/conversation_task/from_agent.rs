//! Maps the events of an agent to events of its conversation.
//!
//! Owns the mapping from the agents' vocabulary to the journal's. Never decides whether a turn continues: the turn
//! machine does.

use super::task::Task;
use super::turn_steps::Steps;
use crate::conversations::{Pending, QuestionAnswers, ToolCallName};
use crate::policy::{ActionKind, ActionRequest, AuditedAction, PolicyOutcome, TaintLog};
use gstack_agent::adapter::{AgentEvent, Offers, PermissionAnswer, PermissionAsked, QuestionAsked};
use gstack_agent::clip::RESULT_BYTES;
use gstack_base::visible::visible;
use gstack_chat::turn::{ApprovalRequest, QuestionRequest};
use gstack_chat::{BlockKind, ChatError, Event};
use gstack_command::{redaction, registry};
use gstack_protocol::action::ActionRecord;
use gstack_protocol::chat::{ChatBody, StepOutcome};
use gstack_protocol::ids::{ApprovalId, QuestionId, StepId, TurnId};
use gstack_protocol::sentence::Sentence;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

impl Task {
    pub(super) async fn agent_event(&mut self, event: AgentEvent) {
        let Some(turn_id) = self.turn.as_ref().map(|turn| turn.id.clone()) else {
            return self.between_turns(event);
        };
        let event = match event {
            AgentEvent::TurnDone { .. } => {
                self.close_steps(&turn_id);
                let Some(event) = self.asks_about_control_files(event).await else { return };
                event
            }
            other => other,
        };
        match event {
            AgentEvent::SessionStarted { resume, model: _ } => self.remember_session(resume),
            AgentEvent::TextStarted | AgentEvent::ThinkingStarted => self.conversation.finish_block(),
            AgentEvent::TextDelta(text) => self.grow(&turn_id, BlockKind::Text, &text),
            AgentEvent::ThinkingDelta(text) => self.grow(&turn_id, BlockKind::Thinking, &text),
            AgentEvent::StepStarted { step_id, words, tool, arguments } => {
                let doing = format!("{} {}", words.verb, words.object);
                let phrase = words.phrase.clone();
                self.services.tabs.change_work(&self.conversation, |working| {
                    working.doing = doing.trim().to_owned();
                    working.phrase = phrase;
                });
                if registry::find(&tool).is_none() {
                    // Until it reports its result, an agent's own tool may have read anything.
                    self.services.policy.with_taint_log(self.conversation.id(), |log| log.step_begun(step_id.as_str()));
                }
                let body = self.steps.begin(turn_id.clone(), step_id.clone(), words, tool, arguments);
                self.append(body);
                self.steps.learned_before(&turn_id, &step_id).into_iter().for_each(|body| self.append(body));
            }
            AgentEvent::StepDone { step_id, outcome, result, images } => {
                let outcome = self.outcome_of(&step_id, outcome);
                let is_whole = result.len() < RESULT_BYTES && images.is_empty();
                self.services.policy.with_taint_log(self.conversation.id(), |log| {
                    log.step_done(step_id.as_str(), &result, is_whole && !result.is_empty());
                });
                self.services.tabs.change_work(&self.conversation, |working| {
                    working.doing.clear();
                    working.phrase = None;
                });
                let body = self.steps.end(turn_id, step_id, outcome, result);
                let conversation = self.conversation.clone();
                let body = Steps::with_images(body, images, &conversation).await;
                self.append(body);
            }
            AgentEvent::PermissionAsked(asked) => self.permission(asked),
            AgentEvent::QuestionAsked(asked) => self.question(asked),
            AgentEvent::Withdrawn { request } => match self.requests.remove(&request) {
                Some(approval_id) => self.step(Event::ApprovalWithdrawn(approval_id)),
                None => {
                    if let Some(question_id) = self.asked.remove(&request) {
                        self.step(Event::QuestionWithdrawn(question_id));
                    }
                }
            },
            AgentEvent::ModeChanged(mode) => self.conversation.entered_mode(Some(mode)),
            AgentEvent::Plan(entries) => self.append(ChatBody::Plan { turn_id, entries }),
            AgentEvent::Offers(offers) => self.offers(offers),
            AgentEvent::Notice(sentence) => self.append(ChatBody::notice(turn_id, sentence)),
            AgentEvent::TurnDone { outcome, model, cost_usd, usage, fault } => {
                self.step(Event::AgentTurnDone { outcome, model, cost_usd, usage, fault });
            }
            AgentEvent::Exited { fault } => {
                self.close_steps(&turn_id);
                self.end_session();
                self.step(Event::AgentExited { fault });
            }
        }
    }

    /// Handles an event while no turn runs. It only affects the session.
    fn between_turns(&mut self, event: AgentEvent) {
        match event {
            AgentEvent::SessionStarted { resume, .. } => self.remember_session(resume),
            AgentEvent::Offers(offers) => self.offers(offers),
            AgentEvent::ModeChanged(mode) => self.conversation.entered_mode(Some(mode)),
            AgentEvent::Exited { .. } => {
                self.end_session();
                self.step(Event::AgentExited { fault: None });
            }
            // Dropping it would deny too, but without a reason.
            AgentEvent::PermissionAsked(asked) => {
                asked.answer.send(PermissionAnswer::Deny("No turn is running.".to_owned())).ok();
            }
            _ => {}
        }
    }

    /// Records the agent's id of the session. A session without a message is not resumed: its agent may not have saved
    /// it.
    fn remember_session(&mut self, resume: String) {
        match &mut self.session {
            Some(session) if session.had_a_message => {
                self.conversation.set_resume(session.agent.clone(), Some(resume));
            }
            Some(session) => session.unsaved_session_id = Some(resume),
            None => {}
        }
    }

    fn grow(&self, turn_id: &TurnId, kind: BlockKind, text: &str) {
        if let Err(error) = self.conversation.grow(turn_id, kind, text) {
            self.services.ports.tell_fault(&error.fault());
        }
    }

    pub(super) fn append(&self, body: ChatBody) {
        self.tell_trouble(self.conversation.append(body).map(|_| ()));
    }

    fn tell_trouble(&self, outcome: Result<(), ChatError>) {
        if let Err(error) = outcome {
            self.services.ports.tell_fault(&error.fault());
        }
    }

    fn offers(&self, offers: Offers) {
        if let Some(session) = &self.session {
            self.services.agents.learn_offers(&session.agent, offers);
        }
    }

    /// Shows a question from the agent.
    fn question(&mut self, asked: QuestionAsked) {
        let QuestionAsked { request, parts, answer } = asked;
        let question_id = QuestionId::random();
        self.asked.insert(request, question_id.clone());
        let (pending, answered) = Pending::new(&self.gate, question_id.clone());
        self.questions.insert(question_id.clone(), answered);
        self.tell_waiting();
        let limit = self.services.config.approval_limit();
        self.services.tasks.spawn(async move {
            // The agent withdraws a question by an event, which ends the wait.
            let answers: QuestionAnswers = pending.answered(limit, &CancellationToken::new()).await;
            // Dropping the sender reports a missing answer to the agent, which may have ended.
            if !answers.is_empty() {
                answer.send(answers).ok();
            }
        });
        self.step(Event::QuestionAsked(QuestionRequest { question_id, parts }));
        self.services.approvals.changed();
    }

    /// Returns the outcome of a step, which the agent reports less precisely: a denied call as a failed one, and a call
    /// that was stopped before it was sent like one that was interrupted.
    fn outcome_of(&self, step_id: &StepId, outcome: StepOutcome) -> StepOutcome {
        let Some((tool, arguments)) = self.steps.call_of(step_id) else { return outcome };
        match outcome {
            StepOutcome::Failed if self.gate.take_denied(step_id, tool, arguments) => StepOutcome::Denied,
            StepOutcome::Failed | StepOutcome::Unknown if self.gate.take_unsent(step_id, tool, arguments) => {
                StepOutcome::NotSent
            }
            outcome => outcome,
        }
    }

    /// Closes all steps at the end of a turn that the agent has not closed.
    pub(super) fn close_steps(&mut self, turn_id: &TurnId) {
        self.services.policy.with_taint_log(self.conversation.id(), TaintLog::steps_over);
        for step_id in self.steps.open() {
            let outcome = self.outcome_of(&step_id, StepOutcome::Unknown);
            let body = self.steps.cut_off(turn_id.clone(), step_id, outcome);
            self.append(body);
        }
    }

    /// Handles an agent's request to use one of its own tools.
    fn permission(&mut self, asked: PermissionAsked) {
        let request = ActionRequest::of_own_tool(self.conversation.id().clone(), &asked);
        let line = redaction::text(&asked.does);
        let scope = match request.kind {
            ActionKind::Does(scope) => Some(scope),
            ActionKind::Read | ActionKind::Secret => None,
        };
        let action = Box::new(ActionRecord {
            command: visible(&asked.does),
            scope,
            content: visible(&asked.content),
            agent_reason: asked.why.as_deref().map(visible),
            ..ActionRecord::default()
        });
        let card = match self.services.policy.judge(
            &self.conversation,
            &request,
            &AuditedAction { line: &line, record: Some(&action) },
        ) {
            PolicyOutcome::Allowed => {
                asked.answer.send(PermissionAnswer::Allow).ok();
                return;
            }
            PolicyOutcome::Denied(fault) => {
                asked.answer.send(PermissionAnswer::Deny(fault.message)).ok();
                return;
            }
            PolicyOutcome::NeedsApproval(card) => card,
        };
        let approval_id = ApprovalId::random();
        self.requests.insert(asked.request, approval_id.clone());
        let (pending, answer) = Pending::new(&self.gate, approval_id.clone());
        let limit = self.services.config.approval_limit();
        let (policy, conversation) = (self.services.policy.clone(), self.conversation.clone());
        let kept = action.clone();
        let call = asked.step.map(|id| ToolCallName { id: Some(id), tool: String::new(), arguments: Value::Null });
        let gate = self.gate.clone();
        if let Some(call) = &call {
            gate.note_unsent(call.clone());
        }
        self.services.tasks.spawn(async move {
            // The agent withdraws a request by an event, which ends the wait.
            let answered = pending.answered(limit, &CancellationToken::new()).await;
            let answer = match policy.settle(
                &conversation,
                &request,
                &AuditedAction { line: &line, record: Some(&kept) },
                answered,
            ) {
                Ok(()) => {
                    if let Some(call) = &call {
                        gate.note_sent(call);
                    }
                    PermissionAnswer::Allow
                }
                Err(fault) => PermissionAnswer::Deny(fault.message),
            };
            // The agent may have withdrawn the request or ended.
            asked.answer.send(answer).ok();
        });
        let approval = ApprovalRequest {
            approval_id,
            ask: visible(&asked.ask),
            phrase: None,
            site: None,
            why: card.why.map(Sentence::from),
            does: action.command.clone(),
            action,
            kind: asked.kind,
            choices: card.choices,
        };
        self.asked(approval, answer);
    }
}
