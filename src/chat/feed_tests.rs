//! Windows: many panels, slow ones, silent ones, disconnected ones.

use super::*;
use gstack_protocol::chat::{ChatBody, ConversationState, Millis};
use gstack_protocol::ids::TurnId;
use std::sync::Mutex;

const NOW: Millis = 1;

/// A panel that applies its pushes as the real one does.
#[derive(Default)]
struct Panel {
    pushes: Mutex<Vec<Push>>,
}

impl Sink for Panel {
    fn push(&self, push: Push) -> bool {
        self.pushes.lock().unwrap().push(push);
        true
    }
}

impl Panel {
    fn events(&self) -> Vec<Seq> {
        let seq = |push: &Push| match &**push {
            ToPanel::ChatEvent(push) => Some(push.event.seq),
            _ => None,
        };
        self.pushes.lock().unwrap().iter().filter_map(seq).collect()
    }
    fn gaps(&self) -> Vec<Seq> {
        let gap = |push: &Push| match &**push {
            ToPanel::ChatGap(gap) => Some(gap.head),
            _ => None,
        };
        self.pushes.lock().unwrap().iter().filter_map(gap).collect()
    }
    fn infos(&self) -> usize {
        self.pushes.lock().unwrap().iter().filter(|push| matches!(***push, ToPanel::ChatInfo(_))).count()
    }
    /// Assembles the text of a block by offsets. Fails on a hole.
    fn text(&self, seq: Seq) -> String {
        let mut text: Vec<u16> = Vec::new();
        for push in self.pushes.lock().unwrap().iter() {
            if let ToPanel::ChatDelta(delta) = &**push
                && delta.seq == seq
            {
                let offset = usize::try_from(delta.offset).unwrap();
                assert!(offset <= text.len(), "a hole in the text");
                text.truncate(offset);
                text.extend(delta.text.encode_utf16());
            }
        }
        String::from_utf16(&text).unwrap()
    }
    fn bytes(&self) -> usize {
        self.pushes.lock().unwrap().iter().map(|push| serde_json::to_vec(&**push).unwrap().len()).sum()
    }
    fn count(&self) -> usize {
        self.pushes.lock().unwrap().len()
    }
}

fn feed() -> Feed {
    Feed::new(ConversationId::new("c"))
}

fn notice(seq: Seq) -> ChatEvent {
    ChatEvent { seq, at: NOW, body: ChatBody::Notice { turn_id: TurnId::new("t"), text: "n".into(), words: None } }
}

fn info(head: Seq) -> ConversationInfo {
    ConversationInfo {
        conversation_id: ConversationId::new("c"),
        title: String::new(),
        tab_id: None,
        page: None,
        agent: None,
        folder: String::new(),
        worktree: None,
        head,
        created_at: NOW,
        updated_at: NOW,
        state: ConversationState::Running,
        queued: 0,
        model: None,
        cost_usd: None,
        tabs: Vec::new(),
        mode: None,
        current_mode: None,
        earlier: None,
        branch_of: None,
    }
}

fn join(feed: &mut Feed) -> (SubscriberId, Arc<Panel>) {
    let panel = Arc::new(Panel::default());
    (feed.subscribe(panel.clone(), 0, None), panel)
}

/// A growing text and its length.
struct Text {
    text: String,
    length: u64,
}

impl Text {
    fn new(text: &str) -> Self {
        let mut new = Self { text: String::new(), length: 0 };
        new.push(text);
        new
    }
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.length += text.encode_utf16().count() as u64;
    }
    fn growing(&self) -> Growing<'_> {
        Growing { seq: 1, text: &self.text, length: self.length }
    }
}

#[test]
fn a_panel_that_never_acknowledges_holds_a_bounded_amount_and_harms_none_of_a_hundred() {
    let mut feed = feed();
    let (_, silent) = join(&mut feed);
    let others: Vec<_> = (0..99).map(|_| join(&mut feed)).collect();
    let mut block = Text::new("");
    for _ in 0..1500 {
        block.push("Grüße 🦀, ");
        block.push(&"x".repeat(200));
        feed.grown(block.growing());
        let growing = block.growing();
        for (id, _) in &others {
            feed.acknowledge(*id, 1, growing.length, Some(growing), &info(1));
        }
    }
    feed.block_ends(block.growing(), 1);
    for seq in 2..200 {
        feed.event(&notice(seq), 100);
        feed.info(&info(seq));
    }
    for (_, panel) in &others {
        assert_eq!(panel.text(1), block.text);
        assert_eq!(panel.events(), (2..200).collect::<Vec<_>>());
        assert_eq!(panel.gaps(), Vec::<Seq>::new());
    }
    assert!(silent.bytes() <= WINDOW + 4096, "{}", silent.bytes());
    assert_eq!(silent.gaps(), [1], "one gap, then nothing");
    assert_eq!(silent.events(), Vec::<Seq>::new());
}

