//! The turn machine: single scenarios. `turn_properties` checks the invariants for any order of events.

use super::super::vocabulary::{ApprovalRequest, QuestionRequest, TurnEnd};
use super::*;
use gstack_protocol::chat::{AnsweredBy, Decision, MessageSource, QuestionPart, StepKind};
use gstack_protocol::fault::FaultCode;
use gstack_protocol::ids::{ApprovalId, QuestionId};

impl Machine {
    /// Returns the effects of an event, which must not be refused.
    fn taken(&mut self, event: Event) -> Vec<Effect> {
        self.step(event).unwrap()
    }
}

fn message(name: &str) -> Arc<Message> {
    Arc::new(Message {
        turn_id: TurnId::new(format!("turn-{name}")),
        client_id: ClientMessageId::new(name),
        text: format!("do {name}"),
        page: None,
        attachments: Vec::new(),
        from: MessageSource::Panel,
        model: None,
    })
}

fn turn(name: &str) -> TurnId {
    TurnId::new(format!("turn-{name}"))
}

fn approval(name: &str) -> ApprovalRequest {
    ApprovalRequest {
        approval_id: ApprovalId::new(name),
        ask: "Click “Buy”".into(),
        phrase: None,
        site: None,
        why: None,
        does: "click @e1".into(),
        action: Box::default(),
        kind: StepKind::Act,
        choices: vec![Decision::AllowOnce, Decision::Deny],
    }
}

/// Returns a question with two parts.
fn question(name: &str) -> QuestionRequest {
    let part = |text: &str| QuestionPart {
        text: text.into(),
        header: String::new(),
        options: Vec::new(),
        multiple: false,
        closed: false,
        words: None,
    };
    QuestionRequest { question_id: QuestionId::new(name), parts: vec![part("Which?"), part("When?")] }
}

fn done(outcome: TurnOutcome) -> Event {
    Event::AgentTurnDone { outcome, model: None, cost_usd: None, usage: None, fault: None }
}

fn broken() -> Fault {
    Fault::new(FaultCode::AgentError, "broken")
}

fn ended(effects: &[Effect]) -> Vec<(TurnId, TurnOutcome)> {
    let end = |effect: &Effect| match effect {
        Effect::TurnEnded(end) => Some((end.turn_id.clone(), end.outcome)),
        _ => None,
    };
    effects.iter().filter_map(end).collect()
}

fn started(effects: &[Effect]) -> Vec<String> {
    let start = |effect: &Effect| match effect {
        Effect::StartTurn(message) => Some(message.client_id.to_string()),
        _ => None,
    };
    effects.iter().filter_map(start).collect()
}

/// Returns a machine whose agent has accepted the message `name`.
fn running(name: &str) -> Machine {
    let mut machine = Machine::default();
    machine.taken(Event::Send(message(name)));
    machine.taken(Event::AgentReady(turn(name)));
    machine.taken(Event::PromptAccepted(turn(name)));
    machine
}

#[test]
fn a_turn_from_its_message_to_its_end() {
    let mut machine = Machine::default();
    let effects = machine.taken(Event::Send(message("a")));
    assert!(
        matches!(&effects[..], [Effect::Journal(ChatBody::Message { .. }), Effect::StartTurn(m)] if m.turn_id == turn("a"))
    );
    assert_eq!(machine.state(), ConversationState::Running);
    assert_eq!(machine.taken(Event::AgentReady(turn("a"))), [Effect::Prompt(message("a"))]);
    assert_eq!(machine.taken(Event::PromptAccepted(turn("a"))), []);
    let effects = machine.taken(done(TurnOutcome::Done));
    assert_eq!(ended(&effects), [(turn("a"), TurnOutcome::Done)]);
    assert_eq!(machine.state(), ConversationState::Idle);
}

