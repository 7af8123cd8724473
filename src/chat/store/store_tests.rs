//! The conversations of a home: tabs, history, restarts, large numbers.

use super::*;
use crate::conversation::BlockKind;
use crate::store::TabKey;
use crate::turn::{Event, Message};
use gstack_protocol::chat::MessageSource;
use gstack_protocol::ids::{AgentName, BrowserRun, ClientMessageId, TargetId, TurnId};
use std::time::Duration;

/// Longer than any search in a test takes.
const LONG: Duration = Duration::from_secs(60);

pub(crate) fn home() -> (tempfile::TempDir, Home) {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path().join("home")).unwrap();
    (folder, home)
}

pub(crate) fn new(folder: &str) -> NewConversation {
    NewConversation { folder: folder.into(), page: None }
}

pub(crate) fn key(target: &str) -> Option<TabKey> {
    Some(TabKey { browser_run: BrowserRun::new("run"), target_id: TargetId::new(target) })
}

pub(crate) fn message(text: &str) -> Message {
    let page = PageContext { url: format!("https://{}.example/", text.len()), title: "Page".into(), selection: None };
    Message {
        turn_id: TurnId::random(),
        client_id: ClientMessageId::random(),
        text: text.into(),
        page: Some(page),
        attachments: Vec::new(),
        from: MessageSource::Terminal,
        model: None,
    }
}

