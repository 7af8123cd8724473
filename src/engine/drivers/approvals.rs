//! The approvals that drivers wait for. A driver has no turn and no journal, so they are kept here.
//!
//! Owns the open ones and their answers: the first answer counts, and must be one of those that the approval offers. A
//! closed approval stays in the list of the panels until they were told why it was closed.

use super::error::DriversError;
use super::withdrawals::Withdrawals;
use gstack_base::answer::answer_within;
use gstack_base::mutex::lock;
use gstack_protocol::chat::{AnsweredBy, Decision};
use gstack_protocol::control::WaitingApproval;
use gstack_protocol::driver::DriverName;
use gstack_protocol::ids::{ApprovalId, ConversationId};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// The most open approvals of one driver. An agent's turn rarely has more.
const MOST_OF_ONE: usize = 4;
/// The most open approvals of all drivers: a person could not review more.
const MOST: usize = 32;
/// The most bytes that the open approvals of one driver have, as JSON.
const MOST_BYTES_OF_ONE: usize = 128 * 1024;
/// The same of all drivers: one message to a panel carries them.
const MOST_BYTES: usize = 512 * 1024;

/// A person's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DriverAnswer {
    pub(crate) decision: Decision,
    pub(crate) by: AnsweredBy,
    /// Replaces the text that the call would type.
    pub(crate) text: Option<String>,
}

/// The approvals of all drivers, oldest first. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct DriverApprovals {
    listed: Arc<Mutex<Vec<Listed>>>,
    /// Locked after `listed` if both are held.
    withdrawals: Arc<Mutex<Withdrawals>>,
}

struct Listed {
    shown: WaitingApproval,
    from: DriverName,
    /// In bytes, as JSON.
    length: usize,
    /// `None` once the approval is closed.
    answer: Option<oneshot::Sender<DriverAnswer>>,
}

/// An approval that was asked for. Dropping it withdraws it and takes it off the list of the panels.
pub(crate) struct PendingDriverApproval {
    approvals: DriverApprovals,
    id: ApprovalId,
    answer: oneshot::Receiver<DriverAnswer>,
}

impl DriverApprovals {
    /// Opens an approval. Fails if it is too long, too many wait, or too many were withdrawn a short time ago.
    pub(crate) fn ask(&self, shown: WaitingApproval, from: DriverName) -> Result<PendingDriverApproval, DriversError> {
        let length = serde_json::to_string(&shown).map_or(usize::MAX, |json| json.len());
        if length > MOST_BYTES_OF_ONE {
            return Err(DriversError::ApprovalTooLong);
        }
        lock(&self.withdrawals).check(&shown.conversation_id, Instant::now())?;
        let mut listed = lock(&self.listed);
        let open = || listed.iter().filter(|one| one.answer.is_some());
        let of_one = || open().filter(|one| one.shown.conversation_id == shown.conversation_id);
        for (count, taken, most, longest) in [
            (of_one().count(), of_one().map(|one| one.length).sum::<usize>(), MOST_OF_ONE, MOST_BYTES_OF_ONE),
            (open().count(), open().map(|one| one.length).sum(), MOST, MOST_BYTES),
        ] {
            if count >= most || taken + length > longest {
                return Err(DriversError::TooManyApprovals { waiting: count });
            }
        }
        let (answer, receiver) = oneshot::channel();
        let id = shown.approval_id.clone();
        listed.push(Listed { shown, from, length, answer: Some(answer) });
        Ok(PendingDriverApproval { approvals: self.clone(), id, answer: receiver })
    }

    /// Answers an open approval. Returns `false` if there is none of this id, or it does not offer this answer.
    pub(crate) fn answer(&self, id: &ApprovalId, answer: DriverAnswer) -> bool {
        let mut listed = lock(&self.listed);
        let offers = |one: &Listed| {
            let takes_text = answer.decision == Decision::AllowOnce && one.shown.action.text.is_some();
            one.shown.choices.contains(&answer.decision) && (answer.text.is_none() || takes_text)
        };
        let asked = listed.iter_mut().find(|one| one.shown.approval_id == *id && offers(one));
        asked.and_then(|one| one.answer.take()).is_some_and(|sender| sender.send(answer).is_ok())
    }

