//! A list of steps that an agent's call runs, and that the person allows as one: the steps of a saved flow.
//!
//! Owns the card of the list and what its answer covers. The policy judges each step as if the agent did it by itself: a rule
//! that denies one denies it here, and what the list cannot say is asked about by itself. Knows no flows.

use super::error::ToolError;
use super::{ConversationTools, Manner};
use crate::agents::ListedSteps;
use crate::conversations::ApprovalAnswer;
use crate::policy::{ActionKind, ActionRequest, Risk};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use gstack_agent::adapter::{ToolCall, ToolResult};
use gstack_base::visible::visible;
use gstack_chat::turn::ApprovalRequest;
use gstack_command::{Call, Class, Spec};
use gstack_protocol::action::ActionRecord;
use gstack_protocol::chat::{Decision, StepKind};
use gstack_protocol::command::CommandRequest;
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::ApprovalId;
use gstack_protocol::policy::PolicyScope;
use gstack_protocol::sentence::Sentence;
use std::sync::Arc;
use tokio::sync::{Mutex, MutexGuard};
use tokio_util::sync::CancellationToken;

/// The steps of one run, with the person's answer.
#[derive(Debug)]
pub(super) struct StepList {
    /// `Run your flow order`
    ask: String,
    /// Every step in words, with its values, one a line.
    steps: String,
    /// Held while the person is asked. `None` until the first step that needs it.
    answer: Mutex<Option<ApprovalAnswer>>,
}

impl StepList {
    /// `ask` says what is run, `steps` each step in words, with its values.
    pub(super) fn new(ask: &str, steps: &[String]) -> Self {
        let lines: Vec<String> = steps.iter().map(|step| visible(step)).collect();
        Self { ask: visible(ask), steps: lines.join("\n"), answer: Mutex::new(None) }
    }

    /// Returns whether a step may be this command: one that shows no secrets and runs no other commands or scripts.
    pub(super) fn may_have(spec: &Spec) -> bool {
        spec.class != Class::Secret && spec.class != Class::Control && !spec.runs_others()
    }

    /// Returns whether the answer about the list holds for a step: the card says what it does, with its whole text, and where.
    /// Passwords, uploads and downloads are asked about by themselves.
    pub(super) fn covers(&self, request: &ActionRequest) -> bool {
        let is_told = matches!(request.kind, ActionKind::Does(PolicyScope::Act | PolicyScope::Submit));
        is_told && matches!(request.risk, Risk::Plain | Risk::NewSite | Risk::Carrying)
    }

    pub(super) async fn lock(&self) -> MutexGuard<'_, Option<ApprovalAnswer>> {
        self.answer.lock().await
    }

    /// Returns the card. It allows only this run. `why`: why the first step is asked about although a rule seems to cover it.
    pub(super) fn card(&self, approval_id: ApprovalId, site: Option<String>, why: Option<Sentence>) -> ApprovalRequest {
        let scope = Some(PolicyScope::Submit);
        ApprovalRequest {
            approval_id,
            ask: self.ask.clone(),
            phrase: None,
            site,
            why,
            does: self.steps.clone(),
            action: Box::new(ActionRecord { command: self.steps.clone(), scope, ..ActionRecord::default() }),
            kind: StepKind::Act,
            choices: vec![Decision::AllowOnce, Decision::Deny],
        }
    }
}

/// A list and the agent that runs it.
pub(super) struct Listed {
    pub(super) tools: Arc<ConversationTools>,
    pub(super) list: Arc<StepList>,
}

impl ListedSteps for Listed {
    fn run(&self, step: ToolCall, cancel: CancellationToken) -> BoxFuture<'static, Result<ToolResult, Fault>> {
        let (tools, list) = (self.tools.clone(), self.list.clone());
        async move { tools.run_listed(list, step, cancel).await }.boxed()
    }
}

impl ConversationTools {
    /// Runs a step of a list.
    async fn run_listed(
        &self,
        list: Arc<StepList>,
        step: ToolCall,
        cancel: CancellationToken,
    ) -> Result<ToolResult, Fault> {
        let ToolCall { command, args, tab, acts_on, typed: _ } = step;
        let call = Call::parse(&command, &args)?;
        // An act that says no site could end on any.
        if call.spec.changes() && acts_on.is_none() && call.destinations().is_empty() {
            return Err(ToolError::NotOffered(command).into());
        }
        if let Some(driver) = &self.driver {
            let request = CommandRequest { command, args, tab_id: tab, ..CommandRequest::default() };
            self.services.give_first_tab(driver, &request).await?;
        }
        let manner = Manner { tab, acts_on, typed: false, list: Some(list) };
        self.run_in_turn(call, manner, None, cancel).await
    }
}
