//! Branches: the copy, its files, repeats, and daemons that end in the middle.

use super::*;
use crate::BlockKind;
use crate::store::conversations::tests::{home, key, message, new, talk};
use crate::turn::{Event, Message};
use gstack_protocol::fault::FaultCode;
use gstack_protocol::ids::{AgentName, TabId, TurnId};

fn branch(of: &Conversation, before: &ClientMessageId) -> NewBranch {
    let id = ConversationId::random();
    NewBranch { of: of.id().clone(), before: before.clone(), id, title: "edited".into() }
}

fn texts(conversation: &Conversation) -> Vec<String> {
    let events = conversation.history(u64::MAX, 1000).unwrap().events;
    let numbers: Vec<u64> = events.iter().map(|event| event.seq).collect();
    assert_eq!(numbers, (1..=events.len() as u64).collect::<Vec<_>>(), "numbered without gaps");
    let texts = events.into_iter().filter_map(|event| match event.body {
        ChatBody::Message { text, .. } | ChatBody::Text { text, .. } => Some(text),
        _ => None,
    });
    texts.collect()
}

fn sent(conversation: &Conversation, text: &str) -> ClientMessageId {
    let events = conversation.history(u64::MAX, 1000).unwrap().events;
    let found = events.into_iter().find_map(|event| match event.body {
        ChatBody::Message { client_id, text: of, .. } if of == text => Some(client_id),
        _ => None,
    });
    found.unwrap()
}

/// A turn with an answer that grew, so that the journal has deltas.
fn answered(conversation: &Conversation, message: &Message, words: &[&str]) {
    conversation.send(message.clone()).unwrap();
    conversation.begin_turn(message, AgentName::new("a"), "A".into(), None, false).unwrap();
    for word in words {
        conversation.grow(&message.turn_id, BlockKind::Text, word).unwrap();
    }
    end(conversation, &message.turn_id);
}

fn end(conversation: &Conversation, turn_id: &TurnId) {
    let fault = gstack_protocol::fault::Fault::new(FaultCode::AgentMissing, "none");
    conversation.handle(Event::AgentFailedToStart { turn_id: turn_id.clone(), fault });
}

#[test]
fn an_edited_message_goes_on_from_there_and_the_old_conversation_stays_whole() {
    let (_folder, home) = home();
    let store = Store::open(&home).unwrap();
    let old = store.open_for_tab(TabId(1), key("t1"), new("/a")).unwrap();
    let file = old.write_file("a.png", "image/png", b"picture").unwrap();
    let later = old.write_file("b.png", "image/png", b"later").unwrap();
    let with_file = Message { attachments: vec![file.clone()], ..message("first") };
    answered(&old, &with_file, &["It ", "is ", "blue."]);
    let second = Message { attachments: vec![later.clone()], ..message("second") };
    answered(&old, &second, &["No."]);
    old.set_resume(AgentName::new("a"), Some("s-1".into()));
    let before = texts(&old);

    let wanted = branch(&old, &second.client_id);
    let made = store.branch(&wanted).unwrap();
    let new = made.conversation.clone();
    assert!(made.is_new);
    assert_eq!(texts(&new), ["first", "It is blue."]);
    assert_eq!(new.resume(&AgentName::new("a")), None, "a new agent starts, and gets the earlier words");
    let origin = BranchOrigin { conversation_id: old.id().clone(), title: "first".into() };
    assert_eq!((new.info().branch_of, new.title_of()), (Some(Box::new(origin)), "edited".to_owned()));
    assert_eq!(new.read_file(&file.id, 0).unwrap().bytes, b"picture");
    assert!(new.read_file(&later.id, 0).is_err(), "only what the copy names");
    store.move_tab(&old, &new);
    assert_eq!((old.info().tab_id, new.info().tab_id), (None, Some(TabId(1))));
    assert_eq!(texts(&old), before);

    talk(&new, "edited");
    assert_eq!(texts(&new), ["first", "It is blue.", "edited"]);
    let again = store.branch(&wanted).unwrap();
    assert!(!again.is_new && again.conversation.id() == new.id(), "a repeat finds the same branch");
    old.persist().unwrap();
    let id = new.id().clone();
    drop((made, again, new, old, store));

    let store = Store::open(&home).unwrap();
    assert!(store.recover().conversations.is_empty());
    assert_eq!(store.list().len(), 2);
    let found = store.open_for_tab(TabId(5), key("t1"), super::super::NewConversation::default()).unwrap();
    assert_eq!((found.id(), texts(&found).len()), (&id, 3));
    store.delete(&wanted.of).unwrap();
    assert_eq!(found.read_file(&file.id, 0).unwrap().bytes, b"picture", "the files are the branch's own");
}

