//! Invariants of turns for any sequence of events: no message is lost and none runs twice, the queue keeps its order,
//! one turn runs at a time, and a stop always leads to an idle conversation.

use super::*;
use proptest::prelude::*;
use std::collections::HashSet;

/// An event without ids. The test fills them in from the machine's state.
#[derive(Clone, Copy, Debug)]
enum Move {
    Send,
    SendAgain,
    Unqueue(usize),
    Continue,
    Stop,
    Ready,
    FailedToStart,
    Accepted,
    Refused,
    Ask(u8),
    StartAsks(u8),
    Answer(u8, bool),
    Withdraw(u8),
    Done(TurnOutcome),
    Exited,
    Deadline,
    StaleReady,
    Question(u8),
    StartQuestion(u8),
    Reply(u8, usize),
    TakeBack(u8),
    GiveUp,
    Slot(bool),
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let outcome = prop_oneof![
        4 => Just(TurnOutcome::Done),
        1 => Just(TurnOutcome::Failed),
        1 => Just(TurnOutcome::Stopped),
        1 => Just(TurnOutcome::Interrupted),
    ];
    let one = prop_oneof![
        8 => Just(Move::Send),
        1 => Just(Move::SendAgain),
        2 => (0..6_usize).prop_map(Move::Unqueue),
        2 => Just(Move::Continue),
        2 => Just(Move::Stop),
        6 => Just(Move::Ready),
        1 => Just(Move::FailedToStart),
        6 => Just(Move::Accepted),
        1 => Just(Move::Refused),
        2 => (0..3_u8).prop_map(Move::Ask),
        2 => (0..3_u8).prop_map(Move::StartAsks),
        2 => (0..3_u8, any::<bool>()).prop_map(|(n, yes)| Move::Answer(n, yes)),
        1 => (0..3_u8).prop_map(Move::Withdraw),
        6 => outcome.prop_map(Move::Done),
        1 => Just(Move::Exited),
        1 => Just(Move::Deadline),
        1 => Just(Move::StaleReady),
        2 => (0..3_u8).prop_map(Move::Question),
        2 => (0..3_u8).prop_map(Move::StartQuestion),
        2 => (0..3_u8, 0..3_usize).prop_map(|(n, parts)| Move::Reply(n, parts)),
        1 => (0..3_u8).prop_map(Move::TakeBack),
        1 => Just(Move::GiveUp),
        1 => any::<bool>().prop_map(Move::Slot),
    ];
    prop::collection::vec(one, 0..120)
}

/// Observes a machine from outside: accepted messages, started turns, ended turns.
#[derive(Default)]
struct Witness {
    machine: Machine,
    sent: usize,
    /// Accepted and not removed, in order.
    accepted: Vec<String>,
    started: Vec<String>,
    prompted: HashSet<TurnId>,
    running: Option<TurnId>,
    /// Open approvals; `questions` has the open questions.
    asked: HashSet<String>,
    questions: HashSet<String>,
}

impl Witness {
    fn turn_now(&self) -> Result<TurnId, TestCaseError> {
        self.machine.turn().cloned().ok_or_else(|| TestCaseError::fail("no turn runs"))
    }

    fn event(&mut self, step: Move) -> Event {
        let turn_id = self.machine.turn().cloned().unwrap_or_else(|| turn("none"));
        let waiting: Vec<_> = self.machine.queue().map(|waiting| waiting.client_id.clone()).collect();
        match step {
            Move::Send => {
                self.sent += 1;
                Event::Send(message(&self.sent.to_string()))
            }
            // The conversation recognises a message that has already run, and returns its answer.
            Move::SendAgain => match waiting.last() {
                Some(client_id) => Event::Send(message(client_id.as_str())),
                None => Event::Stop,
            },
            Move::Unqueue(n) => Event::Unqueue(waiting.get(n).cloned().unwrap_or(ClientMessageId::new("nobody"))),
            Move::Continue => Event::Continue,
            Move::Stop => Event::Stop,
            Move::Ready => Event::AgentReady(turn_id),
            Move::FailedToStart => Event::AgentFailedToStart { turn_id, fault: broken() },
            Move::Accepted => Event::PromptAccepted(turn_id),
            Move::Refused => Event::PromptRefused { turn_id, fault: broken() },
            Move::Ask(n) => Event::ApprovalAsked(approval(&format!("{turn_id}/{n}"))),
            Move::StartAsks(n) => Event::StartAsks(approval(&format!("{turn_id}/{n}"))),
            Move::Answer(n, yes) => Event::ApprovalAnswered {
                approval_id: ApprovalId::new(format!("{turn_id}/{n}")),
                decision: if yes { Decision::AllowOnce } else { Decision::Deny },
                by: AnsweredBy::Terminal,
            },
            Move::Question(n) => Event::QuestionAsked(question(&format!("{turn_id}/{n}"))),
            Move::StartQuestion(n) => Event::StartQuestion(question(&format!("{turn_id}/{n}"))),
            Move::Reply(n, parts) => Event::QuestionAnswered {
                question_id: QuestionId::new(format!("{turn_id}/{n}")),
                answers: vec![vec!["yes".to_owned()]; parts],
                by: AnsweredBy::Panel,
            },
            Move::TakeBack(n) => Event::QuestionWithdrawn(QuestionId::new(format!("{turn_id}/{n}"))),
            Move::GiveUp => Event::GiveUp { turn_id, fault: broken() },
            Move::Slot(waits) => Event::WaitsForSlot { turn_id, waits },
            Move::Withdraw(n) => Event::ApprovalWithdrawn(ApprovalId::new(format!("{turn_id}/{n}"))),
            Move::Done(outcome) => done(outcome),
            Move::Exited => Event::AgentExited { fault: None },
            Move::Deadline => Event::StopDeadline(turn_id),
            Move::StaleReady => Event::AgentReady(turn("none")),
        }
    }

