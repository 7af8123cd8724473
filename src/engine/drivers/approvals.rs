//! The approvals that drivers wait for. A driver has no turn and no journal, so they are kept here.
//!
//! Owns the open ones and their answers: the first answer counts, and must be one of those that the approval offers.

use super::error::DriversError;
use crate::base::answer::answer_within;
use crate::base::mutex::lock;
use crate::protocol::chat::{AnsweredBy, Decision};
use crate::protocol::control::WaitingApproval;
use crate::protocol::ids::{ApprovalId, ConversationId};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::oneshot;

/// The most open approvals of one driver. An agent's turn rarely has more.
const MOST_OF_ONE: usize = 4;
/// The most open approvals of all drivers: a person could not review more.
const MOST: usize = 32;
/// The most bytes that the open approvals of one driver have, as JSON.
const LONGEST_OF_ONE: usize = 128 * 1024;
/// The same of all drivers: one message to a panel carries them.
const LONGEST: usize = 512 * 1024;

/// A person's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::engine) struct DriverAnswer {
    pub(in crate::engine) decision: Decision,
    pub(in crate::engine) by: AnsweredBy,
    /// Replaces the text that the call would type.
    pub(in crate::engine) text: Option<String>,
}

/// The open approvals of all drivers, oldest first. Cheap to clone.
#[derive(Clone, Default)]
pub(in crate::engine) struct DriverApprovals(Arc<Mutex<Vec<Open>>>);

struct Open {
    shown: WaitingApproval,
    /// In bytes, as JSON.
    length: usize,
    answer: oneshot::Sender<DriverAnswer>,
}

/// An open approval. Dropping it withdraws it.
pub(in crate::engine) struct Waiting {
    approvals: DriverApprovals,
    id: ApprovalId,
    answer: oneshot::Receiver<DriverAnswer>,
}

impl DriverApprovals {
    /// Opens an approval. Fails if too many wait, or if it is too long.
    pub(in crate::engine) fn ask(&self, shown: WaitingApproval) -> Result<Waiting, DriversError> {
        let length = serde_json::to_string(&shown).map_or(usize::MAX, |json| json.len());
        if length > LONGEST_OF_ONE {
            return Err(DriversError::ApprovalTooLong);
        }
        let mut open = lock(&self.0);
        let of_one = || open.iter().filter(|one| one.shown.conversation_id == shown.conversation_id);
        for (count, taken, most, longest) in [
            (of_one().count(), of_one().map(|one| one.length).sum::<usize>(), MOST_OF_ONE, LONGEST_OF_ONE),
            (open.len(), open.iter().map(|one| one.length).sum(), MOST, LONGEST),
        ] {
            if count >= most || taken + length > longest {
                return Err(DriversError::TooManyApprovals { most: count });
            }
        }
        let (answer, receiver) = oneshot::channel();
        let id = shown.approval_id.clone();
        open.push(Open { shown, length, answer });
        Ok(Waiting { approvals: self.clone(), id, answer: receiver })
    }

    /// Answers an open approval. Returns `false` if there is none of this id, or it does not offer this answer.
    pub(in crate::engine) fn answer(&self, id: &ApprovalId, answer: DriverAnswer) -> bool {
        let mut open = lock(&self.0);
        let offers = |one: &Open| {
            let takes_text = answer.decision == Decision::AllowOnce && one.shown.action.text.is_some();
            one.shown.choices.contains(&answer.decision) && (answer.text.is_none() || takes_text)
        };
        let at = open.iter().position(|one| one.shown.approval_id == *id && offers(one));
        at.is_some_and(|at| open.remove(at).answer.send(answer).is_ok())
    }

    /// Returns the open approvals.
    pub(in crate::engine) fn open(&self) -> Vec<WaitingApproval> {
        lock(&self.0).iter().map(|one| one.shown.clone()).collect()
    }

    /// Returns the open approval of this id.
    pub(in crate::engine) fn find(&self, id: &ApprovalId) -> Option<WaitingApproval> {
        lock(&self.0).iter().find(|one| one.shown.approval_id == *id).map(|one| one.shown.clone())
    }

    pub(super) fn withdraw_of(&self, conversation: &ConversationId) {
        lock(&self.0).retain(|one| one.shown.conversation_id != *conversation);
    }

    /// Removes an approval. Returns `false` if it was answered or withdrawn already.
    fn close(&self, id: &ApprovalId) -> bool {
        let mut open = lock(&self.0);
        let at = open.iter().position(|one| one.shown.approval_id == *id);
        at.map(|at| open.remove(at)).is_some()
    }
}