#[test]
fn five_wait_and_the_sixth_is_refused() {
    let mut machine = running("0");
    for name in ["1", "2", "3", "4", "5"] {
        assert!(matches!(machine.taken(Event::Send(message(name)))[..], [Effect::Journal(_)]));
    }
    let before = machine.clone();
    assert_eq!(machine.step(Event::Send(message("6"))), Err(Refusal::QueueFull));
    assert_eq!(machine, before);
    assert_eq!(Refusal::QueueFull.fault().code, FaultCode::Conflict);
    assert_eq!(started(&machine.taken(done(TurnOutcome::Done))), ["1"]);
    assert!(matches!(machine.taken(Event::Send(message("6")))[..], [Effect::Journal(_)]));
}

#[test]
fn a_waiting_message_can_be_taken_back_and_a_running_one_cannot() {
    let mut machine = running("a");
    machine.taken(Event::Send(message("b")));
    let removed = machine.taken(Event::Unqueue(ClientMessageId::new("b")));
    assert!(matches!(&removed[..], [Effect::Journal(ChatBody::MessageRemoved { .. })]));
    for name in ["a", "b", "never"] {
        assert_eq!(machine.step(Event::Unqueue(ClientMessageId::new(name))), Err(Refusal::NotWaiting));
    }
    assert_eq!(started(&machine.taken(done(TurnOutcome::Done))), Vec::<String>::new());
}

fn order(names: &[&str], now: bool) -> Event {
    Event::Order { client_ids: names.iter().map(|name| ClientMessageId::new(*name)).collect(), now }
}

#[test]
fn waiting_messages_run_in_the_order_that_the_person_gives_them() {
    let mut machine = running("a");
    for name in ["b", "c", "d"] {
        machine.taken(Event::Send(message(name)));
    }
    let before = machine.clone();
    for wrong in [&["b", "c"][..], &["b", "c", "c"], &["b", "c", "d", "e"], &["b", "c", "a"], &[]] {
        assert_eq!(machine.step(order(wrong, true)), Err(Refusal::NotWaiting), "{wrong:?}");
        assert_eq!(machine, before);
    }
    assert!(machine.taken(order(&["b", "c", "d"], false)).is_empty(), "the same order is not written");
    let ordered = machine.taken(order(&["d", "b", "c"], false));
    assert!(matches!(&ordered[..], [Effect::Journal(ChatBody::QueueOrdered { client_ids })] if client_ids.len() == 3));
    for next in ["d", "b", "c"] {
        assert_eq!(started(&machine.taken(done(TurnOutcome::Done))), [next]);
        machine.taken(Event::AgentReady(machine.turn().unwrap().clone()));
    }
}

#[test]
fn a_message_that_is_sent_now_stops_the_turn_and_runs_next_without_a_continue() {
    let mut machine = running("a");
    for name in ["b", "c"] {
        machine.taken(Event::Send(message(name)));
    }
    let sent = machine.taken(order(&["c", "b"], true));
    assert!(sent.iter().any(|effect| matches!(effect, Effect::ArmStopDeadline(_))), "{sent:?}");
    assert_eq!(machine.state(), ConversationState::Stopping);
    assert_eq!(started(&machine.taken(done(TurnOutcome::Stopped))), ["c"]);
    assert_eq!(machine.queue().map(|message| message.client_id.to_string()).collect::<Vec<_>>(), ["b"]);
}

#[test]
fn the_queue_goes_on_after_a_good_end_and_waits_for_the_person_after_any_other() {
    for outcome in [TurnOutcome::Failed, TurnOutcome::Stopped, TurnOutcome::Interrupted] {
        let mut machine = running("a");
        machine.taken(Event::Send(message("b")));
        assert_eq!(started(&machine.taken(done(outcome))), Vec::<String>::new(), "{outcome:?}");
        assert!(machine.held());
        assert_eq!(started(&machine.taken(Event::Continue)), ["b"]);
    }
    let mut machine = running("a");
    machine.taken(Event::Send(message("b")));
    machine.taken(done(TurnOutcome::Failed));
    let effects = machine.taken(Event::Send(message("c")));
    assert_eq!(started(&effects), ["b"], "a new message lets the queue run, in its order");
    assert_eq!(machine.queue().len(), 1);
}

