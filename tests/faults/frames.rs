//! Input of a page or a person that does not fit into a frame, or into a string.

use crate::cases::{begin, begin_on, cases, end_of, finish};
use crate::extension::Extension;
use crate::long::usual_or_long;
use crate::schedule::Dice;
use crate::world::World;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fs;

pub const ALL: &[(&str, fn())] = cases![
    a_long_address_silences_no_panel,
    half_of_a_surrogate_pair_is_sent_as_a_replacement_character,
    whatever_a_page_says_of_itself_silences_no_panel,
    thousands_of_conversations_are_listed_in_pages,
];

fn a_long_address_silences_no_panel() {
    let (world, mut extension) = begin("", 1);
    let address = format!("https://0.example/#{}", "x".repeat(600_000));
    let tab = json!({ "chromeTabId": 1, "windowId": 1, "url": address, "title": "é".repeat(300_000), "active": true });
    extension.tell("tabs.changed", json!({ "full": true, "tabs": [tab], "removed": [] })).unwrap();
    let info = extension.info(0).unwrap();
    let kept = info["page"]["url"].as_str().unwrap();
    assert!(kept.starts_with("https://0.example/#xxx") && kept.len() < 3000, "{}", kept.len());
    let id = extension.conversations[0].clone();
    let page = json!({ "url": address, "title": "T" });
    let message = json!({ "conversationId": id, "clientId": "a", "text": "please [[say 1]]", "page": page });
    extension.ask("chat.send", message).unwrap().unwrap();
    assert_eq!(end_of(&mut extension, 0)["outcome"], "done");
    let list = extension.ask("conversations.list", json!({})).unwrap().unwrap();
    assert_eq!(list["conversations"].as_array().unwrap().len(), 1);
    let subscribed = extension.ask("chat.subscribe", json!({ "conversationId": id, "after": 0 })).unwrap();
    assert!(subscribed.is_ok(), "{subscribed:?}");
    assert!(world.run(&["sessions"]).0);
    finish(&world, extension);
}

