//! The tools of an MCP client: the same as an agent's, with the same policy, but without a turn or a journal.
//!
//! Owns what differs: where its approvals wait, its first tab, and its `lease` and `release`.

use super::ConversationTools;
use crate::chat::turn::ApprovalRequest;
use crate::command::spec::{EngineCommand, Needs};
use crate::command::{Call, registry};
use crate::engine::activity::Source;
use crate::engine::approvals::Approvals;
use crate::engine::drivers::{CLIENT_WAITS, Driver, DriverAnswer, DriversError, PendingDriverApproval, driver_entry};
use crate::engine::policy::audit_by;
use crate::engine::ports::Ports;
use crate::engine::tabs::JoinedBy;
use crate::protocol::action::ActionRecord;
use crate::protocol::activity::ActivitySource;
use crate::protocol::audit::AuditEntry;
use crate::protocol::chat::{AnsweredBy, Decision, StepKind};
use crate::protocol::command::{CommandRequest, CommandResult};
use crate::protocol::control::WaitingApproval;
use crate::protocol::driver::DriverAnswered;
use crate::protocol::fault::{Fault, FaultCode, FaultWords};
use crate::protocol::ids::{ApprovalId, TabId};
use crate::protocol::methods::ToPanel;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

impl ConversationTools {
    /// Returns where a call is recorded to come from.
    pub(super) fn source(&self) -> Source {
        match &self.driver {
            Some(driver) => Source { kind: ActivitySource::Mcp, driver: Some(driver.name.clone()) },
            None => ActivitySource::Agent.into(),
        }
    }

    /// After a tab closed: chooses another own tab if it was the driver's.
    pub(super) fn leave_own(&self, closed: TabId) {
        let Some(driver) = &self.driver else { return };
        self.services.drivers.leave_own(driver, closed);
    }

    /// Shows an approval of a driver and waits for the answer. Denies if none arrives in time. `tab` is the tab that it
    /// concerns. Fails if too many of its approvals wait.
    pub(super) async fn ask_for_driver(
        &self,
        driver: &Driver,
        approval: ApprovalRequest,
        tab: TabId,
        cancel: &CancellationToken,
    ) -> Result<DriverAnswer, Fault> {
        let (why, why_words) = approval.why.map(|why| FaultWords::of(why.into())).unzip();
        let approval_id = approval.approval_id.clone();
        let asked = WaitingApproval {
            conversation_id: driver.conversation.id().clone(),
            approval_id: approval.approval_id,
            driver: Some(driver.name.clone()),
            tab_id: Some(tab),
            ask: approval.ask,
            phrase: approval.phrase,
            site: approval.site,
            does: approval.does,
            why,
            why_words: why_words.flatten(),
            action: approval.action,
            kind: approval.kind,
            choices: approval.choices,
        };
        let waiting = self.services.drivers.approvals().ask(asked, driver.shown_name())?;
        let withdrawn = DriverAnswer { decision: Decision::Deny, by: AnsweredBy::Withdrawn, text: None };
        let (ports, approvals) = (self.services.ports.clone(), self.services.approvals.clone());
        let mut closes = Closes { ports, approvals, waiting, approval_id, answer: withdrawn };
        self.services.approvals.changed();
        let cancelled = async {
            tokio::select! {
                () = cancel.cancelled() => {}
                () = self.ended.cancelled() => {}
            }
        };
        let limit = self.services.config.approval_limit().min(CLIENT_WAITS);
        let answered = closes.waiting.answered(limit, cancelled).await;
        match answered {
            Some(answered) => closes.answer = answered,
            None if self.withdrawn_for_person(driver, tab) => closes.waiting.close_for_person(),
            None => {}
        }
        Ok(closes.answer.clone())
    }

    /// Returns true if a call in a tab was cancelled because the person took the tab back or works in it.
    fn withdrawn_for_person(&self, driver: &Driver, tab: TabId) -> bool {
        let pause = self.services.pauses.of(driver.conversation.id());
        driver.is_taken_back_in(tab) || pause.is_some_and(|pause| pause.tab == tab)
    }

