//! The approvals and questions of a turn, open until they are answered, withdrawn or can no longer be answered.
//!
//! Owns this part of the turn machine. Pure, like the rest of it.

use super::machine::{Handed, Machine, Phase};
use super::vocabulary::{ApprovalRequest, Effect, QuestionRequest, Refusal};
use gstack_protocol::chat::{AnsweredBy, ChatBody, Decision};
use gstack_protocol::fault::FaultWords;
use gstack_protocol::ids::{ApprovalId, QuestionId, TurnId};

/// The most approvals and questions of a turn that are open at once. An agent calls a few tools at a time; a person could not
/// review more.
pub(super) const MOST_OPEN: usize = 8;

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asks {
    /// The start of the turn's agent, which waits for the answer.
    Starting,
    /// The running agent.
    Running,
}

/// An open approval or question.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Open {
    Approval { approval_id: ApprovalId, choices: Vec<Decision> },
    Question { question_id: QuestionId, parts: usize },
}

impl Open {
    fn is_approval(&self, id: &ApprovalId) -> bool {
        matches!(self, Self::Approval { approval_id, .. } if approval_id == id)
    }
    fn is_question(&self, id: &QuestionId) -> bool {
        matches!(self, Self::Question { question_id, .. } if question_id == id)
    }
}

impl Machine {
    fn open(&self) -> &[Open] {
        match self.active.as_ref().map(|active| &active.phase) {
            Some(Phase::WaitingForPerson { open, .. }) => open,
            _ => &[],
        }
    }

    pub(super) fn ask(&mut self, request: ApprovalRequest, asks: Asks) -> Vec<Effect> {
        let ApprovalRequest { approval_id, ask, phrase, site, why, does, action, kind, choices } = request;
        let open = Open::Approval { approval_id: approval_id.clone(), choices: choices.clone() };
        match self.wait_for(asks, open, |open| open.is_approval(&approval_id)) {
            Waiting::No => {
                let (decision, by) = (Decision::Deny, AnsweredBy::Withdrawn);
                vec![Effect::AnswerApproval { approval_id, decision, by }]
            }
            Waiting::Already => Vec::new(),
            Waiting::Now(turn_id) => {
                let (why, why_words) = why.map(FaultWords::of).unzip();
                vec![Effect::Journal(ChatBody::Approval {
                    turn_id,
                    approval_id,
                    ask,
                    phrase,
                    site,
                    why,
                    why_words: why_words.flatten(),
                    does,
                    action,
                    kind,
                    choices,
                })]
            }
        }
    }

    pub(super) fn question(&mut self, request: QuestionRequest, asks: Asks) -> Vec<Effect> {
        let QuestionRequest { question_id, parts } = request;
        let open = Open::Question { question_id: question_id.clone(), parts: parts.len() };
        match self.wait_for(asks, open, |open| open.is_question(&question_id)) {
            Waiting::No => vec![Effect::AnswerQuestion { question_id, answers: Vec::new() }],
            Waiting::Already => Vec::new(),
            Waiting::Now(turn_id) => vec![Effect::Journal(ChatBody::Question { turn_id, question_id, parts })],
        }
    }

    /// Adds an approval or question to the open ones.
    fn wait_for(&mut self, asks: Asks, asked: Open, same: impl Fn(&Open) -> bool) -> Waiting {
        let Some(active) = &mut self.active else { return Waiting::No };
        let (handed, mut open) = match &mut active.phase {
            Phase::Starting { for_slot: false } if asks == Asks::Starting => (Handed::No, Vec::new()),
            Phase::WaitingForPerson { handed, .. } if (*handed == Handed::No) != (asks == Asks::Starting) => {
                return Waiting::No;
            }
            Phase::Starting { .. } | Phase::Stopping { .. } => return Waiting::No,
            Phase::Running { .. } if asks == Asks::Starting => return Waiting::No,
            Phase::Running { accepted: true } => (Handed::Yes, Vec::new()),
            Phase::Running { accepted: false } => (Handed::OnItsWay, Vec::new()),
            // Asked twice with the same id: it is already shown.
            Phase::WaitingForPerson { open, .. } if open.iter().any(same) => return Waiting::Already,
            Phase::WaitingForPerson { open, .. } if open.len() >= MOST_OPEN => return Waiting::No,
            Phase::WaitingForPerson { handed, open } => (*handed, std::mem::take(open)),
        };
        open.push(asked);
        active.phase = Phase::WaitingForPerson { handed, open };
        Waiting::Now(active.message.turn_id.clone())
    }

