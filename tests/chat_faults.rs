//! The journal under real failures: a process that is killed while it writes, a disk that accepts only a part of a
//! line.
//!
//! The failure happens in a child: this test's own program, started for one case with a folder in its environment.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "shared/long.rs"]
mod long;

use gstack_base::home::Home;
use gstack_chat::conversation::BlockKind;
use gstack_chat::session_file::Record;
use gstack_chat::store::NewConversation;
use gstack_chat::{Conversation, Event, Message, Store};
use gstack_protocol::chat::{ChatBody, ChatEvent, MessageSource, TurnOutcome};
use gstack_protocol::fault::FaultCode;
use gstack_protocol::ids::{AgentName, ClientMessageId, ConversationId, TurnId};
use long::usual_or_long;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

/// The child's home. If it is not set, the case is not a child and does nothing.
const CHILD_HOME: &str = "CHAT_FAULTS_HOME";

fn message(name: &str) -> Message {
    Message {
        turn_id: TurnId::new(format!("turn-{name}")),
        client_id: ClientMessageId::new(name),
        text: format!("do {name}"),
        page: None,
        attachments: Vec::new(),
        from: MessageSource::Terminal,
        model: None,
    }
}

/// Sends a message and advances its turn until the agent writes.
fn run(conversation: &Conversation, name: &str) {
    conversation.send(message(name)).unwrap();
    let turn_id = message(name).turn_id;
    conversation.begin_turn(&message(name), AgentName::new("a"), "A".into(), None, false).unwrap();
    conversation.handle(Event::AgentReady(turn_id.clone()));
    conversation.handle(Event::PromptAccepted(turn_id));
}

fn child_home() -> Option<Home> {
    std::env::var_os(CHILD_HOME).map(|home| Home::at(home.into()).unwrap())
}