    fn see(&mut self, event: Event) -> Result<(), TestCaseError> {
        let before = self.machine.clone();
        let stepped = self.machine.step(event.clone());
        if stepped.is_err() {
            prop_assert_eq!(&before, &self.machine, "a refused event changes nothing");
        }
        for effect in stepped.unwrap_or_default() {
            match effect {
                Effect::Journal(ChatBody::Message { client_id, .. }) => self.accepted.push(client_id.to_string()),
                Effect::Journal(ChatBody::MessageRemoved { client_id }) => {
                    self.accepted.retain(|name| name != client_id.as_str());
                }
                Effect::Journal(ChatBody::Approval { approval_id, .. }) => {
                    self.asked.insert(approval_id.to_string());
                }
                Effect::Journal(ChatBody::ApprovalDone { approval_id, .. }) => {
                    prop_assert!(self.asked.remove(approval_id.as_str()), "only an asked approval is closed, and once");
                }
                Effect::Journal(ChatBody::Question { question_id, .. }) => {
                    self.questions.insert(question_id.to_string());
                }
                Effect::Journal(ChatBody::QuestionDone { question_id, answers, .. }) => {
                    prop_assert!(answers.len() != 1, "half an answer is none");
                    prop_assert!(self.questions.remove(question_id.as_str()), "only an open question is closed");
                }
                Effect::Journal(other) => prop_assert!(false, "nothing else is written: {other:?}"),
                Effect::StartTurn(message) => {
                    prop_assert_eq!(&self.running, &None, "never two turns");
                    self.running = Some(message.turn_id.clone());
                    self.started.push(message.client_id.to_string());
                }
                Effect::Prompt(message) => {
                    prop_assert_eq!(self.running.as_ref(), Some(&message.turn_id));
                    prop_assert!(self.prompted.insert(message.turn_id.clone()), "handed over once");
                }
                Effect::Interrupt(turn_id) => prop_assert!(self.prompted.contains(&turn_id)),
                Effect::TurnEnded(end) => {
                    prop_assert_eq!(self.running.take(), Some(end.turn_id));
                    prop_assert!(self.asked.is_empty() && self.questions.is_empty(), "no card outlives its turn");
                }
                Effect::ArmStopDeadline(_)
                | Effect::KillAgent
                | Effect::AnswerApproval { .. }
                | Effect::AnswerQuestion { .. } => {}
            }
        }
        prop_assert_eq!(self.machine.turn(), self.running.as_ref());
        prop_assert!(self.machine.queue().len() <= QUEUE_LIMIT);
        let open = !self.asked.is_empty() || !self.questions.is_empty();
        prop_assert_eq!(self.machine.state() == ConversationState::WaitingForApproval, open);
        // Every accepted message has run or is waiting, in the order in which it was accepted.
        let waiting = self.machine.queue().map(|waiting| waiting.client_id.to_string());
        let all: Vec<String> = self.started.iter().cloned().chain(waiting).collect();
        prop_assert_eq!(&all, &self.accepted);
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn no_message_is_lost_none_runs_twice_and_stop_reaches_idle(moves in moves()) {
        let mut witness = Witness::default();
        for step in moves {
            let event = witness.event(step);
            witness.see(event)?;
        }
        // After any history, a stop and its deadline lead to an idle conversation.
        witness.see(Event::Stop)?;
        if let Some(turn_id) = witness.machine.turn().cloned() {
            witness.see(Event::StopDeadline(turn_id))?;
        }
        // A message that was sent during the stop runs next; nothing else does.
        if witness.machine.turn().is_some() {
            witness.see(Event::Stop)?;
            let turn_id = witness.turn_now()?;
            witness.see(Event::StopDeadline(turn_id))?;
        }
        prop_assert_eq!(witness.machine.state(), ConversationState::Idle);
        // Continuing runs every waiting message.
        while witness.machine.held() {
            witness.see(Event::Continue)?;
            let turn_id = witness.turn_now()?;
            witness.see(Event::AgentReady(turn_id.clone()))?;
            witness.see(Event::PromptAccepted(turn_id))?;
            witness.see(done(TurnOutcome::Failed))?;
        }
        prop_assert_eq!(&witness.started, &witness.accepted);
    }
}