#[test]
fn a_branch_from_the_first_message_or_a_running_turn_has_only_what_came_before() {
    let (_folder, home) = home();
    let store = Store::open(&home).unwrap();
    let old = store.open_for_tab(TabId(1), key("t1"), new("/a")).unwrap();
    talk(&old, "first");
    let first = sent(&old, "first");
    let running = message("running");
    old.send(running.clone()).unwrap();
    old.begin_turn(&running, AgentName::new("a"), "A".into(), None, false).unwrap();
    old.grow(&running.turn_id, BlockKind::Text, "half").unwrap();
    let waits = message("waits");
    old.send(waits.clone()).unwrap();
    let made = store.branch(&branch(&old, &first)).unwrap();
    assert_eq!((made.conversation.head(), made.conversation.info().head), (0, 0));
    assert_eq!(texts(&store.branch(&branch(&old, &running.client_id)).unwrap().conversation), ["first"]);
    for unanswered in [&waits.client_id, &ClientMessageId::new("unknown")] {
        let refused = store.branch(&branch(&old, unanswered)).unwrap_err().fault();
        assert_eq!(refused.code, FaultCode::NotFound);
    }
    assert_eq!(texts(&old), ["first", "running", "half", "waits"]);
}

#[test]
fn the_id_of_a_branch_never_names_another_conversation() {
    let (_folder, home) = home();
    let store = Store::open(&home).unwrap();
    let old = store.open_for_tab(TabId(1), key("t1"), new("/a")).unwrap();
    talk(&old, "first");
    talk(&old, "second");
    let second = sent(&old, "second");
    let other = store.open_for_tab(TabId(2), key("t2"), new("/a")).unwrap();
    talk(&other, "other");
    let id = other.id().clone();
    let refused = |store: &Store, id: &ConversationId| {
        let made = store.branch(&NewBranch { id: id.clone(), ..branch(&old, &second) });
        made.unwrap_err().fault().code
    };
    assert_eq!(refused(&store, &id), FaultCode::Conflict);
    assert_eq!(refused(&store, old.id()), FaultCode::Conflict);
    drop(other);
    store.delete(&id).unwrap();
    assert_eq!(refused(&store, &id), FaultCode::Conflict, "it can still be restored");
    store.restore(&id).unwrap();
}

#[test]
fn a_branch_that_was_not_finished_or_not_used_leaves_nothing() {
    let (_folder, home) = home();
    let store = Store::open(&home).unwrap();
    let old = store.open_for_tab(TabId(1), key("t1"), new("/a")).unwrap();
    talk(&old, "first");
    talk(&old, "second");
    let wanted = branch(&old, &sent(&old, "second"));
    let made = store.branch(&wanted).unwrap();
    store.move_tab(&old, &made.conversation);
    store.move_tab(&made.conversation, &old);
    store.unmake(&made);
    assert_eq!(old.info().tab_id, Some(TabId(1)));
    assert!(!store.place(&wanted.id).exists());
    assert!(store.branch(&wanted).unwrap().is_new, "the same request makes it again");
    // A daemon that was killed in the middle of a copy.
    let half = store.root.join(format!("{UNFINISHED}half"));
    fs::create_dir(&half).unwrap();
    fs::write(half.join("chat.jsonl"), b"{}").unwrap();
    old.persist().unwrap();
    drop((made, old, store));
    let store = Store::open(&home).unwrap();
    assert_eq!(store.list().len(), 2);
    assert!(!half.exists());
}
