//! The journal on a real disk: torn ends, garbage, two writers, large files, failing writes.

use super::*;
use gstack_protocol::chat::{ChatBody, MessageSource};
use gstack_protocol::ids::{ClientMessageId, TurnId};
use std::os::unix::fs::PermissionsExt;

fn id() -> ConversationId {
    ConversationId::new("c")
}

fn message(seq: Seq) -> ChatEvent {
    let body = ChatBody::Message {
        client_id: ClientMessageId::new(format!("m{seq}")),
        text: format!("message {seq}"),
        page: None,
        attachments: Vec::new(),
        from: MessageSource::Panel,
        model: None,
    };
    ChatEvent { seq, at: 1000 + seq, body }
}

fn notice(seq: Seq, text: &str) -> ChatEvent {
    ChatEvent { seq, at: seq, body: ChatBody::Notice { turn_id: TurnId::new("t"), text: text.into(), words: None } }
}

fn block(seq: Seq, text: &str) -> ChatEvent {
    ChatEvent { seq, at: seq, body: ChatBody::Text { turn_id: TurnId::new("t"), text: text.into() } }
}

fn all() -> Limits {
    Limits { events: usize::MAX, bytes: usize::MAX }
}

fn numbers(page: &Page) -> Vec<Seq> {
    page.events.iter().map(|event| event.seq).collect()
}

/// Creates a journal with notices 1 to `count`.
fn with(folder: &Path, count: Seq) -> Journal {
    let mut journal = Journal::open(folder, id()).unwrap();
    for seq in 1..=count {
        journal.append(&notice(seq, &format!("note {seq}"))).unwrap();
    }
    journal
}

#[test]
fn what_was_written_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = Journal::open(folder.path(), id()).unwrap();
    assert_eq!((journal.head(), journal.page(0, Seq::MAX, all()).unwrap()), (0, Page::default()));
    assert!(!folder.path().join(JOURNAL_FILE).exists(), "no file before the first line");
    journal.append(&message(1)).unwrap();
    journal.append(&block(2, "")).unwrap();
    journal.append_text(2, 0, "Grüße ").unwrap();
    journal.append_text(2, 6, "🦀").unwrap();
    journal.append(&message(3)).unwrap();
    journal.append_text(2, 8, " ok").unwrap();
    journal.append(&notice(4, "n")).unwrap();
    journal.sync_handle().unwrap().sync().unwrap();
    let expected = [message(1), block(2, "Grüße 🦀 ok"), message(3), notice(4, "n")];
    assert_eq!(journal.page(0, Seq::MAX, all()).unwrap().events, expected);
    drop(journal);
    let journal = Journal::open(folder.path(), id()).unwrap();
    assert_eq!(journal.head(), 4);
    assert_eq!(journal.page(0, Seq::MAX, all()).unwrap().events, expected);
    assert_eq!(journal.page(1, 3, all()).unwrap().events, expected[1..2], "text behind a later message is found");
    let mode = fs::metadata(folder.path().join(JOURNAL_FILE)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn text_that_is_held_already_is_left_out() {
    let mut growth = line::Growth::of("a🦀b".to_owned());
    growth.take(&Delta { delta: 1, offset: 1, text: "🦀bc".into() });
    assert_eq!(growth.text, "a🦀bc");
    growth.take(&Delta { delta: 1, offset: 0, text: "a".into() });
    growth.take(&Delta { delta: 1, offset: 5, text: "d".into() });
    assert_eq!(growth.text, "a🦀bcd");
}

#[test]
fn a_torn_end_is_cut_off_kept_aside_and_written_over() {
    let folder = tempfile::tempdir().unwrap();
    drop(with(folder.path(), 3));
    let path = folder.path().join(JOURNAL_FILE);
    let whole = fs::read(&path).unwrap();
    let torn = &line::encode(&notice(4, "never whole"))[..20];
    fs::write(&path, [&whole[..], torn].concat()).unwrap();
    let mut journal = Journal::open(folder.path(), id()).unwrap();
    assert_eq!(journal.head(), 3);
    assert_eq!(fs::read(&path).unwrap(), whole);
    assert_eq!(fs::read(folder.path().join(TORN_FILE)).unwrap(), [torn, b"\n"].concat());
    journal.append(&notice(4, "again")).unwrap();
    assert_eq!(numbers(&journal.page(0, Seq::MAX, all()).unwrap()), [1, 2, 3, 4]);
}

#[test]
fn a_journal_cut_anywhere_opens_with_the_whole_lines_before_the_cut() {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = with(folder.path(), 2);
    journal.append(&block(3, "")).unwrap();
    journal.append_text(3, 0, "Grüße").unwrap();
    drop(journal);
    let path = folder.path().join(JOURNAL_FILE);
    let whole = fs::read(&path).unwrap();
    for cut in 0..=whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        let mut journal = Journal::open(folder.path(), id()).unwrap();
        let lines = whole[..cut].iter().filter(|&&b| b == b'\n').count();
        let lost_only_its_end = cut < whole.len() && whole[cut] == b'\n';
        let events = (lines + usize::from(lost_only_its_end)).saturating_sub(1).min(3);
        assert_eq!(journal.head(), events as u64, "cut at {cut}");
        journal.append(&notice(events as u64 + 1, "next")).unwrap();
        let read = journal.page(0, Seq::MAX, all()).unwrap();
        assert_eq!(numbers(&read), (1..=events as u64 + 1).collect::<Vec<_>>(), "cut at {cut}");
    }
}

