//! The conversations of a home: tabs, history, restarts, many of them.

use super::*;
use crate::chat::turn::{Event, Message};
use crate::protocol::chat::MessageSource;
use crate::protocol::ids::{AgentName, BrowserRun, ClientMessageId, TargetId, TurnId};

fn home() -> (tempfile::TempDir, Home) {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path().join("home")).unwrap();
    (folder, home)
}

fn new(folder: &str) -> NewConversation {
    NewConversation { folder: folder.into(), page: None }
}

fn key(target: &str) -> Option<TabKey> {
    Some(TabKey { browser_run: BrowserRun::new("run"), target_id: TargetId::new(target) })
}

fn message(text: &str) -> Message {
    let page = PageContext { url: format!("https://{}.example/", text.len()), title: "Page".into(), selection: None };
    Message {
        turn_id: TurnId::random(),
        client_id: ClientMessageId::random(),
        text: text.into(),
        page: Some(page),
        attachments: Vec::new(),
        from: MessageSource::Terminal,
    }
}

/// A whole turn.
fn talk(conversation: &Conversation, text: &str) {
    let message = message(text);
    let turn_id = message.turn_id.clone();
    conversation.send(message.clone()).unwrap();
    conversation.begin_turn(&message, AgentName::new("a"), "A".into(), None, false).unwrap();
    conversation.handle(Event::AgentFailedToStart {
        turn_id,
        fault: crate::protocol::fault::Fault::new(crate::protocol::fault::FaultCode::AgentMissing, "none"),
    });
    conversation.persist().unwrap();
}

#[test]
fn a_tab_keeps_its_conversation_until_it_is_closed_and_history_keeps_it_then() {
    let (_folder, home) = home();
    let store = Store::open(&home).unwrap();
    let first = store.open_for_tab(TabId(1), key("t1"), new("/a")).unwrap();
    assert_eq!(store.open_for_tab(TabId(1), key("t1"), new("/b")).unwrap().id(), first.id());
    assert_ne!(store.open_for_tab(TabId(2), key("t2"), new("/b")).unwrap().id(), first.id());
    assert_eq!(store.list(None), [], "empty ones are not history");
    talk(&first, "fix the login");
    store.tab_closed(TabId(1));
    store.tab_closed(TabId(2));
    assert_eq!(store.tabs(), []);
    let list = store.list(None);
    assert_eq!((list.len(), list[0].title.as_str(), list[0].tab_id), (1, "fix the login", None));
    assert_eq!(store.opened().len(), 1, "the empty one is gone with its tab");
    let again = store.attach(first.id(), TabId(3), key("t3")).unwrap();
    assert_eq!((again.id(), again.info().tab_id), (first.id(), Some(TabId(3))));
}

#[test]
fn clear_puts_the_conversation_into_history_and_gives_the_tab_an_empty_one() {
    let (_folder, home) = home();
    let store = Store::open(&home).unwrap();
    let old = store.open_for_tab(TabId(1), key("t1"), new("/a")).unwrap();
    old.choose_agent(Some(AgentName::new("builtin")), None);
    talk(&old, "hello");
    let fresh = store.clear(old.id()).unwrap();
    assert_eq!(store.of_tab(TabId(1)).as_ref(), Some(fresh.id()));
    assert_eq!((fresh.head(), fresh.info().folder.as_str()), (0, "/a"));
    assert_eq!(fresh.info().agent, Some(AgentName::new("builtin")));
    assert_eq!(old.info().tab_id, None);
    let fresher = store.clear(fresh.id()).unwrap();
    assert_eq!(store.get(fresh.id()).unwrap_err().fault().code, crate::protocol::fault::FaultCode::NotFound);
    assert_eq!(store.of_tab(TabId(1)).as_ref(), Some(fresher.id()));
}

#[test]
fn a_tab_that_outlives_the_daemon_finds_its_conversation_again() {
    let (_folder, home) = home();
    let store = Store::open(&home).unwrap();
    let conversation = store.open_for_tab(TabId(7), key("t7"), new("/a")).unwrap();
    conversation.set_resume(AgentName::new("claude"), Some("s-1".into()));
    talk(&conversation, "hello");
    let id = conversation.id().clone();
    drop((conversation, store));
    let store = Store::open(&home).unwrap();
    assert!(store.recover().conversations.is_empty(), "it ended in order");
    assert_eq!(store.opened().len(), 0);
    let other = store.open_for_tab(TabId(1), key("t8"), new("/a")).unwrap();
    assert_ne!(*other.id(), id);
    let same = store.open_for_tab(TabId(2), key("t7"), new("/a")).unwrap();
    assert_eq!((same.id(), same.info().tab_id), (&id, Some(TabId(2))));
    assert_eq!(same.resume(&AgentName::new("claude")).as_deref(), Some("s-1"));
    assert_ne!(store.open_for_tab(TabId(3), key("t7"), new("/a")).unwrap().id(), &id, "one tab only");
}

