//! A conversation as the engine uses it and as panels see it.

use super::*;
use crate::feed::Push;
use crate::journal::line;
use crate::panels::Subscription;
use crate::state::REMEMBERED_SENDS;
use crate::turn::ApprovalRequest;
use gstack_protocol::chat::{MessageSource, StepKind, StepOutcome, TurnOutcome};
use gstack_protocol::fault::FaultCode;
use gstack_protocol::methods::ToPanel;
use tokio::sync::mpsc;

struct TestFolder {
    folder: tempfile::TempDir,
    reserve: tempfile::TempDir,
}

impl TestFolder {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), reserve: tempfile::tempdir().unwrap() }
    }
    fn fresh(&self) -> Arc<Conversation> {
        let record = Record::new(ConversationId::new("c"), "/work".into(), None, 1);
        Arc::new(Conversation::new(record, self.folder.path().join("c"), Epoch::new("one"), self.reserve()))
    }
    /// Reopens it, as the next daemon does.
    fn again(&self) -> Arc<Conversation> {
        let place = self.folder.path().join("c");
        let record = Record::read(&place).unwrap();
        let (id, epoch) = (ConversationId::new("c"), Epoch::new("two"));
        Arc::new(Conversation::open(id, record, "/lost", place, epoch, self.reserve()).unwrap())
    }
    fn reserve(&self) -> Arc<Reserve> {
        Arc::new(Reserve::open(self.reserve.path().join("reserve")))
    }
}

fn message(name: &str) -> Message {
    Message {
        turn_id: TurnId::new(format!("turn-{name}")),
        client_id: ClientMessageId::new(name),
        text: format!("please do {name}"),
        page: None,
        attachments: Vec::new(),
        from: MessageSource::Panel,
        model: None,
    }
}

fn turn(name: &str) -> TurnId {
    TurnId::new(format!("turn-{name}"))
}

/// Sends a message and starts its turn, so that the agent works.
fn run(conversation: &Conversation, name: &str) {
    conversation.send(message(name)).unwrap();
    start(conversation, name);
}

fn start(conversation: &Conversation, name: &str) {
    conversation.begin_turn(&message(name), AgentName::new("a"), "Agent".into(), None, false).unwrap();
    conversation.handle(Event::AgentReady(turn(name)));
    conversation.handle(Event::PromptAccepted(turn(name)));
}

fn done() -> Event {
    Event::AgentTurnDone { outcome: TurnOutcome::Done, model: None, cost_usd: Some(0.5), usage: None, fault: None }
}

fn step(name: &str, step: &str) -> ChatBody {
    ChatBody::Step {
        turn_id: turn(name),
        step_id: StepId::new(step),
        kind: StepKind::Act,
        verb: "Clicking".into(),
        object: "Submit".into(),
        phrase: None,
        tool: "click".into(),
        arguments: String::new(),
    }
}

fn ask(name: &str) -> Event {
    Event::ApprovalAsked(ApprovalRequest {
        approval_id: ApprovalId::new(name),
        ask: "Click “Buy”".into(),
        phrase: None,
        site: None,
        why: None,
        does: "click @e1".into(),
        action: Box::default(),
        kind: StepKind::Act,
        choices: vec![Decision::AllowOnce, Decision::Deny],
    })
}

fn kinds(events: &[ChatEvent]) -> Vec<String> {
    let kind = |event: &ChatEvent| serde_json::to_value(event).unwrap()["type"].as_str().unwrap().to_owned();
    events.iter().map(kind).collect()
}

fn everything(conversation: &Conversation) -> Vec<ChatEvent> {
    conversation.replay(0, usize::MAX).unwrap().events
}

/// A panel that applies its pushes as the real one does.
struct Panel {
    events: Vec<ChatEvent>,
    receiver: mpsc::UnboundedReceiver<Push>,
    subscription: Option<Subscription>,
    gaps: usize,
}

impl Panel {
    fn open(conversation: &Arc<Conversation>) -> Self {
        let (sender, receiver) = mpsc::unbounded_channel();
        let (subscribed, subscription) = conversation.subscribe(0, Arc::new(sender)).unwrap();
        Self { events: subscribed.events, receiver, subscription: Some(subscription), gaps: 0 }
    }

    fn head(&self) -> Seq {
        self.events.last().map_or(0, |event| event.seq)
    }

    fn subscribe_again(&mut self, conversation: &Arc<Conversation>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        self.subscription = None;
        let (subscribed, subscription) = conversation.subscribe(self.head(), Arc::new(sender)).unwrap();
        assert!(!subscribed.older);
        self.events.extend(subscribed.events);
        (self.receiver, self.subscription) = (receiver, Some(subscription));
    }