#[test]
fn a_full_held_queue_still_takes_the_message_that_sets_it_going() {
    let mut machine = running("0");
    for name in ["1", "2", "3", "4", "5"] {
        machine.taken(Event::Send(message(name)));
    }
    machine.taken(done(TurnOutcome::Failed));
    assert_eq!(started(&machine.taken(Event::Send(message("6")))), ["1"]);
    assert_eq!(machine.queue().len(), QUEUE_LIMIT);
}

#[test]
fn approvals_hold_the_turn_until_each_is_answered() {
    let mut machine = running("a");
    machine.taken(Event::ApprovalAsked(approval("x")));
    machine.taken(Event::ApprovalAsked(approval("y")));
    assert_eq!(machine.taken(Event::ApprovalAsked(approval("y"))), [], "the same question twice is one card");
    assert_eq!(machine.state(), ConversationState::WaitingForApproval);
    let answer = |name: &str, decision| Event::ApprovalAnswered {
        approval_id: ApprovalId::new(name),
        decision,
        by: AnsweredBy::Panel,
    };
    assert_eq!(machine.step(answer("x", Decision::AllowSite)), Err(Refusal::NotAChoice));
    let effects = machine.taken(answer("x", Decision::AllowOnce));
    assert!(matches!(
        effects[..],
        [
            Effect::Journal(ChatBody::ApprovalDone { decision: Decision::AllowOnce, .. }),
            Effect::AnswerApproval { decision: Decision::AllowOnce, .. }
        ]
    ));
    assert_eq!(machine.state(), ConversationState::WaitingForApproval);
    assert_eq!(machine.step(answer("x", Decision::Deny)), Err(Refusal::NotAsked));
    let effects = machine.taken(Event::ApprovalWithdrawn(ApprovalId::new("y")));
    assert!(matches!(
        effects[..],
        [
            Effect::Journal(ChatBody::ApprovalDone { by: AnsweredBy::Withdrawn, .. }),
            Effect::AnswerApproval { decision: Decision::Deny, .. }
        ]
    ));
    assert_eq!(machine.state(), ConversationState::Running);
}

