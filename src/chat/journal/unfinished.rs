//! Recovers the state before this daemon from a journal: the unfinished turn and the waiting messages.
//!
//! Only reads, back to the message of the newest turn, and to those that the person has put behind it. Everything before
//! is settled, because messages run in order.

use super::file::Journal;
use crate::error::ChatError;
use crate::turn::Message;
use gstack_protocol::chat::{AnsweredBy, ChatBody, ChatEvent, Decision, Millis, Seq, StepOutcome, TurnOutcome};
use gstack_protocol::ids::{ApprovalId, ClientMessageId, QuestionId, StepId, TurnId};
use std::collections::HashSet;
use std::sync::Arc;

/// Recognises repeated messages this far back without the index, in bytes of the journal.
const RESEND_REACH: u64 = 256 * 1024;

/// The recovered state.
#[derive(Debug, Default)]
pub struct Tail {
    /// The turn that has started but not ended.
    pub unfinished: Option<UnfinishedTurn>,
    /// Messages whose turn has not started, oldest first.
    pub waiting: Vec<Arc<Message>>,
    /// Messages and their numbers, newest first.
    pub sent: Vec<(ClientMessageId, Seq)>,
    /// `sent` contains every message of the journal.
    pub sent_is_all: bool,
    /// The time of the newest event; 0 if there is none.
    pub newest_at: Millis,
    /// The cost of the turns that ended after the record was last saved, in US dollars.
    pub unsaved_cost: Option<f64>,
}

#[derive(Debug)]
pub struct UnfinishedTurn {
    pub turn_id: TurnId,
    pub began: Millis,
    /// Steps without an end, oldest first.
    pub steps: Vec<(StepId, Millis)>,
    /// Approvals without an answer, oldest first.
    pub approvals: Vec<ApprovalId>,
    /// Questions without an answer, oldest first.
    pub questions: Vec<QuestionId>,
}

impl UnfinishedTurn {
    /// Returns the events that end the turn as interrupted. `last`: the time of its last event.
    pub fn endings(&self, last: Millis) -> Vec<ChatBody> {
        let turn_id = || self.turn_id.clone();
        let approvals = self.approvals.iter().map(|approval_id| ChatBody::ApprovalDone {
            turn_id: turn_id(),
            approval_id: approval_id.clone(),
            decision: Decision::Deny,
            by: AnsweredBy::Withdrawn,
        });
        let questions = self.questions.iter().map(|question_id| ChatBody::QuestionDone {
            turn_id: turn_id(),
            question_id: question_id.clone(),
            answers: Vec::new(),
            by: AnsweredBy::Withdrawn,
        });
        let steps = self.steps.iter().map(|(step_id, began)| ChatBody::StepDone {
            turn_id: turn_id(),
            step_id: step_id.clone(),
            outcome: StepOutcome::Unknown,
            duration_ms: last.saturating_sub(*began),
            result: String::new(),
            images: Vec::new(),
        });
        let end = ChatBody::TurnDone {
            turn_id: turn_id(),
            outcome: TurnOutcome::Interrupted,
            duration_ms: last.saturating_sub(self.began),
            model: None,
            cost_usd: None,
            usage: None,
            fault: None,
        };
        approvals.chain(questions).chain(steps).chain([end]).collect()
    }
}

/// Reads the end of a journal. `saved`: the newest event included in the record.
pub fn examine(journal: &Journal, saved: Seq) -> Result<Tail, ChatError> {
    let mut scan = Scan::default();
    let mut unsaved_cost = None;
    let mut is_all = true;
    journal.backwards(|event, reach| {
        let seq = event.seq;
        if seq > saved
            && let ChatBody::TurnDone { cost_usd: Some(cost), .. } = &event.body
        {
            unsaved_cost = Some(unsaved_cost.unwrap_or_default() + cost);
        }
        scan.see(event);
        is_all = !(scan.settled && reach > RESEND_REACH && seq <= saved);
        is_all
    })?;
    scan.arrange();
    scan.steps.reverse();
    scan.approvals.reverse();
    scan.questions.reverse();
    let unfinished = scan.unfinished.map(|(turn_id, began)| UnfinishedTurn {
        turn_id,
        began,
        steps: scan.steps,
        approvals: scan.approvals,
        questions: scan.questions,
    });
    let Scan { waiting, sent, newest_at, .. } = scan;
    Ok(Tail { unfinished, waiting, sent, sent_is_all: is_all, newest_at, unsaved_cost })
}