    /// Applies the received pushes. Returns whether there was a gap.
    fn apply(&mut self) -> bool {
        while let Ok(push) = self.receiver.try_recv() {
            match &*push {
                ToPanel::ChatEvent(push) => {
                    assert_eq!(push.event.seq, self.head() + 1, "no event is missing");
                    self.events.push(push.event.clone());
                }
                ToPanel::ChatDelta(delta) => {
                    let event = self.events.iter_mut().find(|event| event.seq == delta.seq).unwrap();
                    let text = line::block_text(&mut event.body).unwrap();
                    assert!(delta.offset <= line::utf16_length(text), "no text is missing");
                    let delta = line::Delta { delta: delta.seq, offset: delta.offset, text: delta.text.clone() };
                    let mut growth = line::Growth::of(std::mem::take(text));
                    growth.take(&delta);
                    *text = growth.text;
                }
                ToPanel::ChatGap(_) => {
                    self.gaps += 1;
                    return true;
                }
                _ => {}
            }
        }
        false
    }

    fn acknowledge(&self) {
        let offset = match self.events.last().map(|event| event.body.clone()) {
            Some(mut body) => line::block_text(&mut body).map_or(0, |text| line::utf16_length(text)),
            None => 0,
        };
        self.subscription.as_ref().unwrap().acknowledge(self.head(), offset);
    }
}

#[test]
fn a_conversation_without_a_message_leaves_nothing_on_disk() {
    let place = TestFolder::new();
    let conversation = place.fresh();
    conversation.choose_agent(Some(AgentName::new("a")), None, None);
    conversation.persist().unwrap();
    assert_eq!(std::fs::read_dir(place.folder.path()).unwrap().count(), 0);
    conversation.send(message("a")).unwrap();
    conversation.persist().unwrap();
    assert!(place.folder.path().join("c/session.json").exists());
    assert_eq!(conversation.info().title, "please do a");
}

#[test]
fn the_same_message_again_gets_the_same_answer_and_happens_once() {
    let place = TestFolder::new();
    let conversation = place.fresh();
    run(&conversation, "a");
    let first = conversation.send(message("b")).unwrap();
    assert_eq!((first.sent.position, first.repeated), (1, false));
    conversation.handle(done());
    let again = conversation.send(message("b")).unwrap();
    assert_eq!((again.sent.clone(), again.repeated, again.effects), (first.sent.clone(), true, vec![]));
    conversation.persist().unwrap();
    drop(conversation);
    let conversation = place.again();
    let after_restart = conversation.send(message("b")).unwrap();
    assert_eq!((after_restart.sent.seq, after_restart.repeated), (first.sent.seq, true));
    assert_eq!(kinds(&everything(&conversation)).iter().filter(|kind| *kind == "message").count(), 2);
}

#[test]
fn the_sixth_waiting_message_is_refused_in_words_and_not_written() {
    let place = TestFolder::new();
    let conversation = place.fresh();
    run(&conversation, "0");
    for name in ["1", "2", "3", "4", "5"] {
        conversation.send(message(name)).unwrap();
    }
    let head = conversation.head();
    let fault = conversation.send(message("6")).unwrap_err().fault();
    assert_eq!(fault.code, FaultCode::Conflict);
    assert!(fault.message.contains('5') && fault.hint.is_some());
    assert_eq!((conversation.head(), conversation.info().queued), (head, 5));
    conversation.unqueue(ClientMessageId::new("3")).unwrap();
    conversation.send(message("6")).unwrap();
}

#[test]
fn the_end_of_a_turn_closes_what_it_left_open() {
    let place = TestFolder::new();
    let conversation = place.fresh();
    run(&conversation, "a");
    conversation.append(step("a", "s1")).unwrap();
    conversation.handle(ask("x"));
    conversation.handle(Event::Stop);
    conversation.handle(Event::AgentExited { fault: None });
    let events = everything(&conversation);
    let expected = ["message", "turn-started", "step", "approval", "approval-done", "step-done", "turn-done"];
    assert_eq!(kinds(&events), expected);
    assert!(matches!(events[5].body, ChatBody::StepDone { outcome: StepOutcome::Unknown, .. }));
    assert!(matches!(events[6].body, ChatBody::TurnDone { outcome: TurnOutcome::Stopped, .. }));
}