/// Runs a whole turn.
pub(crate) fn talk(conversation: &Conversation, text: &str) {
    let message = message(text);
    let turn_id = message.turn_id.clone();
    conversation.send(message.clone()).unwrap();
    conversation.begin_turn(&message, AgentName::new("a"), "A".into(), None, false).unwrap();
    conversation.handle(Event::AgentFailedToStart {
        turn_id,
        fault: gstack_protocol::fault::Fault::new(gstack_protocol::fault::FaultCode::AgentMissing, "none"),
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
    assert_eq!(store.list(), [], "empty ones are not history");
    talk(&first, "fix the login");
    store.tab_closed(TabId(1));
    store.tab_closed(TabId(2));
    assert_eq!(store.tabs(), []);
    let list = store.list();
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
    old.choose_agent(Some(AgentName::new("builtin")), None, None);
    talk(&old, "hello");
    let fresh = store.clear(old.id()).unwrap();
    assert_eq!(store.of_tab(TabId(1)).as_ref(), Some(fresh.id()));
    assert_eq!((fresh.head(), fresh.info().folder.as_str()), (0, "/a"));
    assert_eq!(fresh.info().agent, Some(AgentName::new("builtin")));
    assert_eq!(old.info().tab_id, None);
    let fresher = store.clear(fresh.id()).unwrap();
    assert_eq!(store.get(fresh.id()).unwrap_err().fault().code, gstack_protocol::fault::FaultCode::NotFound);
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
    // The clock may not have advanced between them, so make one clearly the newest.
    let alpha = store.get(&ids[0]).unwrap();
    while store.list()[0].conversation_id != ids[0] {
        talk(&alpha, "again");
    }
    assert_eq!(store.list().len(), 3);
    let titles = |search: &str| {
        let found = store.search(search, None, LONG).into_iter().map(|(info, _)| info.title);
        found.collect::<Vec<_>>()
    };
    assert_eq!(titles(" BETA"), ["beta!"]);
    assert_eq!(titles("6.example"), ["gamma."]);
    assert_eq!(titles("nothing"), Vec::<String>::new());
    alpha.rename("Ωmega").unwrap();
    assert_eq!(titles("ωm"), ["Ωmega"]);
    alpha.rename("  ").unwrap();
    assert_eq!(alpha.info().title, "Alpha", "an empty name is the first words again");
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
    assert_eq!(store.search("lost record", None, LONG).len(), 1);
    assert_eq!(store.list().len(), 3);
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
    assert_eq!(store.list().len(), 1);
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
    let ids: Vec<_> = (0..2 * MOST_IDLE)
        .map(|n| {
            let conversation = store.create(new("/a"));
            talk(&conversation, &format!("number {n}"));
            conversation.id().clone()
        })
        .collect();
    assert!(store.opened().len() <= MOST_IDLE + 1, "{}", store.opened().len());
    assert!(Arc::ptr_eq(&store.get(used.id()).unwrap(), &used));
    assert_eq!(store.list().len(), 2 * MOST_IDLE + 1);
    for (n, id) in ids.iter().enumerate() {
        assert_eq!(store.get(id).unwrap().info().title, format!("number {n}"));
    }
}

#[test]
fn a_deleted_conversation_can_be_brought_back_for_some_days() {
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
    assert!(store.list().is_empty() && store.tabs().is_empty() && store.get(&id).is_err());
    for wrong in ["../x", "", "zz"] {
        assert!(store.restore(&ConversationId::new(wrong)).is_err(), "{wrong:?}");
    }
    // A prefix of the id is enough.
    assert_eq!(store.restore(&ConversationId::new(&id.as_str()[..8])).unwrap(), id);
    assert_eq!(store.get(&id).unwrap().info().title, "precious");
    store.delete(&id).unwrap();
    drop(store);
    let store = Store::open(&home).unwrap();
    store.restore(&id).unwrap();
    store.delete(&id).unwrap();
    drop(store);
    let deleted = fs::read_dir(home.conversations()).unwrap().next().unwrap().unwrap().path();
    let long_ago = SystemTime::now() - Duration::from_secs(30 * 24 * 60 * 60);
    fs::File::open(deleted).unwrap().set_modified(long_ago).unwrap();
    let store = Store::open(&home).unwrap();
    assert!(store.restore(&id).is_err());
    assert_eq!(fs::read_dir(home.conversations()).unwrap().count(), 0);
}

#[test]
fn a_search_finds_what_persons_and_agents_said_wherever_it_was_cut() {
    let (_folder, home) = home();
    let store = Store::open(&home).unwrap();
    let conversation = store.create(new("/a"));
    let first = message("where is the Lighthouse?");
    conversation.send(first.clone()).unwrap();
    conversation.begin_turn(&first, AgentName::new("a"), "A".into(), None, false).unwrap();
    for part in ["It is a nee", "dle in a ", "haystack."] {
        conversation.grow(&first.turn_id, BlockKind::Text, part).unwrap();
    }
    let other = store.create(new("/a"));
    talk(&other, "something else");
    let excerpt = |text: &str| {
        let mut found = store.search(text, None, LONG);
        assert!(found.len() < 2, "{found:?}");
        found.pop().and_then(|(_, excerpt)| excerpt)
    };
    assert_eq!(excerpt("lighthouse").as_deref(), Some("where is the Lighthouse?"));
    assert_eq!(excerpt("NEEDLE in").as_deref(), Some("It is a needle in a haystack."));
    assert_eq!(excerpt("nowhere"), None);
    assert!(store.search("needle", None, Duration::ZERO).is_empty(), "a search ends with its time");
}

#[test]
fn a_tab_that_is_out_of_sight_for_a_while_keeps_its_conversation() {
    let (_folder, home) = home();
    let store = Store::open(&home).unwrap();
    let conversation = store.open_for_tab(TabId(1), key("t1"), new("/a")).unwrap();
    talk(&conversation, "hello");
    store.tab_away(TabId(1));
    assert_eq!((store.tabs(), conversation.info().tab_id), (Vec::new(), None));
    assert_eq!(store.open_for_tab(TabId(9), key("t1"), new("/a")).unwrap().id(), conversation.id());
}

#[test]
fn the_newest_conversation_about_a_page_is_offered_where_no_tab_shows_it() {
    let (_folder, home) = home();
    let store = Store::open(&home).unwrap();
    let conversation = store.open_for_tab(TabId(1), key("t1"), new("/a")).unwrap();
    talk(&conversation, "about this page");
    let url = conversation.info().page.unwrap().url;
    let nobody = ConversationId::new("nobody");
    assert_eq!(store.earlier_about(&url, &nobody), None, "its tab shows it");
    store.tab_closed(TabId(1));
    let earlier = store.earlier_about(&format!("{url}#part"), &nobody).unwrap();
    assert_eq!(&earlier.conversation_id, conversation.id());
    assert_eq!(store.earlier_about(&url, conversation.id()), None);
    assert_eq!(store.earlier_about("about:blank", &nobody), None);
}