/// Starts this program again, for one case. `limit`: the largest file it can write, in 512-byte blocks.
fn child(case: &str, home: &Path, limit: Option<u32>) -> Child {
    // Ignored signals survive exec: a write past the limit then fails instead of ending the process.
    let limit = limit.map_or(String::new(), |blocks| format!("trap '' XFSZ; ulimit -f {blocks} || exit 9; "));
    Command::new("sh")
        .arg("-c")
        .arg(format!("{limit}exec \"$0\" --exact {case} --nocapture"))
        .arg(std::env::current_exe().unwrap())
        .env(CHILD_HOME, home)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn only_conversation(store: &Store) -> Arc<Conversation> {
    store.recover();
    let list = store.list();
    assert_eq!(list.len(), 1);
    store.get(&list[0].conversation_id).unwrap()
}

fn everything(conversation: &Conversation) -> Vec<ChatEvent> {
    conversation.replay(0, usize::MAX).unwrap().events
}

/// Child: writes text and reports how much is written, until it is killed.
#[test]
fn child_writes_until_it_is_killed() {
    let Some(home) = child_home() else { return };
    let conversation = Store::open(&home).unwrap().create(NewConversation::default());
    run(&conversation, "first");
    conversation.send(message("second")).unwrap();
    let mut stdout = std::io::stdout();
    for n in 0.. {
        conversation.grow(&TurnId::new("turn-first"), BlockKind::Text, &format!("{n};")).unwrap();
        writeln!(stdout, "written {n}").unwrap();
        stdout.flush().unwrap();
    }
}

#[test]
fn what_was_told_as_written_survives_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = child("child_writes_until_it_is_killed", folder.path(), None);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut told = 0;
    while told < 2000 {
        let line = lines.next().expect("the child writes on").unwrap();
        if let Some(number) = line.strip_prefix("written ") {
            told = number.parse().unwrap();
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // The output between the last line that was read and its end.
    for line in lines.map_while(Result::ok) {
        told = line.strip_prefix("written ").and_then(|number| number.parse().ok()).unwrap_or(told);
    }
    let store = Store::open(&Home::at(folder.path().to_owned()).unwrap()).unwrap();
    let conversation = only_conversation(&store);
    let events = everything(&conversation);
    let text = events.iter().find_map(|event| match &event.body {
        ChatBody::Text { text, .. } => Some(text.clone()),
        _ => None,
    });
    let expected: String = (0..=told).map(|n| format!("{n};")).collect();
    assert!(text.unwrap().starts_with(&expected), "every piece that was told is there, in order");
    let end = &events.last().unwrap().body;
    assert!(matches!(end, ChatBody::TurnDone { outcome: TurnOutcome::Interrupted, .. }), "{end:?}");
    assert_eq!(conversation.info().queued, 1, "the waiting message waits on");
}

/// Child: writes until the disk is full, and checks how that is reported.
#[test]
fn child_fills_its_disk() {
    let Some(home) = child_home() else { return };
    let conversation = Store::open(&home).unwrap().create(NewConversation::default());
    run(&conversation, "first");
    let fault = loop {
        let head = conversation.head();
        let notice = ChatBody::Notice { turn_id: TurnId::new("turn-first"), text: "n".repeat(1000), words: None };
        if let Err(error) = conversation.append(notice) {
            assert_eq!(conversation.head(), head, "what was not written has no number");
            break error.fault();
        }
    };
    assert_eq!(fault.code, FaultCode::Storage);
    assert!(fault.hint.is_some());
    let long = Message { text: "m".repeat(2000), ..message("second") };
    assert_eq!(conversation.send(long).unwrap_err().fault().code, FaultCode::Storage);
    // The journal ends with a complete line, and shorter lines still fit.
    let small = ChatBody::Notice { turn_id: TurnId::new("turn-first"), text: "small".into(), words: None };
    if conversation.append(small.clone()).is_ok() {
        assert_eq!(everything(&conversation).last().unwrap().body, small);
    }
    // The turn can end although its end cannot be written.
    while conversation.append(small.clone()).is_ok() {}
    let handled = conversation.handle(Event::AgentExited { fault: None });
    assert_eq!(handled.fault.unwrap().code, FaultCode::Storage);
    println!("head {}", conversation.head());
}

#[test]
fn a_full_disk_is_told_and_leaves_whole_lines_only() {
    let folder = tempfile::tempdir().unwrap();
    let child = child("child_fills_its_disk", folder.path(), Some(64));
    let output = child.wait_with_output().unwrap();
    let words = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{words}");
    let head: u64 = words.lines().find_map(|line| line.strip_prefix("head ")).unwrap().parse().unwrap();
    let store = Store::open(&Home::at(folder.path().to_owned()).unwrap()).unwrap();
    let conversation = only_conversation(&store);
    let events = everything(&conversation);
    assert_eq!(conversation.unreadable_lines(), 0);
    assert_eq!(events.iter().map(|event| event.seq).collect::<Vec<_>>(), (1..=head + 1).collect::<Vec<_>>());
    let end = &events.last().unwrap().body;
    assert!(
        matches!(end, ChatBody::TurnDone { outcome: TurnOutcome::Interrupted, .. }),
        "written now that there is room"
    );
}

/// Creates a conversation with this many events, as an earlier daemon left it.
fn long_conversation(home: &Home, events: u64) -> ConversationId {
    let id = ConversationId::random();
    let folder = home.conversations().join(id.as_str());
    std::fs::create_dir_all(&folder).unwrap();
    let mut journal = std::io::BufWriter::new(std::fs::File::create(folder.join("chat.jsonl")).unwrap());
    writeln!(journal, r#"{{"gstackChat":1,"conversationId":"{id}"}}"#).unwrap();
    for seq in 1..=events {
        // Turns of four events each.
        let turn = seq.div_ceil(4);
        let body = match seq % 4 {
            1 => format!(r#""type":"message","clientId":"m{turn}","text":"do {turn}","from":"terminal""#),
            2 => {
                format!(r#""type":"turn-started","turnId":"t{turn}","clientId":"m{turn}","agent":"a","agentLabel":"A""#)
            }
            3 => format!(r#""type":"notice","turnId":"t{turn}","text":"so far""#),
            _ => format!(r#""type":"turn-done","turnId":"t{turn}","outcome":"done","durationMs":1"#),
        };
        writeln!(journal, r#"{{"seq":{seq},"at":{seq},{body}}}"#).unwrap();
    }
    journal.flush().unwrap();
    let length = std::fs::metadata(folder.join("chat.jsonl")).unwrap().len();
    let record = Record::new(id.clone(), "/work".into(), None, 1);
    Record { head: events, journal_bytes: length, updated_at: events, ..record }.write(&folder).unwrap();
    id
}

#[test]
fn many_thousand_events_open_at_their_end_and_are_paged_from_anywhere() {
    let events = usual_or_long(100_000, 1_000_000);
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path().to_owned()).unwrap();
    let id = long_conversation(&home, events);
    let store = Store::open(&home).unwrap();
    assert!(store.recover().conversations.is_empty(), "it ended in order, so it stays closed");
    let conversation = store.get(&id).unwrap();
    assert_eq!((conversation.head(), conversation.unreadable_lines()), (events, 0));
    for before in [u64::MAX, events / 2, 300, 2] {
        let page = conversation.history(before, 200).unwrap();
        let newest = before.min(events + 1) - 1;
        let oldest = newest.saturating_sub(199).max(1);
        let numbers: Vec<u64> = page.events.iter().map(|event| event.seq).collect();
        assert_eq!(numbers, (oldest..=newest).collect::<Vec<_>>());
        assert_eq!(page.older, oldest > 1);
    }
    conversation.send(message("one more")).unwrap();
    assert_eq!(conversation.head(), events + 1);
}

#[test]
fn garbage_in_the_middle_and_a_lost_record_cost_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path().to_owned()).unwrap();
    let id = long_conversation(&home, 400);
    let place = home.conversations().join(id.as_str());
    std::fs::remove_file(place.join("session.json")).unwrap();
    let text = std::fs::read_to_string(place.join("chat.jsonl")).unwrap();
    let damaged: String = text
        .lines()
        .map(|line| if line.starts_with(r#"{"seq":203,"#) { "\u{0}\u{fffd} not ours {{{\n" } else { line })
        .map(|line| format!("{line}\n"))
        .collect();
    std::fs::write(place.join("chat.jsonl"), damaged).unwrap();
    let store = Store::open(&home).unwrap();
    let conversation = only_conversation(&store);
    assert_eq!((conversation.id(), conversation.head(), conversation.title_of().as_str()), (&id, 400, "do 1"));
    let numbers: Vec<u64> = everything(&conversation).iter().map(|event| event.seq).collect();
    assert_eq!(numbers, (1..=400).filter(|seq| *seq != 203).collect::<Vec<_>>());
    assert!(conversation.unreadable_lines() > 0);
}

#[test]
fn two_daemons_never_write_one_conversation() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path().to_owned()).unwrap();
    let first = Store::open(&home).unwrap();
    let conversation = first.create(NewConversation::default());
    run(&conversation, "first");
    let second = Store::open(&home).unwrap();
    let fault = second.get(conversation.id()).unwrap_err().fault();
    assert_eq!(fault.code, FaultCode::Conflict);
    assert!(fault.hint.is_some());
}

#[test]
fn a_message_sent_again_after_thousands_of_others_and_a_restart_does_not_run_again() {
    let turns = usual_or_long(2_000, 10_000);
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path().to_owned()).unwrap();
    let id = long_conversation(&home, turns * 4);
    for _ in 0..2 {
        let store = Store::open(&home).unwrap();
        let conversation = store.get(&id).unwrap();
        let head = conversation.head();
        for turn in [1, 2, turns / 2, turns] {
            let again = conversation.send(message(&format!("m{turn}"))).unwrap();
            assert!(again.repeated && again.effects.is_empty(), "m{turn}");
            assert_eq!(again.sent.seq, turn * 4 - 3);
        }
        assert_eq!(conversation.head(), head, "nothing was written");
        assert!(!conversation.send(message(&format!("new {head}"))).unwrap().repeated);
        assert!(conversation.send(message(&format!("new {head}"))).unwrap().repeated);
    }
}

#[test]
fn a_journal_that_lost_all_of_its_events_is_told_and_left_as_it_is() {
    for left in [None, Some("")] {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().to_owned()).unwrap();
        let id = long_conversation(&home, 24);
        let journal = home.conversations().join(id.as_str()).join("chat.jsonl");
        match left {
            Some(words) => std::fs::write(&journal, words).unwrap(),
            None => std::fs::remove_file(&journal).unwrap(),
        }
        let store = Store::open(&home).unwrap();
        let recovered = store.recover();
        assert_eq!(recovered.failed.len(), 1, "it is told at the start");
        let fault = store.get(&id).unwrap_err().fault();
        assert_eq!(fault.code, FaultCode::Storage);
        assert!(fault.message.contains("0 of 24") && fault.hint.unwrap().contains("backup"), "{}", fault.message);
        assert_eq!(std::fs::read_to_string(&journal).ok().as_deref(), left);
        assert_eq!(store.list().len(), 1, "its title and its place are still known");
        store.delete(&id).unwrap();
        assert!(store.list().is_empty());
    }
}

#[test]
fn a_compacted_journal_holds_all_that_it_held_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path().to_owned()).unwrap();
    let store = Store::open(&home).unwrap();
    let conversation = store.create(NewConversation::default());
    run(&conversation, "first");
    let turn = TurnId::new("turn-first");
    for n in 0..5000 {
        conversation.grow(&turn, BlockKind::Text, &format!("é{n} 😀 ")).unwrap();
        if n == 2000 {
            conversation.send(message("second")).unwrap();
        }
    }
    assert_eq!(conversation.compact().unwrap_err().fault().code, FaultCode::Conflict, "a turn runs");
    conversation.handle(Event::Stop);
    conversation.handle(Event::AgentExited { fault: None });
    conversation.persist().unwrap();
    let before = everything(&conversation);
    let compacted = conversation.compact().unwrap();
    assert!(compacted.after * 3 < compacted.before, "{compacted:?}");
    assert_eq!(everything(&conversation), before);
    assert_eq!(conversation.compact().unwrap().after, compacted.after, "once more changes nothing");
    // It can be appended to, and the next daemon reads the same.
    conversation.append(ChatBody::Notice { turn_id: turn, text: "more".into(), words: None }).unwrap();
    let now = everything(&conversation);
    assert_eq!(now.len(), before.len() + 1);
    conversation.persist().unwrap();
    drop((conversation, store));
    // The leftover of an interrupted compaction is not mistaken for the journal.
    let id = only_conversation(&Store::open(&home).unwrap()).id().clone();
    let left = home.conversations().join(id.as_str()).join("chat.jsonl.new");
    std::fs::write(&left, "{\"gstackChat\":1").unwrap();
    let store = Store::open(&home).unwrap();
    let conversation = store.get(&id).unwrap();
    assert_eq!(everything(&conversation), now);
    assert!(!left.exists());
    assert!(conversation.send(message("second")).unwrap().repeated);
}