#[test]
fn after_a_kill_the_turn_is_interrupted_once_and_the_queue_is_intact() {
    let place = TestFolder::new();
    let conversation = place.fresh();
    run(&conversation, "a");
    conversation.send(message("b")).unwrap();
    conversation.send(message("c")).unwrap();
    conversation.send(message("d")).unwrap();
    conversation.unqueue(ClientMessageId::new("c")).unwrap();
    conversation.append(step("a", "done")).unwrap();
    conversation
        .append(ChatBody::StepDone {
            turn_id: turn("a"),
            step_id: StepId::new("done"),
            outcome: StepOutcome::Ok,
            duration_ms: 1,
            result: String::new(),
            images: Vec::new(),
        })
        .unwrap();
    conversation.append(step("a", "open")).unwrap();
    conversation.handle(ask("x"));
    conversation.grow(&turn("a"), BlockKind::Text, "half an ans").unwrap();
    drop(conversation);
    for _ in 0..2 {
        let conversation = place.again();
        let events = everything(&conversation);
        let tail = kinds(&events).split_off(events.len() - 4);
        assert_eq!(tail, ["text", "approval-done", "step-done", "turn-done"]);
        assert!(matches!(&events[events.len() - 4].body, ChatBody::Text { text, .. } if text == "half an ans"));
        assert!(
            matches!(&events[events.len() - 2].body, ChatBody::StepDone { step_id, outcome: StepOutcome::Unknown, .. } if step_id.as_str() == "open")
        );
        assert!(matches!(events[events.len() - 1].body, ChatBody::TurnDone { outcome: TurnOutcome::Interrupted, .. }));
        let info = conversation.info();
        assert_eq!((info.state, info.queued, info.title.as_str()), (ConversationState::Idle, 2, "please do a"));
        assert_eq!(info.folder, "/lost", "session.json was never written: the rest comes from the journal");
    }
    let conversation = place.again();
    let effects = conversation.handle(Event::Continue).effects;
    assert!(matches!(&effects[..], [Effect::StartTurn(m)] if m.client_id.as_str() == "b"));
    let turn_id = conversation.turn().unwrap();
    conversation.handle(Event::AgentReady(turn_id.clone()));
    conversation.handle(Event::PromptAccepted(turn_id));
    let effects = conversation.handle(done()).effects;
    assert!(matches!(&effects[..], [Effect::TurnEnded(_), Effect::StartTurn(m)] if m.client_id.as_str() == "d"));
}

#[test]
fn text_goes_into_one_block_until_something_else_happens() {
    let place = TestFolder::new();
    let conversation = place.fresh();
    run(&conversation, "a");
    conversation.grow(&turn("a"), BlockKind::Thinking, "hm").unwrap();
    conversation.grow(&turn("a"), BlockKind::Text, "one ").unwrap();
    conversation.send(message("b")).unwrap();
    conversation.grow(&turn("a"), BlockKind::Text, "block").unwrap();
    conversation.append(step("a", "s")).unwrap();
    conversation.grow(&turn("a"), BlockKind::Text, "another").unwrap();
    conversation.finish_block();
    conversation.grow(&turn("a"), BlockKind::Text, "third").unwrap();
    let texts: Vec<String> = everything(&conversation)
        .into_iter()
        .filter_map(|mut event| line::block_text(&mut event.body).cloned())
        .collect();
    assert_eq!(texts, ["hm", "one block", "another", "third"]);
}

#[test]
fn a_long_answer_goes_on_in_a_new_block_and_every_event_fits_into_a_frame() {
    let place = TestFolder::new();
    let conversation = place.fresh();
    run(&conversation, "a");
    // Six bytes of JSON per character, the worst case.
    let text = "\u{1}🦀".repeat(150_000);
    conversation.grow(&turn("a"), BlockKind::Text, &text).unwrap();
    let events = everything(&conversation);
    assert!(events.iter().all(|event| serde_json::to_vec(event).unwrap().len() < 700 * 1024));
    let joined: String =
        events.into_iter().filter_map(|mut event| line::block_text(&mut event.body).cloned()).collect();
    assert_eq!(joined, text);
    let mut before = conversation.head() + 1;
    while before > 1 {
        let page = conversation.history(before, 500).unwrap();
        assert!(serde_json::to_vec(&page).unwrap().len() < 900 * 1024);
        before = page.events.first().unwrap().seq;
    }
}

#[test]
fn panels_follow_through_gaps_and_reconnects_and_agree_with_the_journal() {
    let place = TestFolder::new();
    let conversation = place.fresh();
    let mut quick = Panel::open(&conversation);
    let mut slow = Panel::open(&conversation);
    for n in 0..60 {
        let name = n.to_string();
        run(&conversation, &name);
        for part in 0..20 {
            conversation.grow(&turn(&name), BlockKind::Text, &format!("{part} 🦀 {}", "w".repeat(600))).unwrap();
            if part == 10 {
                conversation.send(message(&format!("extra-{n}"))).unwrap();
                conversation.unqueue(ClientMessageId::new(format!("extra-{n}"))).unwrap();
                // The port closes and reconnects in the middle of a block, after two other events.
                quick.apply();
                quick.subscribe_again(&conversation);
            }
            assert!(!quick.apply());
            quick.acknowledge();
        }
        conversation.append(step(&name, &name)).unwrap();
        conversation.handle(done());
    }
    while slow.apply() {
        slow.subscribe_again(&conversation);
    }
    quick.apply();
    let truth = everything(&conversation);
    assert_eq!(quick.events, truth);
    assert_eq!((slow.events == truth, slow.gaps), (true, 1));
}

