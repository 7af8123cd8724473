//! What a page or a person gives that does not fit into a frame, or into a string.

use crate::cases::{begin, begin_on, cases, end_of, finish};
use crate::world::World;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fs;

pub const ALL: &[(&str, fn())] = cases![
    a_long_address_silences_no_panel,
    half_of_a_surrogate_pair_is_sent_as_a_replacement_character,
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

fn thousands_of_conversations_are_listed_in_pages() {
    const COUNT: usize = 5000;
    let world = World::new("");
    for n in 0..COUNT {
        let id = format!("{n:08}-0000-4000-8000-000000000000");
        let folder = world.home().join("sessions").join(&id);
        fs::create_dir_all(&folder).unwrap();
        let journal = format!(
            "{{\"gstackChat\":1,\"conversationId\":\"{id}\"}}\n{{\"seq\":1,\"at\":1,\"type\":\"message\",\"clientId\":\"{n}\",\"text\":\"t\",\"from\":\"panel\"}}\n"
        );
        fs::write(folder.join("chat.jsonl"), &journal).unwrap();
        // Several share a time.
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
    assert!(seen.len() == COUNT && pages > 1, "{} in {pages} pages", seen.len());
    let (well, said) = world.run(&["sessions", "--json"]);
    let all: Value = serde_json::from_str(&said).unwrap_or_default();
    assert!(well && all["conversations"].as_array().is_some_and(|all| all.len() == COUNT));
    finish(&world, extension);
}