/// The state of the scan over the events, newest first.
#[derive(Default)]
struct Scan {
    ended: HashSet<TurnId>,
    /// The newest turn's message. Everything older is settled, except for messages that a reordering has kept back.
    newest_started: Option<ClientMessageId>,
    found_newest: bool,
    /// The newest order of the waiting messages.
    order: Option<Vec<ClientMessageId>>,
    unfinished: Option<(TurnId, Millis)>,
    started: HashSet<ClientMessageId>,
    removed: HashSet<ClientMessageId>,
    done_steps: HashSet<StepId>,
    done_approvals: HashSet<ApprovalId>,
    done_questions: HashSet<QuestionId>,
    steps: Vec<(StepId, Millis)>,
    approvals: Vec<ApprovalId>,
    questions: Vec<QuestionId>,
    waiting: Vec<Arc<Message>>,
    sent: Vec<(ClientMessageId, Seq)>,
    settled: bool,
    newest_at: Millis,
}

impl Scan {
    fn ordered(&self) -> &[ClientMessageId] {
        self.order.as_deref().unwrap_or_default()
    }

    /// Returns whether it is known what became of a message.
    fn is_found(&self, client_id: &ClientMessageId) -> bool {
        self.started.contains(client_id)
            || self.removed.contains(client_id)
            || self.waiting.iter().any(|message| message.client_id == *client_id)
    }

    /// Puts the waiting messages into their order: as the person arranged them, and later ones behind.
    fn arrange(&mut self) {
        self.waiting.reverse();
        let order = self.order.take().unwrap_or_default();
        let place = |message: &Arc<Message>| order.iter().position(|id| *id == message.client_id);
        self.waiting.sort_by_key(|message| place(message).unwrap_or(order.len()));
    }

    fn see(&mut self, event: ChatEvent) {
        let ChatEvent { seq, at, body } = event;
        self.newest_at = self.newest_at.max(at);
        if let ChatBody::Message { client_id, .. } = &body {
            self.sent.push((client_id.clone(), seq));
        }
        if self.settled {
            return;
        }
        let turn_begun = self.newest_started.is_some();
        match body {
            ChatBody::TurnDone { turn_id, .. } => {
                self.ended.insert(turn_id);
            }
            ChatBody::TurnStarted { turn_id, client_id, .. } => {
                self.started.insert(client_id.clone());
                if !turn_begun {
                    if !self.ended.contains(&turn_id) {
                        self.unfinished = Some((turn_id, at));
                    }
                    self.newest_started = Some(client_id);
                }
            }
            ChatBody::StepDone { step_id, .. } => {
                self.done_steps.insert(step_id);
            }
            ChatBody::Step { step_id, .. } if !turn_begun && !self.done_steps.contains(&step_id) => {
                self.steps.push((step_id, at));
            }
            ChatBody::ApprovalDone { approval_id, .. } => {
                self.done_approvals.insert(approval_id);
            }
            ChatBody::Approval { approval_id, .. } if !turn_begun && !self.done_approvals.contains(&approval_id) => {
                self.approvals.push(approval_id);
            }
            ChatBody::QuestionDone { question_id, .. } => {
                self.done_questions.insert(question_id);
            }
            ChatBody::Question { question_id, .. } if !turn_begun && !self.done_questions.contains(&question_id) => {
                self.questions.push(question_id);
            }
            ChatBody::MessageRemoved { client_id } => {
                self.removed.insert(client_id);
            }
            ChatBody::QueueOrdered { client_ids } => {
                // Only the newest order counts.
                self.order.get_or_insert(client_ids);
            }
            ChatBody::Message { client_id, text, page, attachments, from, model } => {
                // Before the newest turn's message, only one that a reordering has kept back can still wait.
                let may_wait = !self.found_newest || self.ordered().contains(&client_id);
                if self.newest_started.as_ref() == Some(&client_id) {
                    self.found_newest = true;
                } else if may_wait && !self.started.contains(&client_id) && !self.removed.contains(&client_id) {
                    let turn_id = TurnId::random();
                    self.waiting.push(Arc::new(Message { turn_id, client_id, text, page, attachments, from, model }));
                }
                self.settled = self.found_newest && self.ordered().iter().all(|id| self.is_found(id));
            }
            ChatBody::Step { .. }
            | ChatBody::StepUpdated { .. }
            | ChatBody::Approval { .. }
            | ChatBody::Text { .. }
            | ChatBody::Thinking { .. }
            | ChatBody::Plan { .. }
            | ChatBody::Question { .. }
            | ChatBody::Notice { .. } => {}
        }
    }
}