    /// Runs a call of a driver until the person takes back its tab at the latest.
    pub(super) async fn until_taken_back<T>(
        &self,
        tab: TabId,
        needs_tab: bool,
        cancel: &CancellationToken,
        call: impl Future<Output = Result<T, Fault>>,
    ) -> Result<T, Fault> {
        let Some(driver) = &self.driver else { return call.await };
        let running = driver.runs_in(tab, CancellationToken::new());
        // Whoever takes the tab back from here on finds the call; it may have been taken just before.
        if needs_tab && !self.services.tabs.sets().of(self.conversation()).contains(&tab) {
            return Err(DriversError::TakenBack { tab: tab.to_string() }.into());
        }
        let mut call = std::pin::pin!(call);
        let outcome = tokio::select! {
            outcome = &mut call => outcome,
            () = running.taken_back() => {
                cancel.cancel();
                call.await
            }
        };
        match outcome {
            // What was cut off halfway keeps its own fault, which says so.
            Err(fault) if running.is_taken_back() && matches!(fault.code, FaultCode::Cancelled | FaultCode::Denied) => {
                Err(DriversError::TakenBack { tab: tab.to_string() }.into())
            }
            outcome => outcome,
        }
    }

    /// Runs a command of an MCP client. Ends when the caller disconnects.
    pub(super) async fn run_for_driver(
        self: Arc<Self>,
        driver: Arc<Driver>,
        request: CommandRequest,
    ) -> Result<CommandResult, Fault> {
        match registry::find(&request.command).map(|spec| spec.needs) {
            Some(Needs::Engine(EngineCommand::Lease)) => return self.lease(&driver, &request).await,
            Some(Needs::Engine(EngineCommand::Release)) => {
                let call = Call::parse(&request.command, &request.args)?;
                let begun = self.services.activity.begin(self.source(), None, &call);
                let outcome = self.services.drivers.release(Some(&driver), &request, &call);
                begun.end(outcome.as_ref().map(|result| result.output.as_str()));
                return outcome;
            }
            _ => {}
        }
        self.services.give_first_tab(&driver, &request).await?;
        let drivers = self.services.drivers.clone();
        drivers.changed();
        let outcome = self.run_from_shell(request).await;
        // It may have opened or closed tabs.
        drivers.changed();
        outcome
    }

    /// Asks the person for a tab that the driver does not have.
    async fn lease(&self, driver: &Driver, request: &CommandRequest) -> Result<CommandResult, Fault> {
        let call = Call::parse(&request.command, &request.args)?;
        let begun = self.services.activity.begin(self.source(), None, &call);
        let outcome = self.lease_tab(driver, request, &call).await;
        begun.end(outcome.as_ref().map(|result| result.output.as_str()));
        outcome
    }

    async fn lease_tab(&self, driver: &Driver, request: &CommandRequest, call: &Call) -> Result<CommandResult, Fault> {
        let services = &self.services;
        if call.arguments.value("--to").is_some() {
            return Err(DriversError::OnlyPersonGives.into());
        }
        let tab = services.drivers.tab_of(request, call)?;
        let said = || CommandResult { output: format!("Leased tab {tab}"), ..CommandResult::default() };
        if services.tabs.sets().of(&driver.conversation).contains(&tab) {
            return Ok(said());
        }
        services.drivers.open_tab(tab)?;
        services.drivers.check_free(tab, driver.conversation.id())?;
        let record = ActionRecord { command: format!("lease {tab}"), ..ActionRecord::default() };
        let approval = ApprovalRequest {
            approval_id: ApprovalId::random(),
            ask: format!("Work in tab {tab}"),
            phrase: None,
            site: services.tabs.site_of(tab),
            why: None,
            does: format!("lease {tab}"),
            action: Box::new(record),
            kind: StepKind::Act,
            choices: vec![Decision::AllowOnce, Decision::Deny],
        };
        let DriverAnswer { decision, by, .. } =
            self.ask_for_driver(driver, approval, tab, &self.ended.child_token()).await?;
        let entry = AuditEntry {
            answer: Some(decision),
            ..driver_entry(driver, format!("lease {tab}"), decision.allows(), audit_by(by))
        };
        services.policy.record(&entry)?;
        if !decision.allows() {
            return Err(DriversError::NotGiven { tab: tab.to_string() }.into());
        }
        services.drivers.lease_to(driver, tab, JoinedBy::Person)?;
        Ok(said())
    }
}

/// Tells every panel how a driver's approval was closed, when dropped.
struct Closes {
    ports: Ports,
    approvals: Approvals,
    waiting: PendingDriverApproval,
    approval_id: ApprovalId,
    answer: DriverAnswer,
}

impl Drop for Closes {
    fn drop(&mut self) {
        let DriverAnswer { decision, by, .. } = self.answer;
        let answered = DriverAnswered { approval_id: self.approval_id.clone(), decision, by };
        self.ports.broadcast(&ToPanel::DriversAnswered(answered));
        self.waiting.leave_panels();
        self.approvals.changed();
    }
}
