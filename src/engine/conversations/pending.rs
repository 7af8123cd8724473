//! A request that waits for the person's answer: an approval, or a question of an agent.
//!
//! Owns how a request ends: by its answer, by its cancellation, by its time limit, or by being dropped. Never shows the
//! request: the conversation's task does.

use super::gate::ConversationGate;
use gstack_base::answer::answer_within;
use gstack_chat::turn::ApprovalRequest;
use gstack_chat::{ChatError, Event};
use gstack_protocol::chat::{AnsweredBy, Decision};
use gstack_protocol::ids::{ApprovalId, QuestionId};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// The decision on an approval, and who made it.
pub(crate) type ApprovalAnswer = (Decision, AnsweredBy);
/// The chosen options of each part of a question. Empty if nobody answered.
pub(crate) type QuestionAnswers = Vec<Vec<String>>;

/// A kind of answer, and how its request is closed without one.
pub(crate) trait Answer: Sized {
    type Id: Clone;

    /// The answer to a request that was withdrawn.
    fn withdrawn() -> Self;
    /// Closes the request because its time is over. Fails if it has been answered already.
    fn time_out(gate: &ConversationGate, id: Self::Id) -> Result<Self, ChatError>;
    /// The event that closes a request whose requester has disconnected.
    fn withdrawal(id: Self::Id) -> Event;
}

impl Answer for ApprovalAnswer {
    type Id = ApprovalId;

    fn withdrawn() -> Self {
        (Decision::Deny, AnsweredBy::Withdrawn)
    }

    fn time_out(gate: &ConversationGate, id: ApprovalId) -> Result<Self, ChatError> {
        gate.answer(id, Decision::Deny, AnsweredBy::Timeout)?;
        Ok((Decision::Deny, AnsweredBy::Timeout))
    }

    fn withdrawal(id: ApprovalId) -> Event {
        Event::ApprovalWithdrawn(id)
    }
}

impl Answer for QuestionAnswers {
    type Id = QuestionId;

    fn withdrawn() -> Self {
        Vec::new()
    }

    fn time_out(gate: &ConversationGate, id: QuestionId) -> Result<Self, ChatError> {
        gate.answer_question(id, Vec::new(), AnsweredBy::Timeout)?;
        Ok(Vec::new())
    }

    fn withdrawal(id: QuestionId) -> Event {
        Event::QuestionWithdrawn(id)
    }
}

/// A pending request. Dropping it withdraws the request, so that no card outlives the call that asked.
pub(crate) struct Pending<A: Answer> {
    gate: ConversationGate,
    id: A::Id,
    answer: oneshot::Receiver<A>,
    is_answered: bool,
}

impl Pending<ApprovalAnswer> {
    /// Shows an approval to the person.
    pub(crate) fn open(gate: &ConversationGate, request: ApprovalRequest) -> Self {
        let (pending, answer) = Self::new(gate, request.approval_id.clone());
        gate.ask(request, answer);
        pending
    }
}

impl<A: Answer> Pending<A> {
    /// Returns a request that is shown by the caller, and the sender of its answer.
    pub(crate) fn new(gate: &ConversationGate, id: A::Id) -> (Self, oneshot::Sender<A>) {
        let (sender, answer) = oneshot::channel();
        (Self { gate: gate.clone(), id, answer, is_answered: false }, sender)
    }

    /// Waits for the answer. Closes the request if `limit` is over or `cancel` is cancelled before it arrives.
    pub(crate) async fn answered(mut self, limit: Duration, cancel: &CancellationToken) -> A {
        let (gate, id) = (self.gate.clone(), self.id.clone());
        let time_out = || A::time_out(&gate, id).ok();
        let answer = answer_within(&mut self.answer, limit, cancel.cancelled(), time_out).await;
        // Without an answer and a cancellation, the turn has ended and the request is closed already.
        self.is_answered = answer.is_some() || !cancel.is_cancelled();
        answer.unwrap_or_else(A::withdrawn)
    }
}

impl<A: Answer> Drop for Pending<A> {
    fn drop(&mut self) {
        if self.is_answered {
            return;
        }
        // Close first: a request that is not shown yet is then never shown.
        self.answer.close();
        if let Some(fault) = self.gate.handle(A::withdrawal(self.id.clone())) {
            tracing::warn!(%fault, "a withdrawal could not be written");
        }
    }
}