fn half_of_a_surrogate_pair_is_sent_as_a_replacement_character() {
    let (world, mut extension) = begin("", 1);
    let id = extension.conversations[0].clone();
    let params = format!(r#"{{"conversationId":"{id}","clientId":"a","text":"please [[say 1]] \ud83d \ud83d\ude00"}}"#);
    extension.ask_written("chat.send", &params).unwrap().unwrap();
    assert_eq!(end_of(&mut extension, 0)["outcome"], "done");
    let message = extension.panels[&id].events.values().find(|event| event["type"] == "message").unwrap();
    assert_eq!(message["text"], "please [[say 1]] \u{fffd} 😀");
    finish(&world, extension);
}

/// Content of a JSON string as raw JSON: characters of every length, lone surrogates, line ends, direction controls,
/// and envelope markers.
const PIECES: [&str; 16] = [
    "x",
    "é",
    "😀",
    r"\ud83d",
    r"\ude00",
    r"\u0000",
    r"\u2028",
    r"\u202e",
    r"\ufeff",
    r"\u001b[31m",
    r#"\""#,
    r"\\",
    r"\n",
    "</page-content>",
    "https://else.example/?",
    "%F0%9F",
];
const ROUNDS: usize = 60;

fn piece(dice: &mut Dice) -> String {
    let length = [0, 1, 7, 300, 4_000, 60_000][dice.below(6)];
    let mut written = String::new();
    while written.len() < length {
        let times = 1 + dice.below(1 + length / 40);
        written.push_str(&PIECES[dice.below(PIECES.len())].repeat(times));
    }
    written
}

fn whatever_a_page_says_of_itself_silences_no_panel() {
    let (world, mut extension) = begin("", 1);
    let id = extension.conversations[0].clone();
    let mut dice = Dice(20_261_122);
    let mut accepted = Vec::new();
    for round in 0..ROUNDS {
        let [address, title, selection] = [(); 3].map(|()| piece(&mut dice));
        let tab = format!(
            r#"{{"chromeTabId":1,"windowId":1,"url":"https://0.example/#{address}","title":"{title}","active":true}}"#
        );
        extension.tell_written("tabs.changed", &format!(r#"{{"full":true,"tabs":[{tab}],"removed":[]}}"#)).unwrap();
        let page = format!(r#"{{"url":"https://0.example/#{address}","title":"{title}","selection":"{selection}"}}"#);
        let text = if dice.below(4) == 0 { piece(&mut dice) } else { String::new() };
        let message = format!(
            r#"{{"conversationId":"{id}","clientId":"m{round}","text":"please [[say 1]] {text}","page":{page}}}"#
        );
        match extension.ask_written("chat.send", &message).expect("the connection stays") {
            Ok(_) => accepted.push(format!("m{round}")),
            Err(fault) => assert_eq!(fault["code"], "too-large", "{fault}"),
        }
        // So that no message is refused because too many wait.
        extension.wait_for(0, "idle");
        let list = extension.ask("conversations.list", json!({})).expect("the connection stays");
        assert_eq!(list.unwrap()["conversations"].as_array().map(Vec::len), Some(1));
        if round % 10 == 9 {
            let subscribed = extension.ask("chat.subscribe", json!({ "conversationId": id, "after": 0 })).unwrap();
            assert!(subscribed.is_ok(), "{subscribed:?}");
        }
    }
    assert!(accepted.len() > ROUNDS / 2, "only {} of {ROUNDS} were accepted", accepted.len());
    // A panel that is opened now reads all of it.
    let mut other = Extension::new("one", 1);
    other.connect(&world);
    let messages = other.panels[&id].messages();
    assert!(accepted.iter().all(|name| messages.get(name.as_str()) == Some(&1)), "{messages:?}");
    other.disconnect();
    let (well, said) = world.run(&["sessions"]);
    assert!(well && !said.contains(['\u{0}', '\u{1b}', '\u{202e}']), "{said:?}");
    finish(&world, extension);
}

fn thousands_of_conversations_are_listed_in_pages() {
    let count = usual_or_long(3000, 5000);
    let world = World::new("");
    for n in 0..count {
        let id = format!("{n:08}-0000-4000-8000-000000000000");
        let folder = world.home().join("sessions").join(&id);
        fs::create_dir_all(&folder).unwrap();
        let journal = format!(
            "{{\"gstackChat\":1,\"conversationId\":\"{id}\"}}\n{{\"seq\":1,\"at\":1,\"type\":\"message\",\"clientId\":\"{n}\",\"text\":\"t\",\"from\":\"panel\"}}\n"
        );
        fs::write(folder.join("chat.jsonl"), &journal).unwrap();
        // Several share a timestamp.
        let record = json!({ "format": 1, "conversationId": id, "title": "t".repeat(60), "folder": "/", "head": 1,
            "createdAt": 1, "updatedAt": n / 7, "journalBytes": journal.len(), "settled": true });
        fs::write(folder.join("session.json"), record.to_string()).unwrap();
    }
    let mut extension = begin_on(&world, 1);
    let mut seen = HashSet::new();
    let mut asked = json!({});
    let mut pages = 0;
    loop {
        let page = extension.ask("conversations.list", asked).unwrap().unwrap();
        pages += 1;
        let of_page = page["conversations"].as_array().unwrap();
        for info in of_page {
            assert!(seen.insert(info["conversationId"].as_str().unwrap().to_owned()), "{info} comes twice");
        }
        if page["older"] != Value::Bool(true) {
            break;
        }
        let last = of_page.last().unwrap();
        asked = json!({ "before": { "updatedAt": last["updatedAt"], "conversationId": last["conversationId"] } });
    }
    assert!(seen.len() == count && pages > 1, "{} in {pages} pages", seen.len());
    let (well, said) = world.run(&["sessions", "--json"]);
    let all: Value = serde_json::from_str(&said).unwrap_or_default();
    assert!(well && all["conversations"].as_array().is_some_and(|all| all.len() == count));
    finish(&world, extension);
}
