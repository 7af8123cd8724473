//! A start that needs a folder which the sandbox refuses, or a sign-in: the person is asked, and the agent starts again.
//!
//! Owns the cards and what follows their answers. Which folders are offered is the sandbox's rule, which each start checks again.

use super::TaskServices;
use super::error::TurnError;
use super::task::Task;
use crate::agents::{Choice, Slot};
use crate::conversations::{Input, Pending, QuestionAnswers};
use crate::policy::{ActionKind, ActionRequest, AuditedAction, Risk};
use gstack_agent::adapter::Agent;
use gstack_base::visible::visible;
use gstack_chat::turn::{ApprovalRequest, QuestionRequest};
use gstack_chat::{Conversation, Event, Message};
use gstack_protocol::action::ActionRecord;
use gstack_protocol::catalogue;
use gstack_protocol::chat::{QuestionOption, QuestionPart, StepKind};
use gstack_protocol::decision::Decision;
use gstack_protocol::fault::{AgentNeed, Fault, SignInWay};
use gstack_protocol::ids::{AgentName, ApprovalId, QuestionId, TurnId};
use gstack_protocol::policy::PolicyScope;
use std::path::Path;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

impl Task {
    /// Asks for what the start of the turn's agent needs, or ends the turn with its fault.
    pub(super) fn not_started(&mut self, turn_id: TurnId, agent: &AgentName, slot: Option<Slot>, fault: Fault) {
        match (fault.needs.as_deref().cloned(), self.services.agents.get(agent)) {
            (Some(AgentNeed::Folder(folder)), Ok(agent)) => {
                self.ask_for_folder(turn_id, agent.as_ref(), slot, (&folder, fault));
            }
            (Some(AgentNeed::SignIn(ways)), Ok(agent)) => self.ask_for_sign_in(turn_id, agent, slot, (ways, fault)),
            _ => self.step(Event::AgentFailedToStart { turn_id, fault }),
        }
    }

    /// Asks whether the turn's agent may write `folder` from now on. `fault`: why it does not start without it.
    fn ask_for_folder(
        &mut self,
        turn_id: TurnId,
        agent: &dyn Agent,
        slot: Option<Slot>,
        (folder, fault): (&Path, Fault),
    ) {
        let Some(turn) = &self.turn else { return };
        let (cancel, message) = (turn.cancel.clone(), turn.message.clone());
        let (name, label) = (agent.name(), visible(agent.label()));
        let request = ActionRequest {
            conversation_id: self.conversation.id().clone(),
            kind: ActionKind::Does(PolicyScope::Write),
            site: None,
            browser: None,
            tool: None,
            risk: Risk::Plain,
        };
        let line = format!("write {} from now on", folder.display());
        let action = Box::new(ActionRecord {
            command: visible(&line),
            scope: Some(PolicyScope::Write),
            ..ActionRecord::default()
        });
        let approval_id = ApprovalId::random();
        let (pending, answer) = Pending::new(&self.gate, approval_id.clone());
        let limit = self.services.config.approval_limit();
        let (services, conversation, gate) = (self.services.clone(), self.conversation.clone(), self.gate.clone());
        let ask = format!("Write {} from now on", folder.display());
        let (kept, folder) = (action.clone(), folder.to_owned());
        self.services.tasks.spawn(async move {
            let (decision, by) = pending.answered(limit, &cancel).await;
            // A rule of the policy would be about every file; what is remembered here is this folder.
            let once = if decision.allows() { Decision::AllowOnce } else { decision };
            let audited = AuditedAction { line: &line, record: Some(&kept) };
            let allowed = services.policy.settle(&conversation, &request, &audited, (once, by)).is_ok();
            let outcome = match allowed {
                true => services.settings.allow_folder(&name, &folder).await,
                false => Err(fault),
            };
            let outcome = match outcome {
                Ok(()) => chosen_again(&services, &conversation, &message, &cancel).await.map(|choice| (choice, slot)),
                Err(fault) => Err(fault),
            };
            gate.input(Input::StartSettled { turn_id, outcome });
        });
        let approval = ApprovalRequest {
            approval_id,
            ask: visible(&ask),
            phrase: None,
            site: None,
            why: Some(catalogue::AGENT_FOLDER_WHY.with([&label])),
            does: action.command.clone(),
            action,
            kind: StepKind::File,
            choices: vec![Decision::AllowAlways, Decision::Deny],
        };
        self.start_asked(approval, answer);
    }