    /// Returns the open approvals.
    pub(crate) fn open(&self) -> Vec<WaitingApproval> {
        lock(&self.listed).iter().filter(|one| one.answer.is_some()).map(|one| one.shown.clone()).collect()
    }

    /// Returns the approvals that panels show: the open ones, and the closed ones of which they do not know yet.
    pub(super) fn in_panels(&self) -> Vec<(WaitingApproval, DriverName)> {
        lock(&self.listed).iter().map(|one| (one.shown.clone(), one.from.clone())).collect()
    }

    /// Returns the open approval of this id.
    pub(crate) fn find(&self, id: &ApprovalId) -> Option<WaitingApproval> {
        let is_it = |one: &&Listed| one.answer.is_some() && one.shown.approval_id == *id;
        lock(&self.listed).iter().find(is_it).map(|one| one.shown.clone())
    }

    pub(super) fn withdraw_of(&self, conversation: &ConversationId) {
        for one in lock(&self.listed).iter_mut().filter(|one| one.shown.conversation_id == *conversation) {
            if one.answer.take().is_some() {
                // A client that ends withdraws what it asked for, and can register again.
                lock(&self.withdrawals).add(conversation.clone(), Instant::now());
            }
        }
    }

    /// Closes an approval. Returns `false` if it was answered or withdrawn already.
    fn close(&self, id: &ApprovalId) -> bool {
        let mut listed = lock(&self.listed);
        let asked = listed.iter_mut().find(|one| one.shown.approval_id == *id);
        asked.and_then(|one| one.answer.take()).is_some()
    }
}

impl PendingDriverApproval {
    /// Waits for the answer. Denies if none arrives in time. `None` if the approval was withdrawn or `cancelled` ended.
    pub(crate) async fn answered(
        &mut self,
        limit: Duration,
        cancelled: impl Future<Output = ()>,
    ) -> Option<DriverAnswer> {
        let (approvals, id) = (self.approvals.clone(), self.id.clone());
        let denied = DriverAnswer { decision: Decision::Deny, by: AnsweredBy::Timeout, text: None };
        let time_out = || approvals.close(&id).then_some(denied);
        answer_within(&mut self.answer, limit, cancelled, time_out).await
    }

    /// Closes the approval because of something that the person did. It does not count as withdrawn.
    pub(crate) fn close_for_person(&self) {
        self.approvals.close(&self.id);
    }

    /// Takes the approval off the list of the panels, which know how it ended.
    pub(crate) fn leave_panels(&self) {
        let mut listed = lock(&self.approvals.listed);
        let Some(at) = listed.iter().position(|one| one.shown.approval_id == self.id) else { return };
        let left = listed.remove(at);
        // It was neither answered nor out of time.
        if left.answer.is_some() {
            lock(&self.approvals.withdrawals).add(left.shown.conversation_id, Instant::now());
        }
    }
}

