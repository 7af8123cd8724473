//! A home that can't be written: full, or read-only. Told, with the next step, and nothing of before is lost.

use crate::cases::{begin_on, cases, end_of, finish, send};
use crate::world::World;
use serde_json::{Value, json};
use std::fs;

pub const ALL: &[(&str, fn())] =
    cases![a_full_home_is_told_everywhere_and_loses_nothing, a_read_only_home_is_told_everywhere_and_loses_nothing];

fn a_full_home_is_told_everywhere_and_loses_nothing() {
    unwritable(&["full", "No space left"], World::fill_disk, World::free_disk);
}

fn a_read_only_home_is_told_everywhere_and_loses_nothing() {
    unwritable(&["ead-only"], |world| world.set_read_only(true), |world| world.set_read_only(false));
}

/// Everything that writes, while nothing can be written, and again when it can.
fn unwritable(words: &[&str], spoil: fn(&World), mend: fn(&World)) {
    let Some(world) = World::on_disk("", 8192) else { return println!("a disk can't be mounted here: left out") };
    let mut extension = begin_on(&world, 1);
    send(&mut extension, 0, "a", "say 3");
    assert_eq!(end_of(&mut extension, 0)["outcome"], "done");
    let (well, said) = world.run(&["policy", "allow", "act", "--site", "before.example"]);
    assert!(well, "{said}");
    let files = ["config.toml", "policy.json"].map(|name| world.home().join(name));
    let before = files.clone().map(|file| fs::read(file).unwrap());

    spoil(&world);
    let id = extension.conversations[0].clone();
    let long = format!("please [[say 1]] {}", "x".repeat(20_000));
    let message = json!({ "conversationId": id, "clientId": "b", "text": long });
    let says = |said: &str| words.iter().any(|word| said.contains(word));
    let told = |fault: Value, what: &str| {
        let said = fault.to_string();
        assert_eq!(fault["code"], "storage", "{what}: {said}");
        assert!(says(&said) && fault["hint"].is_string(), "{what}: {said}");
    };
    told(extension.ask("chat.send", message.clone()).unwrap().unwrap_err(), "a message");
    let data = "eHh4".repeat(20_000);
    let mut attached = message.clone();
    attached["attachments"] = json!([{ "name": "a.txt", "mime": "text/plain", "data": data }]);
    told(extension.ask("chat.send", attached).unwrap().unwrap_err(), "a file");
    let rename = json!({ "conversationId": id, "title": "y".repeat(150) });
    told(extension.ask("conversations.rename", rename.clone()).unwrap().unwrap_err(), "a name");
    let export = json!({ "conversationId": id, "format": "markdown" });
    if words == ["ead-only"] {
        told(extension.ask("conversations.export", export).unwrap().unwrap_err(), "an export");
    }
    for arguments in [
        vec!["settings", "set", "agents.sleep-minutes", "7"],
        vec!["policy", "allow", "act", "--site", "after.example"],
    ] {
        let (well, said) = world.run(&arguments);
        assert!(!well && says(&said), "{arguments:?}: {said}");
    }
    assert_eq!(files.clone().map(|file| fs::read(file).unwrap()), before, "no file is cut short");
    // What is there can be read.
    let history = extension.ask("chat.history", json!({ "conversationId": id, "before": 1000, "limit": 100 }));
    assert!(history.unwrap().unwrap()["events"].as_array().unwrap().len() > 3);
    assert!(world.run(&["sessions"]).1.contains("please"));
    // A daemon that starts now says why it can't, or works as far as it can.
    world.kill(world.daemon().unwrap());
    let (well, said) = world.run(&["sessions"]);
    assert!(well || says(&said), "{said}");

    mend(&world);
    extension.connect(&world);
    extension.ask("chat.send", message).unwrap().unwrap();
    assert_eq!(end_of(&mut extension, 0)["outcome"], "done");
    extension.ask("conversations.rename", rename).unwrap().unwrap();
    let (_, rules) = world.run(&["policy"]);
    assert!(rules.contains("before.example") && !rules.contains("after.example"), "{rules}");
    let messages = extension.panels[&id].messages().into_iter().map(|(id, count)| (id.to_owned(), count));
    let mut messages: Vec<_> = messages.collect();
    messages.sort();
    assert_eq!(messages, [("a".to_owned(), 1), ("b".to_owned(), 1)]);
    finish(&world, extension);
}