#[test]
fn one_turn_does_not_open_a_hundred_cards() {
    use super::super::asking::MOST_OPEN;
    let mut machine = running("a");
    let mut cards = 0;
    for n in 0..100 {
        let effects = match n % 2 {
            0 => machine.taken(Event::ApprovalAsked(approval(&n.to_string()))),
            _ => machine.taken(Event::QuestionAsked(question(&n.to_string()))),
        };
        match &effects[..] {
            [Effect::Journal(ChatBody::Approval { .. } | ChatBody::Question { .. })] => cards += 1,
            [Effect::AnswerApproval { decision: Decision::Deny, .. }] => {}
            [Effect::AnswerQuestion { answers, .. }] => assert!(answers.is_empty()),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(cards, MOST_OPEN);
    // Asked again with the same id, it is already shown; one that is answered makes room.
    assert!(machine.taken(Event::ApprovalAsked(approval("0"))).is_empty());
    let answer =
        Event::ApprovalAnswered { approval_id: ApprovalId::new("0"), decision: Decision::Deny, by: AnsweredBy::Panel };
    machine.taken(answer);
    let effects = machine.taken(Event::ApprovalAsked(approval("next")));
    assert!(matches!(effects[..], [Effect::Journal(ChatBody::Approval { .. })]));
}

#[test]
fn an_approval_that_nobody_can_answer_is_denied() {
    let mut stopping = running("a");
    stopping.taken(Event::Stop);
    let mut starting = Machine::default();
    starting.taken(Event::Send(message("a")));
    for mut machine in [Machine::default(), stopping, starting] {
        let effects = machine.taken(Event::ApprovalAsked(approval("x")));
        assert!(matches!(effects[..], [Effect::AnswerApproval { decision: Decision::Deny, .. }]));
    }
}

#[test]
fn stop_denies_interrupts_and_ends_as_stopped() {
    let mut machine = running("a");
    machine.taken(Event::ApprovalAsked(approval("x")));
    let effects = machine.taken(Event::Stop);
    assert!(
        matches!(
            &effects[..],
            [
                Effect::Journal(ChatBody::ApprovalDone { decision: Decision::Deny, by: AnsweredBy::Withdrawn, .. }),
                Effect::AnswerApproval { decision: Decision::Deny, .. },
                Effect::Interrupt(_),
                Effect::ArmStopDeadline(_),
            ]
        ),
        "{effects:?}"
    );
    assert_eq!(machine.state(), ConversationState::Stopping);
    assert_eq!(machine.taken(Event::Stop), [], "a second stop changes nothing");
    assert_eq!(ended(&machine.taken(done(TurnOutcome::Failed))), [(turn("a"), TurnOutcome::Stopped)]);
}

#[test]
fn a_turn_that_finished_before_the_stop_reached_it_is_done() {
    let mut machine = running("a");
    machine.taken(Event::Stop);
    assert_eq!(ended(&machine.taken(done(TurnOutcome::Done))), [(turn("a"), TurnOutcome::Done)]);
}

#[test]
fn stop_before_the_agent_has_the_message_never_hands_it_over() {
    let mut machine = Machine::default();
    machine.taken(Event::Send(message("a")));
    assert_eq!(machine.taken(Event::Stop), [Effect::ArmStopDeadline(turn("a"))]);
    let effects = machine.taken(Event::AgentReady(turn("a")));
    assert_eq!(ended(&effects), [(turn("a"), TurnOutcome::Stopped)]);
    assert_eq!(effects.len(), 1, "no prompt");
}

#[test]
fn stop_while_the_message_is_on_its_way_interrupts_once_it_is_there() {
    let mut machine = Machine::default();
    machine.taken(Event::Send(message("a")));
    machine.taken(Event::AgentReady(turn("a")));
    assert_eq!(machine.taken(Event::Stop), [Effect::ArmStopDeadline(turn("a"))]);
    assert_eq!(machine.taken(Event::PromptAccepted(turn("a"))), [Effect::Interrupt(turn("a"))]);
}

#[test]
fn an_agent_that_does_not_stop_is_killed_and_a_late_deadline_kills_nothing() {
    let mut machine = running("a");
    machine.taken(Event::Stop);
    let effects = machine.taken(Event::StopDeadline(turn("a")));
    assert_eq!(effects[0], Effect::KillAgent);
    assert_eq!(ended(&effects), [(turn("a"), TurnOutcome::Stopped)]);
    machine.taken(Event::Send(message("b")));
    assert_eq!(machine.taken(Event::StopDeadline(turn("a"))), []);
    machine.taken(Event::Stop);
    assert_eq!(machine.taken(Event::StopDeadline(turn("a"))), [], "another turn's deadline");
}

#[test]
fn a_message_sent_after_stop_runs_when_the_stop_is_through() {
    let mut machine = running("a");
    machine.taken(Event::Stop);
    machine.taken(Event::Send(message("b")));
    assert_eq!(started(&machine.taken(done(TurnOutcome::Stopped))), ["b"]);
}

#[test]
fn trouble_at_the_start_and_a_crash_end_the_turn_with_their_fault() {
    let mut starting = Machine::default();
    starting.taken(Event::Send(message("a")));
    let mut handing = starting.clone();
    handing.taken(Event::AgentReady(turn("a")));
    let failures = [
        (starting, Event::AgentFailedToStart { turn_id: turn("a"), fault: broken() }),
        (handing, Event::PromptRefused { turn_id: turn("a"), fault: broken() }),
        (running("a"), Event::AgentExited { fault: Some(broken()) }),
    ];
    for (mut machine, event) in failures {
        let effects = machine.taken(event);
        assert!(
            matches!(&effects[..], [Effect::TurnEnded(TurnEnd { outcome: TurnOutcome::Failed, fault: Some(f), .. })] if *f == broken())
        );
    }
    let effects = running("a").taken(Event::AgentExited { fault: None });
    assert!(
        matches!(&effects[..], [Effect::TurnEnded(TurnEnd { fault: Some(f), .. })] if f.code == FaultCode::AgentCrashed)
    );
}

#[test]
fn an_old_process_that_ends_while_a_new_one_starts_does_not_end_the_turn() {
    let mut machine = Machine::default();
    machine.taken(Event::Send(message("a")));
    assert_eq!(machine.taken(Event::AgentExited { fault: None }), []);
    assert_eq!(machine.taken(done(TurnOutcome::Done)), []);
    assert_eq!(machine.taken(Event::AgentReady(turn("a"))), [Effect::Prompt(message("a"))]);
}

#[test]
fn after_a_restart_the_turn_is_interrupted_and_the_queue_waits() {
    let mut machine = Machine::default();
    let effects = machine.recovered(Some(turn("a")), vec![message("b")]);
    assert_eq!(ended(&effects), [(turn("a"), TurnOutcome::Interrupted)]);
    assert!(machine.held());
    assert_eq!(started(&machine.clone().taken(Event::Continue)), ["b"]);
    assert_eq!(started(&machine.taken(Event::Send(message("c")))), ["b"]);
}

#[test]
fn a_question_waits_for_a_person_is_answered_whole_and_goes_with_its_turn() {
    let mut machine = running("a");
    machine.taken(Event::QuestionAsked(question("q")));
    assert_eq!(machine.state(), ConversationState::WaitingForApproval);
    let answer = |parts: usize| Event::QuestionAnswered {
        question_id: QuestionId::new("q"),
        answers: vec![vec!["that".to_owned()]; parts],
        by: AnsweredBy::Panel,
    };
    assert_eq!(machine.step(answer(1)), Err(Refusal::WrongParts { parts: 2 }));
    let effects = machine.taken(answer(2));
    assert!(
        matches!(&effects[..], [Effect::Journal(ChatBody::QuestionDone { answers, .. }), Effect::AnswerQuestion { .. }] if answers.len() == 2)
    );
    assert_eq!(machine.state(), ConversationState::Running);
    assert_eq!(machine.step(answer(2)), Err(Refusal::NoQuestion));
    machine.taken(Event::QuestionAsked(question("q2")));
    let effects = machine.taken(Event::Stop);
    assert!(matches!(&effects[0], Effect::Journal(ChatBody::QuestionDone { by: AnsweredBy::Withdrawn, .. })));
}

#[test]
fn a_turn_that_is_given_up_ends_as_failed_with_its_reason() {
    for answers in [true, false] {
        let mut machine = running("a");
        let effects = machine.taken(Event::GiveUp { turn_id: turn("a"), fault: broken() });
        assert!(effects.contains(&Effect::Interrupt(turn("a"))));
        let end = if answers { done(TurnOutcome::Stopped) } else { Event::StopDeadline(turn("a")) };
        let effects = machine.taken(end);
        let failed = |effect: &Effect| matches!(effect, Effect::TurnEnded(end) if end.fault == Some(broken()));
        assert!(effects.iter().any(failed), "{effects:?}");
        assert_eq!(ended(&effects), [(turn("a"), TurnOutcome::Failed)]);
    }
    let mut machine = running("b");
    assert_eq!(machine.taken(Event::GiveUp { turn_id: turn("a"), fault: broken() }), [], "another turn runs by now");
}

#[test]
fn a_turn_that_waits_for_its_place_says_so_and_can_be_stopped() {
    let mut machine = Machine::default();
    machine.taken(Event::Send(message("a")));
    machine.taken(Event::WaitsForSlot { turn_id: turn("a"), waits: true });
    assert_eq!(machine.state(), ConversationState::WaitingForSlot);
    machine.taken(Event::Stop);
    let effects = machine.taken(Event::AgentFailedToStart { turn_id: turn("a"), fault: broken() });
    assert_eq!(ended(&effects), [(turn("a"), TurnOutcome::Stopped)]);
}

#[path = "turn_properties.rs"]
mod properties;