    pub(super) fn answer(
        &mut self,
        approval_id: ApprovalId,
        decision: Decision,
        by: AnsweredBy,
    ) -> Result<Vec<Effect>, Refusal> {
        let offered = self.open().iter().find_map(|open| match open {
            Open::Approval { approval_id: asked, choices } if *asked == approval_id => Some(choices),
            _ => None,
        });
        if offered.is_some_and(|choices| decision.allows() && !choices.contains(&decision)) {
            return Err(Refusal::NotAChoice);
        }
        match self.close(|open| open.is_approval(&approval_id)) {
            Some(turn_id) => Ok(vec![
                Effect::Journal(ChatBody::ApprovalDone { turn_id, approval_id: approval_id.clone(), decision, by }),
                Effect::AnswerApproval { approval_id, decision, by },
            ]),
            None => Err(Refusal::NotAsked),
        }
    }

    /// Withdraws an approval for the agent, and answers its requester.
    pub(super) fn withdraw(&mut self, approval_id: ApprovalId) -> Vec<Effect> {
        match self.close(|open| open.is_approval(&approval_id)) {
            Some(turn_id) => withdrawn(turn_id, approval_id).into(),
            None => Vec::new(),
        }
    }

    pub(super) fn answer_question(
        &mut self,
        question_id: QuestionId,
        answers: Vec<Vec<String>>,
        by: AnsweredBy,
    ) -> Result<Vec<Effect>, Refusal> {
        let parts = self.open().iter().find_map(|open| match open {
            Open::Question { question_id: asked, parts } if *asked == question_id => Some(*parts),
            _ => None,
        });
        if let Some(parts) = parts.filter(|parts| !answers.is_empty() && answers.len() != *parts) {
            return Err(Refusal::WrongParts { parts });
        }
        match self.close(|open| open.is_question(&question_id)) {
            Some(turn_id) => Ok(answered(turn_id, question_id, answers, by).into()),
            None => Err(Refusal::NoQuestion),
        }
    }

    pub(super) fn withdraw_question(&mut self, question_id: QuestionId) -> Vec<Effect> {
        match self.close(|open| open.is_question(&question_id)) {
            Some(turn_id) => answered(turn_id, question_id, Vec::new(), AnsweredBy::Withdrawn).into(),
            None => Vec::new(),
        }
    }

    /// Removes one open approval or question, and returns the turn that it belonged to.
    fn close(&mut self, closes: impl Fn(&Open) -> bool) -> Option<TurnId> {
        let active = self.active.as_mut()?;
        let Phase::WaitingForPerson { handed, open } = &mut active.phase else { return None };
        let index = open.iter().position(closes)?;
        open.remove(index);
        if open.is_empty() {
            active.phase = match handed {
                Handed::No => Phase::Starting { for_slot: false },
                Handed::OnItsWay => Phase::Running { accepted: false },
                Handed::Yes => Phase::Running { accepted: true },
            };
        }
        Some(active.message.turn_id.clone())
    }
}

/// Whether an approval or question is now open.
enum Waiting {
    /// No turn can wait for it, or too much waits already, so nobody will answer.
    No,
    Already,
    Now(TurnId),
}

/// Withdraws everything that is still open: in the journal, and for the agent.
pub(super) fn close_all(turn_id: &TurnId, open: Vec<Open>) -> Vec<Effect> {
    let closed = open.into_iter().flat_map(|open| match open {
        Open::Approval { approval_id, .. } => withdrawn(turn_id.clone(), approval_id),
        Open::Question { question_id, .. } => answered(turn_id.clone(), question_id, Vec::new(), AnsweredBy::Withdrawn),
    });
    closed.collect()
}

fn answered(turn_id: TurnId, question_id: QuestionId, answers: Vec<Vec<String>>, by: AnsweredBy) -> [Effect; 2] {
    let body = ChatBody::QuestionDone { turn_id, question_id: question_id.clone(), answers: answers.clone(), by };
    [Effect::Journal(body), Effect::AnswerQuestion { question_id, answers }]
}

fn withdrawn(turn_id: TurnId, approval_id: ApprovalId) -> [Effect; 2] {
    let (decision, by) = (Decision::Deny, AnsweredBy::Withdrawn);
    [
        Effect::Journal(ChatBody::ApprovalDone { turn_id, approval_id: approval_id.clone(), decision, by }),
        Effect::AnswerApproval { approval_id, decision, by },
    ]
}