#[test]
fn garbage_in_the_middle_is_passed_over_and_counted_once() {
    let folder = tempfile::tempdir().unwrap();
    drop(with(folder.path(), 2));
    let path = folder.path().join(JOURNAL_FILE);
    let mut bytes = fs::read(&path).unwrap();
    bytes.extend(b"\0\0\xff garbage\n{\"seq\":\"x\"}\n\n");
    bytes.extend(line::encode(&notice(3, "after")));
    bytes.extend(b"{\"seq\":4,\"at\":1,\"type\":\"from-the-future\",\"x\":1}\n");
    fs::write(&path, &bytes).unwrap();
    let journal = Journal::open(folder.path(), id()).unwrap();
    assert_eq!(journal.head(), 4, "an event of an unknown type keeps its number");
    for _ in 0..2 {
        assert_eq!(numbers(&journal.page(0, Seq::MAX, all()).unwrap()), [1, 2, 3]);
        assert_eq!(journal.garbage(), 3);
    }
}

#[test]
fn a_newer_format_is_refused_in_words_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(JOURNAL_FILE);
    fs::write(&path, b"{\"gstackChat\":2,\"conversationId\":\"c\",\"new\":true}\n{\"torn").unwrap();
    let before = fs::read(&path).unwrap();
    let error = Journal::open(folder.path(), id()).unwrap_err();
    assert!(matches!(error, ChatError::Newer { version: 2, .. }));
    assert!(error.fault().hint.unwrap().contains("Update"));
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_second_writer_is_refused_until_the_first_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let first = with(folder.path(), 1);
    assert!(matches!(Journal::open(folder.path(), id()), Err(ChatError::Locked { .. })));
    drop(first);
    assert_eq!(Journal::open(folder.path(), id()).unwrap().head(), 1);
}

#[test]
fn a_symbolic_link_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let elsewhere = folder.path().join("elsewhere");
    fs::write(&elsewhere, b"mine\n").unwrap();
    std::os::unix::fs::symlink(&elsewhere, folder.path().join(JOURNAL_FILE)).unwrap();
    assert!(matches!(Journal::open(folder.path(), id()), Err(ChatError::Storage { .. })));
    assert_eq!(fs::read(&elsewhere).unwrap(), b"mine\n");
}

#[test]
fn an_event_larger_than_a_frame_is_refused_and_nothing_of_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = with(folder.path(), 1);
    let length = journal.length();
    let error = journal.append(&notice(2, &"x".repeat(MAX_EVENT))).unwrap_err();
    assert!(matches!(error, ChatError::TooLarge { .. }));
    assert_eq!((journal.head(), journal.length()), (1, length));
    journal.append(&notice(2, "small")).unwrap();
}