#[test]
fn the_list_is_newest_first_and_searched_by_title_and_page() {
    let (_folder, home) = home();
    let store = Store::open(&home).unwrap();
    let ids: Vec<ConversationId> = ["Alpha", "beta!", "gamma."]
        .iter()
        .map(|text| {
            let conversation = store.create(new("/a"));
            talk(&conversation, text);
            conversation.id().clone()
        })
        .collect();
    // The clock may not have moved between them: the newest is made plain.
    let alpha = store.get(&ids[0]).unwrap();
    while store.list(None)[0].conversation_id != ids[0] {
        talk(&alpha, "again");
    }
    assert_eq!(store.list(None).len(), 3);
    let titles = |search: &str| store.list(Some(search)).into_iter().map(|info| info.title).collect::<Vec<_>>();
    assert_eq!(titles(" BETA"), ["beta!"]);
    assert_eq!(titles("6.example"), ["gamma."]);
    assert_eq!(titles("").len(), 3);
    assert_eq!(titles("nothing"), Vec::<String>::new());
    alpha.rename("Ωmega".into());
    assert_eq!(titles("ωm"), ["Ωmega"]);
}

#[test]
fn a_daemon_that_was_killed_is_noticed_and_lost_records_are_made_again() {
    let (_folder, home) = home();
    let store = Store::open(&home).unwrap();
    let in_order = store.create(new("/a"));
    talk(&in_order, "in order");
    let killed = store.create(new("/a"));
    talk(&killed, "killed");
    killed.send(message("still running")).unwrap();
    let lost = store.create(new("/a"));
    talk(&lost, "lost record");
    fs::remove_file(home.conversations().join(lost.id().as_str()).join("session.json")).unwrap();
    let ids = [in_order.id().clone(), killed.id().clone(), lost.id().clone()];
    drop((in_order, killed, lost, store));
    fs::create_dir(home.conversations().join("..evil")).unwrap();
    fs::create_dir(home.conversations().join("empty-folder")).unwrap();

    let store = Store::open(&home).unwrap();
    let recovered = store.recover();
    assert!(recovered.failed.is_empty());
    let mut found: Vec<_> = recovered.conversations.iter().map(|conversation| conversation.id().clone()).collect();
    found.sort();
    let mut expected = ids[1..].to_vec();
    expected.sort();
    assert_eq!(found, expected);
    assert_eq!(store.get(&ids[1]).unwrap().info().queued, 1);
    assert_eq!(store.list(Some("lost record")).len(), 1);
    assert_eq!(store.list(None).len(), 3);
}

#[test]
fn one_damaged_conversation_does_not_keep_the_others_away() {
    let (_folder, home) = home();
    let store = Store::open(&home).unwrap();
    let good = store.create(new("/a"));
    talk(&good, "good");
    let id = good.id().clone();
    drop((good, store));
    let newer = home.conversations().join("newer");
    fs::create_dir(&newer).unwrap();
    fs::write(newer.join("chat.jsonl"), b"{\"gstackChat\":99,\"conversationId\":\"newer\"}\n").unwrap();
    let store = Store::open(&home).unwrap();
    let recovered = store.recover();
    assert!(matches!(&recovered.failed[..], [(_, ChatError::Newer { version: 99, .. })]));
    assert_eq!(store.list(None).len(), 1);
    assert_eq!(store.get(&id).unwrap().info().title, "good");
}

#[test]
fn an_id_from_outside_never_opens_a_folder_that_is_not_a_conversation() {
    let (_folder, home) = home();
    let store = Store::open(&home).unwrap();
    for id in ["..", ".", "", "../..", "/etc", "nobody"] {
        assert!(matches!(store.get(&ConversationId::new(id)), Err(ChatError::NoConversation(_))), "{id:?}");
    }
}

#[test]
fn of_many_conversations_the_unused_are_put_away_and_come_back() {
    let (_folder, home) = home();
    let store = Store::open(&home).unwrap();
    let used = store.create(new("/a"));
    talk(&used, "used");
    let ids: Vec<_> = (0..2 * MOST_OPEN)
        .map(|n| {
            let conversation = store.create(new("/a"));
            talk(&conversation, &format!("number {n}"));
            conversation.id().clone()
        })
        .collect();
    assert!(store.opened().len() <= MOST_OPEN + 1, "{}", store.opened().len());
    assert!(Arc::ptr_eq(&store.get(used.id()).unwrap(), &used));
    assert_eq!(store.list(None).len(), 2 * MOST_OPEN + 1);
    for (n, id) in ids.iter().enumerate() {
        assert_eq!(store.get(id).unwrap().info().title, format!("number {n}"));
    }
}

#[test]
fn a_deleted_conversation_can_be_brought_back_until_the_next_start() {
    let (_folder, home) = home();
    let store = Store::open(&home).unwrap();
    let conversation = store.open_for_tab(TabId(1), key("t1"), new("/a")).unwrap();
    talk(&conversation, "precious");
    let id = conversation.id().clone();
    conversation.send(message("at work")).unwrap();
    assert!(matches!(store.delete(&id), Err(ChatError::Busy(_))));
    conversation.handle(Event::Stop);
    conversation.handle(Event::StopDeadline(conversation.turn().unwrap()));
    drop(conversation);
    store.delete(&id).unwrap();
    assert!(store.list(None).is_empty() && store.tabs().is_empty() && store.get(&id).is_err());
    assert!(store.restore(&ConversationId::new("../x")).is_err());
    store.restore(&id).unwrap();
    assert_eq!(store.get(&id).unwrap().info().title, "precious");
    store.delete(&id).unwrap();
    drop(store);
    let store = Store::open(&home).unwrap();
    assert!(store.restore(&id).is_err());
    assert_eq!(fs::read_dir(home.conversations()).unwrap().count(), 0);
}