    /// Asks how to sign in to the turn's agent, of the ways that it offers. `fault`: why it does not start.
    fn ask_for_sign_in(
        &mut self,
        turn_id: TurnId,
        agent: Arc<dyn Agent>,
        slot: Option<Slot>,
        (ways, fault): (Vec<SignInWay>, Fault),
    ) {
        let Some(turn) = &self.turn else { return };
        let (cancel, message) = (turn.cancel.clone(), turn.message.clone());
        let options = options_of(&ways);
        let labels: Vec<String> = options.iter().map(|option| option.label.clone()).collect();
        // Not in the person's own words: they could be a key, and the conversation is kept.
        let part = QuestionPart {
            text: visible(&fault.message),
            header: String::new(),
            options,
            multiple: false,
            closed: true,
            words: None,
        };
        let question_id = QuestionId::random();
        let (pending, answer) = Pending::new(&self.gate, question_id.clone());
        self.questions.insert(question_id.clone(), answer);
        self.tell_waiting();
        let limit = self.services.config.approval_limit();
        let (services, conversation, gate) = (self.services.clone(), self.conversation.clone(), self.gate.clone());
        self.services.tasks.spawn(async move {
            let answers: QuestionAnswers = pending.answered(limit, &cancel).await;
            let answer = answers.first().and_then(|part| part.first());
            let way = ways.iter().zip(&labels).find(|(_, label)| answer == Some(label));
            let outcome = match way {
                Some((way, _)) => {
                    agent.sign_in_by(way.id.clone());
                    chosen_again(&services, &conversation, &message, &cancel).await.map(|choice| (choice, slot))
                }
                None => Err(fault),
            };
            gate.input(Input::StartSettled { turn_id, outcome });
        });
        self.step(Event::StartQuestion(QuestionRequest { question_id, parts: vec![part] }));
        self.services.approvals.changed();
    }

    /// Starts the agent with what the person allowed.
    pub(super) fn start_settled(&mut self, turn_id: TurnId, outcome: Result<(Choice, Option<Slot>), Fault>) {
        if self.turn.as_ref().is_none_or(|turn| turn.id != turn_id) {
            return;
        }
        match outcome {
            Ok((choice, slot)) => {
                if let Some(choice) = self.without_fault(&turn_id, choice, None) {
                    self.start_in_slot(turn_id, choice, slot);
                }
            }
            Err(fault) => self.step(Event::AgentFailedToStart { turn_id, fault }),
        }
    }
}

/// Returns the ways to sign in as options. Equal names get a number, so that each answer means one way.
fn options_of(ways: &[SignInWay]) -> Vec<QuestionOption> {
    let mut options: Vec<QuestionOption> = Vec::with_capacity(ways.len());
    for way in ways {
        let name = visible(&way.name);
        let is_taken = |label: &str| options.iter().any(|option| option.label.trim() == label.trim());
        let numbered = (2..).map(|number| format!("{name} ({number})"));
        let label = std::iter::once(name.clone()).chain(numbered).find(|label| !is_taken(label)).unwrap_or_default();
        options.push(QuestionOption::plain(label, visible(&way.description)));
    }
    options
}

/// Chooses the turn's agent again, unless the turn is stopped.
async fn chosen_again(
    services: &TaskServices,
    conversation: &Arc<Conversation>,
    message: &Message,
    cancel: &CancellationToken,
) -> Result<Choice, Fault> {
    tokio::select! {
        choice = services.choose_and_settle(conversation, message) => Ok(choice),
        () = cancel.cancelled() => Err(TurnError::Stopped(catalogue::START_STOPPED).into()),
    }
}