impl Drop for PendingDriverApproval {
    fn drop(&mut self) {
        self.leave_panels();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gstack_protocol::chat::StepKind;
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

    fn from() -> DriverName {
        DriverName { name: "cursor".to_owned(), client: "cursor".to_owned(), label: None }
    }

    fn answer(decision: Decision) -> DriverAnswer {
        DriverAnswer { decision, by: AnsweredBy::Terminal, text: None }
    }

    #[tokio::test]
    async fn the_first_offered_answer_counts_and_a_dropped_approval_is_gone() {
        let approvals = DriverApprovals::default();
        let id = ApprovalId::new("a");
        let ask = |choices: &[Decision]| approvals.ask(shown("c", "a", choices), from()).unwrap();
        let mut waiting = ask(&[Decision::AllowOnce, Decision::Deny]);
        assert!(!approvals.answer(&id, answer(Decision::AllowAlways)), "it does not offer that");
        let wrote = DriverAnswer { text: Some("x".to_owned()), ..answer(Decision::AllowOnce) };
        assert!(!approvals.answer(&id, wrote), "it types nothing");
        assert!(approvals.answer(&id, answer(Decision::AllowOnce)));
        assert!(!approvals.answer(&id, answer(Decision::Deny)), "it is answered");
        assert_eq!(waiting.answered(Duration::MAX, pending()).await, Some(answer(Decision::AllowOnce)));
        assert_eq!((approvals.open().len(), approvals.in_panels().len()), (0, 1), "panels are told why first");
        drop(waiting);
        assert_eq!(approvals.in_panels(), []);
        drop(ask(&[Decision::Deny]));
        assert_eq!(approvals.open(), []);
        let mut waiting = ask(&[Decision::Deny]);
        approvals.withdraw_of(&ConversationId::new("c"));
        assert_eq!((approvals.open().len(), approvals.in_panels().len()), (0, 1), "panels are told why first");
        assert_eq!(waiting.answered(Duration::MAX, pending()).await, None);
        drop(waiting);
        let mut waiting = ask(&[Decision::Deny]);
        let denied = DriverAnswer { by: AnsweredBy::Timeout, ..answer(Decision::Deny) };
        assert_eq!(waiting.answered(Duration::ZERO, pending()).await, Some(denied));
        assert!(!approvals.answer(&id, answer(Decision::Deny)) && approvals.find(&id).is_none(), "it is over");
    }

    #[test]
    fn only_what_the_driver_withdraws_counts() {
        let approvals = DriverApprovals::default();
        let ask = || approvals.ask(shown("loop", "a", &[Decision::Deny]), from());
        for round in 0..20 {
            let waiting = ask().unwrap();
            match round % 3 {
                0 => waiting.close_for_person(),
                1 => assert!(approvals.answer(&ApprovalId::new("a"), answer(Decision::Deny))),
                _ => assert!(approvals.close(&ApprovalId::new("a")), "its time is over"),
            }
        }
        let withdrawn = (0..20).take_while(|_| ask().is_ok()).count();
        assert_eq!(withdrawn, 6);
        assert!(approvals.ask(shown("other", "b", &[Decision::Deny]), from()).is_ok());
    }

    #[test]
    fn a_flood_of_one_driver_leaves_room_for_the_others() {
        let approvals = DriverApprovals::default();
        let ask = |driver: &str, id: usize, length: usize| {
            let does = "x".repeat(length);
            let asked = WaitingApproval { does, ..shown(driver, &format!("{driver} {id}"), &[Decision::Deny]) };
            approvals.ask(asked, from())
        };
        let flood: Vec<_> = (0..100).map(|id| ask("flood", id, 1)).collect();
        assert_eq!(flood.iter().filter(|asked| asked.is_ok()).count(), MOST_OF_ONE);
        assert!(matches!(flood[99], Err(DriversError::TooManyApprovals { waiting: MOST_OF_ONE })));
        assert!(matches!(ask("long", 0, MOST_BYTES_OF_ONE), Err(DriversError::ApprovalTooLong)));
        let long = ask("long", 1, MOST_BYTES_OF_ONE / 2).unwrap();
        assert!(ask("long", 2, MOST_BYTES_OF_ONE / 2).is_err(), "both would be too long");
        drop(long);
        let others: Vec<_> = (0..MOST).map(|id| ask(&format!("other {id}"), 0, 1)).collect();
        assert_eq!(others.iter().filter(|asked| asked.is_ok()).count(), MOST - MOST_OF_ONE);
        assert_eq!(approvals.open()[0].approval_id, ApprovalId::new("flood 0"), "oldest first");
        drop(flood);
        assert_eq!(approvals.open().len(), MOST - MOST_OF_ONE);
    }
}
