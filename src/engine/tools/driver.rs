//! The tools of an MCP client: the same as an agent's, with the same policy, but without a turn or a journal.
//!
//! Owns the differences: its first tab, and its `lease` and `release`. Its approvals wait in `approvals`.

use super::ConversationTools;
use crate::activity::Source;
use crate::drivers::Driver;
use gstack_command::spec::{EngineCommand, Needs};
use gstack_command::{Call, registry};
use gstack_protocol::activity::ActivitySource;
use gstack_protocol::command::{CommandRequest, CommandResult};
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::TabId;
use std::sync::Arc;

impl ConversationTools {
    /// Returns where a call is recorded to come from.
    pub(super) fn source(&self) -> Source {
        match &self.driver {
            Some(driver) => Source { driver: Some(driver.name.clone()), ..ActivitySource::Mcp.into() },
            None => Source { turn: self.conversation().turn(), ..ActivitySource::Agent.into() },
        }
    }

    /// After a tab closed: chooses another own tab if it was the driver's.
    pub(super) fn leave_own(&self, closed: TabId) {
        let Some(driver) = &self.driver else { return };
        self.services.drivers.leave_own(driver, closed);
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
        let outcome = self.services.lease_requests.lease(driver, request, &call, &self.ended).await;
        begun.end(outcome.as_ref().map(|result| result.output.as_str()));
        outcome
    }
}
