//! The approvals that drivers wait for. A driver has no turn and no journal, so they are kept here.
//!
//! Owns the open ones and their answers: the first answer counts, and must be one of those that the approval offers.

use crate::base::answer::answer_within;
use crate::base::mutex::lock;
use crate::protocol::chat::{AnsweredBy, Decision};
use crate::protocol::control::WaitingApproval;
use crate::protocol::ids::{ApprovalId, ConversationId};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::oneshot;

/// A person's answer.
pub(in crate::engine) type Answer = (Decision, AnsweredBy);

/// The open approvals of all drivers. Cheap to clone.
#[derive(Clone, Default)]
pub(in crate::engine) struct DriverApprovals(Arc<Mutex<BTreeMap<ApprovalId, Open>>>);

struct Open {
    shown: WaitingApproval,
    answer: oneshot::Sender<Answer>,
}

/// An open approval. Dropping it withdraws it.
pub(in crate::engine) struct Waiting {
    approvals: DriverApprovals,
    id: ApprovalId,
    answer: oneshot::Receiver<Answer>,
}

impl DriverApprovals {
    /// Opens an approval.
    pub(in crate::engine) fn ask(&self, shown: WaitingApproval) -> Waiting {
        let (answer, receiver) = oneshot::channel();
        let id = shown.approval_id.clone();
        lock(&self.0).insert(id.clone(), Open { shown, answer });
        Waiting { approvals: self.clone(), id, answer: receiver }
    }

    /// Answers an open approval. Returns `false` if there is none of this id, or it does not offer this answer.
    pub(in crate::engine) fn answer(&self, id: &ApprovalId, answer: Answer) -> bool {
        let mut open = lock(&self.0);
        if !open.get(id).is_some_and(|one| one.shown.choices.contains(&answer.0)) {
            return false;
        }
        open.remove(id).is_some_and(|one| one.answer.send(answer).is_ok())
    }

    /// Returns the open approvals.
    pub(in crate::engine) fn open(&self) -> Vec<WaitingApproval> {
        lock(&self.0).values().map(|one| one.shown.clone()).collect()
    }

    /// Returns true if an approval of this id is open.
    pub(in crate::engine) fn has(&self, id: &ApprovalId) -> bool {
        lock(&self.0).contains_key(id)
    }

    pub(super) fn withdraw_of(&self, conversation: &ConversationId) {
        lock(&self.0).retain(|_, one| one.shown.conversation_id != *conversation);
    }
}

impl Waiting {
    /// Waits for the answer. Denies if none arrives in time. `None` if the approval was withdrawn or `cancelled` ended.
    pub(in crate::engine) async fn answered(
        mut self,
        limit: Duration,
        cancelled: impl Future<Output = ()>,
    ) -> Option<Answer> {
        let (approvals, id) = (self.approvals.clone(), self.id.clone());
        let time_out = || lock(&approvals.0).remove(&id).map(|_| (Decision::Deny, AnsweredBy::Timeout));
        answer_within(&mut self.answer, limit, cancelled, time_out).await
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        lock(&self.approvals.0).remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::pending;

    fn shown(choices: &[Decision]) -> WaitingApproval {
        WaitingApproval {
            conversation_id: ConversationId::new("c"),
            approval_id: ApprovalId::new("a"),
            driver: Some("cursor".to_owned()),
            ask: "Click".to_owned(),
            site: None,
            does: "click".to_owned(),
            why: None,
            action: Box::default(),
            choices: choices.to_vec(),
        }
    }

    fn answer(decision: Decision) -> Answer {
        (decision, AnsweredBy::Terminal)
    }

    #[tokio::test]
    async fn the_first_offered_answer_counts_and_a_dropped_approval_is_gone() {
        let approvals = DriverApprovals::default();
        let id = ApprovalId::new("a");
        let waiting = approvals.ask(shown(&[Decision::AllowOnce, Decision::Deny]));
        assert!(!approvals.answer(&id, answer(Decision::AllowAlways)), "it does not offer that");
        assert!(approvals.answer(&id, answer(Decision::AllowOnce)));
        assert!(!approvals.answer(&id, answer(Decision::Deny)), "it is answered");
        assert_eq!(waiting.answered(Duration::MAX, pending()).await, Some(answer(Decision::AllowOnce)));
        drop(approvals.ask(shown(&[Decision::Deny])));
        assert_eq!(approvals.open(), []);
        let waiting = approvals.ask(shown(&[Decision::Deny]));
        approvals.withdraw_of(&ConversationId::new("c"));
        assert_eq!(waiting.answered(Duration::MAX, pending()).await, None);
        let waiting = approvals.ask(shown(&[Decision::Deny]));
        let denied = Some((Decision::Deny, AnsweredBy::Timeout));
        assert_eq!(waiting.answered(Duration::ZERO, pending()).await, denied);
        assert!(!approvals.answer(&id, answer(Decision::Deny)) && !approvals.has(&id), "it is over");
    }
}