impl Waiting {
    /// Waits for the answer. Denies if none arrives in time. `None` if the approval was withdrawn or `cancelled` ended.
    pub(in crate::engine) async fn answered(
        mut self,
        limit: Duration,
        cancelled: impl Future<Output = ()>,
    ) -> Option<DriverAnswer> {
        let (approvals, id) = (self.approvals.clone(), self.id.clone());
        let denied = DriverAnswer { decision: Decision::Deny, by: AnsweredBy::Timeout, text: None };
        let time_out = || approvals.close(&id).then_some(denied);
        answer_within(&mut self.answer, limit, cancelled, time_out).await
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.approvals.close(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::chat::StepKind;
    use std::future::pending;

    fn shown(driver: &str, id: &str, choices: &[Decision]) -> WaitingApproval {
        WaitingApproval {
            conversation_id: ConversationId::new(driver),
            approval_id: ApprovalId::new(id),
            driver: Some("cursor".to_owned()),
            tab_id: None,
            ask: "Click".to_owned(),
            phrase: None,
            site: None,
            does: "click".to_owned(),
            why: None,
            why_words: None,
            action: Box::default(),
            kind: StepKind::Act,
            choices: choices.to_vec(),
        }
    }

    fn answer(decision: Decision) -> DriverAnswer {
        DriverAnswer { decision, by: AnsweredBy::Terminal, text: None }
    }

    #[tokio::test]
    async fn the_first_offered_answer_counts_and_a_dropped_approval_is_gone() {
        let approvals = DriverApprovals::default();
        let id = ApprovalId::new("a");
        let ask = |choices: &[Decision]| approvals.ask(shown("c", "a", choices)).unwrap();
        let waiting = ask(&[Decision::AllowOnce, Decision::Deny]);
        assert!(!approvals.answer(&id, answer(Decision::AllowAlways)), "it does not offer that");
        let wrote = DriverAnswer { text: Some("x".to_owned()), ..answer(Decision::AllowOnce) };
        assert!(!approvals.answer(&id, wrote), "it types nothing");
        assert!(approvals.answer(&id, answer(Decision::AllowOnce)));
        assert!(!approvals.answer(&id, answer(Decision::Deny)), "it is answered");
        assert_eq!(waiting.answered(Duration::MAX, pending()).await, Some(answer(Decision::AllowOnce)));
        drop(ask(&[Decision::Deny]));
        assert_eq!(approvals.open(), []);
        let waiting = ask(&[Decision::Deny]);
        approvals.withdraw_of(&ConversationId::new("c"));
        assert_eq!(waiting.answered(Duration::MAX, pending()).await, None);
        let waiting = ask(&[Decision::Deny]);
        let denied = DriverAnswer { by: AnsweredBy::Timeout, ..answer(Decision::Deny) };
        assert_eq!(waiting.answered(Duration::ZERO, pending()).await, Some(denied));
        assert!(!approvals.answer(&id, answer(Decision::Deny)) && approvals.find(&id).is_none(), "it is over");
    }

    #[test]
    fn a_flood_of_one_driver_leaves_room_for_the_others() {
        let approvals = DriverApprovals::default();
        let ask = |driver: &str, id: usize, length: usize| {
            let does = "x".repeat(length);
            approvals.ask(WaitingApproval { does, ..shown(driver, &format!("{driver} {id}"), &[Decision::Deny]) })
        };
        let flood: Vec<_> = (0..100).map(|id| ask("flood", id, 1)).collect();
        assert_eq!(flood.iter().filter(|asked| asked.is_ok()).count(), MOST_OF_ONE);
        assert!(matches!(flood[99], Err(DriversError::TooManyApprovals { most: MOST_OF_ONE })));
        assert!(matches!(ask("long", 0, LONGEST_OF_ONE), Err(DriversError::ApprovalTooLong)));
        let long = ask("long", 1, LONGEST_OF_ONE / 2).unwrap();
        assert!(ask("long", 2, LONGEST_OF_ONE / 2).is_err(), "both would be too long");
        drop(long);
        let others: Vec<_> = (0..MOST).map(|id| ask(&format!("other {id}"), 0, 1)).collect();
        assert_eq!(others.iter().filter(|asked| asked.is_ok()).count(), MOST - MOST_OF_ONE);
        assert_eq!(approvals.open()[0].approval_id, ApprovalId::new("flood 0"), "oldest first");
        drop(flood);
        assert_eq!(approvals.open().len(), MOST - MOST_OF_ONE);
    }
}
