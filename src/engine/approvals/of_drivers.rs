//! The approvals that a driver asks for: shown in panels and terminals until one is answered, withdrawn or out of time.
//!
//! Owns the wait, and telling panels how it ended. `drivers` has the list of those that are open, and its limits.

use super::Approvals;
use crate::drivers::{CLIENT_WAITS, Driver, DriverAnswer, PendingDriverApproval};
use gstack_chat::turn::ApprovalRequest;
use gstack_protocol::chat::{AnsweredBy, Decision};
use gstack_protocol::control::WaitingApproval;
use gstack_protocol::driver::DriverAnswered;
use gstack_protocol::fault::{Fault, FaultWords};
use gstack_protocol::ids::{ApprovalId, TabId};
use gstack_protocol::methods::ToPanel;
use tokio_util::sync::CancellationToken;

impl Approvals {
    /// Shows an approval of a driver and waits for the answer. Denies if none arrives in time, or either token is cancelled.
    /// `tab` is the tab that it concerns. Fails if too many of its approvals wait.
    pub(crate) async fn ask_for_driver(
        &self,
        driver: &Driver,
        approval: ApprovalRequest,
        tab: TabId,
        (cancel, ended): (&CancellationToken, &CancellationToken),
    ) -> Result<DriverAnswer, Fault> {
        let (why, why_words) = approval.why.map(FaultWords::of).unzip();
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
        let drivers = &self.0.drivers;
        let waiting = drivers.approvals().ask(asked, driver.shown_name())?;
        let withdrawn = DriverAnswer { decision: Decision::Deny, by: AnsweredBy::Withdrawn, text: None };
        let mut closes = Closes { approvals: self.clone(), waiting, approval_id, answer: withdrawn };
        self.changed();
        let cancelled = async {
            tokio::select! {
                () = cancel.cancelled() => {}
                () = ended.cancelled() => {}
            }
        };
        let limit = self.0.config.approval_limit().min(CLIENT_WAITS);
        let answered = closes.waiting.answered(limit, cancelled).await;
        match answered {
            Some(answered) => closes.answer = answered,
            None if drivers.is_withdrawn_for_person(driver.conversation.id(), tab) => closes.waiting.close_for_person(),
            None => {}
        }
        Ok(closes.answer.clone())
    }
}

/// When dropped, reports to every panel how a driver's approval was closed.
struct Closes {
    approvals: Approvals,
    waiting: PendingDriverApproval,
    approval_id: ApprovalId,
    answer: DriverAnswer,
}

impl Drop for Closes {
    fn drop(&mut self) {
        let DriverAnswer { decision, by, .. } = self.answer;
        let answered = DriverAnswered { approval_id: self.approval_id.clone(), decision, by };
        self.approvals.0.ports.broadcast(&ToPanel::DriversAnswered(answered));
        self.waiting.leave_panels();
        self.approvals.changed();
    }
}
