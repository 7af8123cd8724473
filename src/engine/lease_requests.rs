//! `lease` of a driver: the person is asked for a tab that the driver may not simply take, and the tab moves if they allow it.
//!
//! Owns the condition. A client that the policy judges asks for every tab; one that acts as the person, and a named
//! terminal, only for a tab that another driver or an agent works in. No driver takes such a tab without the person.

use crate::approvals::Approvals;
use crate::drivers::{Driver, DriverAnswer, Drivers, DriversError, Holder, driver_entry, lease_result};
use crate::policy::{PolicyService, audit_by};
use crate::tabs::{JoinedBy, Tabs};
use gstack_chat::turn::ApprovalRequest;
use gstack_command::Call;
use gstack_protocol::action::ActionRecord;
use gstack_protocol::audit::AuditEntry;
use gstack_protocol::catalogue;
use gstack_protocol::chat::{Decision, StepKind};
use gstack_protocol::command::{CommandRequest, CommandResult};
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::{ApprovalId, TabId};
use tokio_util::sync::CancellationToken;

/// A handle to the requests for tabs. Cheap to clone.
#[derive(Clone)]
pub(crate) struct LeaseRequests {
    pub(crate) approvals: Approvals,
    pub(crate) drivers: Drivers,
    pub(crate) policy: PolicyService,
    pub(crate) tabs: Tabs,
}

impl LeaseRequests {
    /// Runs `lease` of a driver. Waits for the person if they have to be asked, until `ended` is cancelled at the latest.
    pub(crate) async fn lease(
        &self,
        driver: &Driver,
        request: &CommandRequest,
        call: &Call,
        ended: &CancellationToken,
    ) -> Result<CommandResult, Fault> {
        if call.arguments.value("--to").is_some() {
            return Err(DriversError::OnlyPersonGives.into());
        }
        let tab = self.drivers.tab_of(request, call)?;
        let leased = || lease_result(format!("Leased tab {tab}"), tab, Some(&driver.name));
        if self.tabs.sets().of(&driver.conversation).contains(&tab) {
            return Ok(leased());
        }
        self.drivers.open_tab(tab)?;
        if driver.trusted {
            self.drivers.check_opens_in(driver, tab)?;
        }
        let holder = self.drivers.holder_of(tab, driver.conversation.id());
        if driver.trusted && holder.is_none() {
            self.drivers.lease_to(driver, tab, JoinedBy::Agent)?;
            return Ok(leased());
        }
        self.ask(driver, tab, holder.as_ref(), ended).await?;
        self.drivers.take_for(driver, tab, holder.as_ref())?;
        Ok(leased())
    }

    /// Asks the person for a tab that `holder` has, and records the answer. Fails unless they allow it.
    async fn ask(
        &self,
        driver: &Driver,
        tab: TabId,
        holder: Option<&Holder>,
        ended: &CancellationToken,
    ) -> Result<(), Fault> {
        let record = ActionRecord { command: format!("lease {tab}"), ..ActionRecord::default() };
        let approval = ApprovalRequest {
            approval_id: ApprovalId::random(),
            ask: match holder {
                Some(holder) => format!("Take tab {tab} from {}", holder.name),
                None => format!("Work in tab {tab}"),
            },
            phrase: None,
            site: self.tabs.site_of(tab),
            why: holder.map(|holder| catalogue::LEASE_TAKES.with([&holder.name])),
            does: format!("lease {tab}"),
            action: Box::new(record),
            kind: StepKind::Act,
            choices: vec![Decision::AllowOnce, Decision::Deny],
        };
        let answer = self.approvals.ask_for_driver(driver, approval, tab, (ended, ended)).await?;
        let DriverAnswer { decision, by, .. } = answer;
        let from = holder.map(|holder| format!(" from {}", holder.name)).unwrap_or_default();
        let entry = AuditEntry {
            answer: Some(decision),
            ..driver_entry(driver, format!("lease {tab}{from}"), decision.allows(), audit_by(by))
        };
        self.policy.record(&entry)?;
        match decision.allows() {
            true => Ok(()),
            false => Err(DriversError::NotGiven { tab: tab.to_string() }.into()),
        }
    }
}
