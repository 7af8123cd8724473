//! The tools of an MCP client: the same as an agent's, with the same policy, but without a turn or a journal.
//!
//! Owns what differs: where its approvals wait, its first tab, and its `lease` and `release`.

use super::ConversationTools;
use crate::chat::turn::ApprovalRequest;
use crate::command::spec::{EngineCommand, Needs};
use crate::command::{Call, registry};
use crate::engine::Engine;
use crate::engine::activity::Source;
use crate::engine::conversations::Runner;
use crate::engine::drivers::{Driver, DriversError};
use crate::engine::driving::driver_entry;
use crate::engine::policy::audit_by;
use crate::engine::tabs::How;
use crate::protocol::action::ActionRecord;
use crate::protocol::activity::ActivitySource;
use crate::protocol::audit::AuditEntry;
use crate::protocol::chat::{AnsweredBy, Decision, StepKind};
use crate::protocol::command::{CommandRequest, CommandResult};
use crate::protocol::control::WaitingApproval;
use crate::protocol::fault::{Fault, FaultWords};
use crate::protocol::ids::{ApprovalId, TabId};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// MCP clients give up a call after a minute, and then nobody hears why. A client that is told before can say what it
/// wanted and ask again.
const CLIENT_WAITS: Duration = Duration::from_secs(50);

impl ConversationTools {
    /// Creates the tools of a registered driver that the policy judges. `runner` is that of its detached conversation.
    pub(in crate::engine) fn for_driver(engine: Engine, runner: Runner, driver: Arc<Driver>) -> Arc<Self> {
        let tools = Self::unshared(engine, runner, false);
        Arc::new(Self { driver: Some(driver), ..tools })
    }

    /// Returns where a call is recorded to come from.
    pub(super) fn source(&self) -> Source {
        match &self.driver {
            Some(driver) => Source { kind: ActivitySource::Mcp, driver: Some(driver.name.clone()) },
            None => ActivitySource::Agent.into(),
        }
    }

    /// Takes the text that the person wrote in place of a call's.
    pub(super) fn take_text(&self, approval_id: &ApprovalId) -> Option<String> {
        match &self.driver {
            // Its approvals are answered in a terminal, which edits no text.
            Some(_) => None,
            None => self.runner.take_text(approval_id),
        }
    }

    /// After a tab closed: chooses another own tab if it was the driver's.
    pub(super) fn leave_own(&self, closed: TabId) {
        let Some(driver) = &self.driver else { return };
        if driver.conversation.info().tab_id == Some(closed) {
            driver.conversation.own_tab(None);
            let next = self.engine.tabs().sets().of(&driver.conversation).first().copied();
            driver.conversation.own_tab(next);
        }
    }

    /// Lists an approval of a driver and waits for the answer. Denies if none arrives in time.
    pub(super) async fn ask_for_driver(
        &self,
        driver: &Driver,
        approval: ApprovalRequest,
        cancel: &CancellationToken,
    ) -> (Decision, AnsweredBy) {
        let waiting = self.engine.drivers().approvals().ask(WaitingApproval {
            conversation_id: driver.conversation.id().clone(),
            approval_id: approval.approval_id,
            driver: Some(driver.name.clone()),
            ask: approval.ask,
            site: approval.site,
            does: approval.does,
            why: approval.why.map(|why| FaultWords::of(why.into()).0),
            action: approval.action,
            choices: approval.choices,
        });
        self.engine.approvals_changed();
        let cancelled = async {
            tokio::select! {
                () = cancel.cancelled() => {}
                () = self.ended.cancelled() => {}
            }
        };
        let answered = waiting.answered(self.engine.approval_limit().min(CLIENT_WAITS), cancelled).await;
        self.engine.approvals_changed();
        answered.unwrap_or((Decision::Deny, AnsweredBy::Withdrawn))
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
                let begun = self.engine.activity().begin(self.source(), None, &call);
                let outcome = self.engine.release(Some(&driver), &request, &call);
                begun.end(outcome.as_ref().map(|result| result.output.as_str()));
                return outcome;
            }
            _ => {}
        }
        self.engine.give_first_tab(&driver, &request).await?;
        self.run_from_shell(request).await
    }

    /// Asks the person for a tab that the driver does not have.
    async fn lease(&self, driver: &Driver, request: &CommandRequest) -> Result<CommandResult, Fault> {
        let call = Call::parse(&request.command, &request.args)?;
        let begun = self.engine.activity().begin(self.source(), None, &call);
        let outcome = self.lease_tab(driver, request, &call).await;
        begun.end(outcome.as_ref().map(|result| result.output.as_str()));
        outcome
    }

    async fn lease_tab(&self, driver: &Driver, request: &CommandRequest, call: &Call) -> Result<CommandResult, Fault> {
        let engine = &self.engine;
        if call.arguments.value("--to").is_some() {
            return Err(DriversError::OnlyPersonGives.into());
        }
        let tab = engine.tab_of(request, call)?;
        let said = || CommandResult { output: format!("Leased tab {tab}"), ..CommandResult::default() };
        if engine.tabs().sets().of(&driver.conversation).contains(&tab) {
            return Ok(said());
        }
        engine.open_tab(tab)?;
        engine.check_free(tab, driver.conversation.id())?;
        let record = ActionRecord { command: format!("lease {tab}"), ..ActionRecord::default() };
        let approval = ApprovalRequest {
            approval_id: ApprovalId::random(),
            ask: format!("Work in tab {tab}"),
            phrase: None,
            site: engine.tabs().site_of(tab),
            why: None,
            does: format!("lease {tab}"),
            action: Box::new(record),
            kind: StepKind::Act,
            choices: vec![Decision::AllowOnce, Decision::Deny],
        };
        let (decision, by) = self.ask_for_driver(driver, approval, &self.ended.child_token()).await;
        let entry = AuditEntry {
            answer: Some(decision),
            ..driver_entry(driver, format!("lease {tab}"), decision.allows(), audit_by(by))
        };
        engine.policy().record(&entry)?;
        if !decision.allows() {
            return Err(DriversError::NotGiven { tab: tab.to_string() }.into());
        }
        engine.lease_to(driver, tab, How::Person)?;
        Ok(said())
    }
}