#[test]
fn a_slow_panel_gets_the_missing_text_in_one_piece() {
    let mut feed = feed();
    let (id, panel) = join(&mut feed);
    let mut block = Text::new("");
    let grow = |feed: &mut Feed, block: &mut Text, times: usize| {
        for n in 0..times {
            block.push(&format!("{n} 🦀 "));
            block.push(&"y".repeat(1000));
            feed.grown(block.growing());
        }
    };
    grow(&mut feed, &mut block, 200);
    let sent = panel.count();
    grow(&mut feed, &mut block, 20);
    assert_eq!(panel.count(), sent, "the window is full: nothing is sent");
    feed.acknowledge(id, 1, panel.text(1).encode_utf16().count() as u64, Some(block.growing()), &info(1));
    assert_eq!(panel.count(), sent + 1);
    assert_eq!(panel.text(1), block.text);
    feed.block_ends(block.growing(), 1);
    assert_eq!((panel.count(), panel.gaps().len()), (sent + 1, 0));
}

#[test]
fn text_comes_before_the_event_that_ends_it() {
    let mut feed = feed();
    let (_, panel) = join(&mut feed);
    let mut block = Text::new("");
    // Exceeds the part of the window for text, but not the window.
    while block.text.len() < 210 * 1024 {
        block.push(&"z".repeat(4096));
        feed.grown(block.growing());
    }
    assert_ne!(panel.text(1), block.text);
    feed.block_ends(block.growing(), 1);
    assert_eq!(panel.text(1), block.text);
    feed.event(&notice(2), 100);
    assert_eq!(panel.events(), [2]);
}

#[test]
fn events_that_do_not_fit_are_one_gap_and_an_empty_window_takes_any_event() {
    let mut feed = feed();
    let (_, panel) = join(&mut feed);
    feed.event(&notice(1), 10 * WINDOW);
    assert_eq!(panel.events(), [1]);
    feed.event(&notice(2), 100);
    feed.event(&notice(3), 100);
    assert_eq!((panel.events(), panel.gaps()), (vec![1], vec![2]));
}

#[test]
fn an_acknowledgement_frees_what_came_before_it() {
    let mut feed = feed();
    let (id, panel) = join(&mut feed);
    for seq in 1..=1000 {
        feed.event(&notice(seq), WINDOW / 2);
        feed.acknowledge(id, seq, 0, None, &info(seq));
    }
    assert_eq!(panel.events().len(), 1000);
    // Late, repeated and invalid acknowledgements do no harm.
    for seq in [1, 1000, 5000, 0] {
        feed.acknowledge(id, seq, u64::MAX, None, &info(1000));
    }
    feed.event(&notice(1001), 100);
    assert_eq!(panel.events().len(), 1001);
}

#[test]
fn a_full_window_gets_its_state_after_the_acknowledgement() {
    let mut feed = feed();
    let (id, panel) = join(&mut feed);
    feed.event(&notice(1), 2 * WINDOW);
    feed.info(&info(1));
    feed.info(&info(1));
    assert_eq!(panel.infos(), 0);
    feed.acknowledge(id, 1, 0, None, &info(1));
    assert_eq!(panel.infos(), 1);
}

#[test]
fn who_joins_in_the_middle_of_a_block_gets_what_it_lacks_and_then_what_is_new() {
    let mut feed = feed();
    let mut block = Text::new("before 🦀");
    let panel = Arc::new(Panel::default());
    feed.subscribe(panel.clone(), block.growing().length, Some(block.growing()));
    assert_eq!(panel.text(1), block.text);
    block.push(" after");
    feed.grown(block.growing());
    assert_eq!(panel.text(1), block.text);
    assert_eq!(panel.count(), 2);
}

#[test]
fn a_panel_that_is_gone_is_forgotten() {
    let mut feed = feed();
    let (sender, receiver) = mpsc::unbounded_channel();
    feed.subscribe(Arc::new(sender), 0, None);
    feed.event(&notice(1), 100);
    assert_eq!(feed.len(), 1);
    drop(receiver);
    feed.event(&notice(2), 100);
    assert_eq!(feed.len(), 0);
}