#[test]
fn a_panel_that_held_half_a_block_gets_the_rest_of_it_after_the_block_ended() {
    let place = TestFolder::new();
    let conversation = place.fresh();
    run(&conversation, "a");
    conversation.grow(&turn("a"), BlockKind::Text, "first half, ").unwrap();
    let mut panel = Panel::open(&conversation);
    panel.subscription = None;
    conversation.grow(&turn("a"), BlockKind::Text, "second half").unwrap();
    conversation.handle(done());
    panel.subscribe_again(&conversation);
    panel.apply();
    assert_eq!(panel.events, everything(&conversation));
}

#[test]
fn dropping_a_subscription_ends_its_pushes() {
    let place = TestFolder::new();
    let conversation = place.fresh();
    let mut panel = Panel::open(&conversation);
    assert_eq!(conversation.subscribers(), 1);
    panel.subscription = None;
    assert_eq!(conversation.subscribers(), 0);
    run(&conversation, "a");
    assert!(!panel.apply() && panel.events.is_empty());
}

#[test]
fn a_fresh_panel_gets_the_newest_and_pages_back_to_the_first() {
    let place = TestFolder::new();
    let conversation = place.fresh();
    run(&conversation, "a");
    for n in 0..1000 {
        conversation.append(ChatBody::Notice { turn_id: turn("a"), text: n.to_string(), words: None }).unwrap();
    }
    let (sender, _receiver) = mpsc::unbounded_channel();
    let (subscribed, _subscription) = conversation.subscribe(0, Arc::new(sender)).unwrap();
    assert!(subscribed.older && subscribed.events.len() == 200);
    assert_eq!(subscribed.head, conversation.head());
    let mut events = subscribed.events;
    loop {
        let page = conversation.history(events[0].seq, 100).unwrap();
        events.splice(0..0, page.events);
        if !page.older {
            break;
        }
    }
    assert_eq!(events, everything(&conversation));
}

#[test]
fn what_cannot_be_written_is_a_storage_fault_and_never_pushed() {
    let place = TestFolder::new();
    std::fs::write(place.folder.path().join("c"), b"a file where the folder should be").unwrap();
    let conversation = place.fresh();
    let mut panel = Panel::open(&conversation);
    let fault = conversation.send(message("a")).unwrap_err().fault();
    assert_eq!(fault.code, FaultCode::Storage);
    assert!(fault.hint.is_some());
    assert_eq!((conversation.state(), conversation.head()), (ConversationState::Idle, 0));
    assert!(!panel.apply() && panel.events.is_empty());
    std::fs::remove_file(place.folder.path().join("c")).unwrap();
    assert!(!conversation.send(message("a")).unwrap().repeated, "the same message may be tried again");
}

#[test]
fn many_conversations_of_fifty_turns_keep_little_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let reserve = Arc::new(Reserve::open(folder.path().join("reserve")));
    for n in 0..10 {
        let id = ConversationId::new(n.to_string());
        let record = Record::new(id, "/work".into(), None, 1);
        let place = folder.path().join(n.to_string());
        let conversation = Arc::new(Conversation::new(record, place, Epoch::new("e"), reserve.clone()));
        let mut panel = Panel::open(&conversation);
        for turns in 0..50 {
            let name = turns.to_string();
            run(&conversation, &name);
            conversation.append(step(&name, &name)).unwrap();
            conversation.grow(&turn(&name), BlockKind::Text, "an answer").unwrap();
            conversation.handle(done());
            assert!(!panel.apply());
            panel.acknowledge();
        }
        assert_eq!(conversation.head(), 50 * 6);
        let inner = conversation.lock();
        assert!(
            inner.block.is_none() && inner.clock.open_steps().next().is_none() && inner.sent.len() <= REMEMBERED_SENDS
        );
        drop(inner);
        assert_eq!(panel.events, everything(&conversation));
    }
}

#[test]
fn on_a_full_disk_only_ends_are_written_until_there_is_room_again() {
    let place = TestFolder::new();
    let reserve = place.reserve();
    let record = Record::new(ConversationId::new("c"), "/work".into(), None, 1);
    let conversation = Conversation::new(record, place.folder.path().join("c"), Epoch::new("one"), reserve.clone());
    run(&conversation, "a");
    assert!(reserve.release());
    // Once the disk has room, the reserve is recreated and everything works as before.
    assert!(conversation.send(message("b")).is_ok());
    assert!(reserve.is_kept());
}