#[test]
fn pages_hold_what_the_limits_allow_and_say_whether_there_is_more() {
    let folder = tempfile::tempdir().unwrap();
    let journal = with(folder.path(), 100);
    let ten = Limits { events: 10, bytes: usize::MAX };
    let page = journal.page(0, Seq::MAX, ten).unwrap();
    assert_eq!((numbers(&page), page.older), ((91..=100).collect(), true));
    let page = journal.page(0, 11, ten).unwrap();
    assert_eq!((numbers(&page), page.older), ((1..=10).collect(), false));
    let page = journal.page(95, Seq::MAX, ten).unwrap();
    assert_eq!((numbers(&page), page.older), ((96..=100).collect(), false));
    assert_eq!(journal.page(100, Seq::MAX, ten).unwrap(), Page::default());
    let page = journal.page(0, Seq::MAX, Limits { events: usize::MAX, bytes: 200 }).unwrap();
    assert!(page.older && (1..=4).contains(&page.events.len()), "{}", page.events.len());
    let page = journal.page(0, Seq::MAX, Limits { events: usize::MAX, bytes: 1 }).unwrap();
    assert_eq!(numbers(&page), [100], "one event always comes");
}

#[test]
fn any_page_of_a_long_journal_with_blocks_and_messages_between_is_right() {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = Journal::open(folder.path(), id()).unwrap();
    let mut expected = Vec::new();
    let mut seq = 0;
    for round in 0..400_u64 {
        seq += 1;
        journal.append(&block(seq, "")).unwrap();
        let at = seq;
        let mut text = String::new();
        expected.push(block(at, ""));
        for part in 0..round % 7 {
            let piece = format!("{round}/{part} é🦀 {}", "pad ".repeat((round % 5) as usize * 40));
            journal.append_text(at, line::utf16_length(&text), &piece).unwrap();
            text.push_str(&piece);
            if part == 1 {
                seq += 1;
                journal.append(&message(seq)).unwrap();
                expected.push(message(seq));
            }
        }
        expected[at as usize - 1] = block(at, &text);
        seq += 1;
        journal.append(&notice(seq, "end")).unwrap();
        expected.push(notice(seq, "end"));
    }
    assert!(journal.length() > 5 * 64 * 1024, "several blocks: {}", journal.length());
    for before in 1..=seq + 1 {
        let from = before.saturating_sub(5).max(1);
        let page = journal.page(0, before, Limits { events: 5, bytes: usize::MAX }).unwrap();
        assert_eq!(page.events, expected[from as usize - 1..before as usize - 1], "before {before}");
    }
}

#[test]
fn a_line_longer_than_a_block_is_read_whole() {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = with(folder.path(), 1);
    let long = "long ".repeat(100_000);
    journal.append(&notice(2, &long)).unwrap();
    journal.append(&notice(3, "short")).unwrap();
    drop(journal);
    let journal = Journal::open(folder.path(), id()).unwrap();
    assert_eq!(journal.page(1, 3, all()).unwrap().events, [notice(2, &long)]);
    assert_eq!(numbers(&journal.page(0, 2, all()).unwrap()), [1]);
}

/// A hole of 1 GiB in the middle reveals whether the whole file is read: every byte of it that is read counts as
/// garbage.
#[test]
fn a_million_events_open_without_being_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(JOURNAL_FILE);
    let mut bytes = line::encode(&Header { gstack_chat: FORMAT, conversation_id: id() });
    for seq in 1..=1_000_000 {
        serde_json::to_writer(&mut bytes, &notice(seq, "n")).unwrap();
        bytes.push(b'\n');
    }
    fs::write(&path, &bytes).unwrap();
    let journal = Journal::open(folder.path(), id()).unwrap();
    assert_eq!(journal.head(), 1_000_000);
    let ten = Limits { events: 10, bytes: usize::MAX };
    let before = bytes_read();
    assert_eq!(numbers(&journal.page(0, Seq::MAX, ten).unwrap()), (999_991..=1_000_000).collect::<Vec<_>>());
    assert_eq!(numbers(&journal.page(0, 500_001, ten).unwrap()), (499_991..=500_000).collect::<Vec<_>>());
    assert_eq!(numbers(&journal.page(0, 4, ten).unwrap()), [1, 2, 3]);
    if let (Some(before), Some(after)) = (before, bytes_read()) {
        // Other tests of this process read too; reading the whole file would take some 50 MB per page.
        assert!(after - before < bytes.len() as u64, "{} bytes read of {}", after - before, bytes.len());
    }
}

/// Returns the number of bytes that this thread has read so far, if the system reports it.
fn bytes_read() -> Option<u64> {
    let io = fs::read_to_string("/proc/thread-self/io").ok()?;
    io.lines().find_map(|line| line.strip_prefix("rchar: "))?.parse().ok()
}
