//! A home that cannot be written: full, or read-only. The fault is reported with the next step, and nothing earlier is
//! lost.

use crate::cases::{begin_on, cases, end_of, finish, last, send};
use crate::extension::Extension;
use crate::world::{World, wait};
use serde_json::{Value, json};
use std::fs;

pub const ALL: &[(&str, fn())] = cases![
    a_full_home_is_told_everywhere_and_loses_nothing,
    a_read_only_home_is_told_everywhere_and_loses_nothing,
    a_full_disk_ends_no_daemon_and_the_running_turn_has_its_end,
    a_daemon_starts_on_a_full_disk,
    a_message_is_refused_or_runs_and_never_both,
    a_session_on_a_full_disk_is_refused_and_the_others_go_on,
];

fn a_full_disk_ends_no_daemon_and_the_running_turn_has_its_end() {
    let Some(world) = World::on_disk("", 8192) else { return println!("a disk can't be mounted here: left out") };
    let mut extension = begin_on(&world, 1);
    let daemon = world.daemon();
    send(&mut extension, 0, "a", "slow 300");
    wait("its first words", || {
        extension.read(std::time::Duration::from_millis(20)).ok();
        last(&extension, 0)["type"] == "text"
    });
    world.fill_disk();
    end_of(&mut extension, 0);
    assert_eq!(world.daemon(), daemon, "the daemon goes on");
    extension.panels[&extension.conversations[0]].check_settled();
    // The space reserved for that end is used up, and nothing else is written into the rest.
    let id = extension.conversations[0].clone();
    let long = format!("please [[say 1]] {}", "x".repeat(8000));
    let message = json!({ "conversationId": id, "clientId": "b", "text": long });
    let fault = extension.ask("chat.send", message.clone()).unwrap().unwrap_err();
    assert!(fault["code"] == "storage" && fault["hint"].as_str().unwrap().contains("Free some space"), "{fault}");
    world.free_disk();
    extension.ask("chat.send", message).unwrap().unwrap();
    assert_eq!(end_of(&mut extension, 0)["outcome"], "done");
    assert_eq!(fs::read_dir(world.home().join("reserve")).unwrap().count(), 8, "it is kept again");
    assert_eq!(world.daemon(), daemon);
    finish(&world, extension);
}

fn a_daemon_starts_on_a_full_disk() {
    let Some(world) = World::on_disk("", 8192) else { return println!("a disk can't be mounted here: left out") };
    for fill in [World::fill_disk, World::fill_with_files] {
        let mut extension = begin_on(&world, 1);
        send(&mut extension, 0, "a", "say 3");
        end_of(&mut extension, 0);
        extension.disconnect();
        fill(&world);
        world.kill(world.daemon().unwrap());
        // Its sockets replace the old ones, and each needs a file.
        let (well, said) = world.run(&["sessions"]);
        assert!(well && said.contains("please"), "{said}");
        assert!(world.daemon().is_some());
        world.free_disk();
        if world.home().join(".files").exists() {
            world.remove_files();
        }
        world.end();
    }
}

fn a_session_on_a_full_disk_is_refused_and_the_others_go_on() {
    let Some(world) = World::on_disk("", 8192) else { return println!("a disk can't be mounted here: left out") };
    assert!(world.run(&["sessions"]).0);
    let daemon = world.daemon();
    world.fill_with_files();
    let (well, said) = world.run(&["--session", "shop", "sessions"]);
    assert!(!well && said.contains("Free some space"), "{said}");
    let (well, said) = world.run(&["instances"]);
    assert!(well && said.contains("default") && said.contains("running") && !said.contains("shop"), "{said}");
    assert_eq!(world.daemon(), daemon);
    world.remove_files();
    assert!(world.run(&["--session", "shop", "sessions"]).0);
    let (well, said) = world.run(&["instances", "stop", "--all"]);
    assert!(well && said.contains("Stopped: default, shop"), "{said}");
    world.end();
}

fn a_message_is_refused_or_runs_and_never_both() {
    let Some(world) = World::on_disk("", 8192) else { return println!("a disk can't be mounted here: left out") };
    let mut extension = begin_on(&world, 2);
    send(&mut extension, 0, "a", "say 1");
    end_of(&mut extension, 0);
    world.fill_with_files();
    // Its journal takes a line, and only its record cannot be written, so it runs.
    send(&mut extension, 0, "b", "say 1");
    wait("its turn's end", || {
        extension.read(std::time::Duration::from_millis(20)).ok();
        extension.panels[&extension.conversations[0]].turns_done() == 2
    });
    // The other conversation cannot have a journal: its message is refused, and does not run when there is space again.
    let id = extension.conversations[1].clone();
    let message = json!({ "conversationId": id, "clientId": "c", "text": "please [[say 1]]" });
    let fault = extension.ask("chat.send", message).unwrap().unwrap_err();
    assert_eq!(fault["code"], "storage", "{fault}");
    world.remove_files();
    send(&mut extension, 1, "d", "say 1");
    assert_eq!(end_of(&mut extension, 1)["outcome"], "done");
    let of = |n: usize| extension.panels[&extension.conversations[n]].messages().len();
    assert_eq!((of(0), of(1)), (2, 1));
    assert_eq!(extension.panels[&extension.conversations[1]].turns_done(), 1);
    finish(&world, extension);
}

fn a_full_home_is_told_everywhere_and_loses_nothing() {
    unwritable(&["full", "No space left"], World::fill_disk, World::free_disk);
}

fn a_read_only_home_is_told_everywhere_and_loses_nothing() {
    unwritable(&["ead-only"], |world| world.set_read_only(true), |world| world.set_read_only(false));
}

/// Everything that writes, first while nothing can be written, then when it can again.
fn unwritable(words: &[&str], spoil: fn(&World), fix: fn(&World)) {
    let Some(world) = World::on_disk("", 8192) else { return println!("a disk can't be mounted here: left out") };
    let mut extension = begin_on(&world, 2);
    send(&mut extension, 0, "a", "say 3");
    assert_eq!(end_of(&mut extension, 0)["outcome"], "done");
    let (well, said) = world.run(&["policy", "allow", "act", "--site", "before.example"]);
    assert!(well, "{said}");
    let files = ["config.toml", "policy.json"].map(|name| world.home().join(name));
    let before = files.clone().map(|file| fs::read(file).unwrap());

    spoil(&world);
    let id = extension.conversations[0].clone();
    let long = format!("please [[say 1]] {}", "x".repeat(20_000));
    // A conversation without a journal: an already open journal accepts lines even on a read-only disk.
    let message = |extension: &Extension| {
        let id = extension.conversations[1].clone();
        json!({ "conversationId": id, "clientId": "b", "text": long })
    };
    let says = |said: &str| words.iter().any(|word| said.contains(word));
    let told = |fault: Value, what: &str| {
        let said = fault.to_string();
        assert_eq!(fault["code"], "storage", "{what}: {said}");
        assert!(says(&said) && fault["hint"].is_string(), "{what}: {said}");
    };
    let refused = message(&extension);
    told(extension.ask("chat.send", refused.clone()).unwrap().unwrap_err(), "a message");
    let data = "eHh4".repeat(20_000);
    let mut attached = refused;
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
    // Existing data can be read.
    let history = extension.ask("chat.history", json!({ "conversationId": id, "before": 1000, "limit": 100 }));
    assert!(history.unwrap().unwrap()["events"].as_array().unwrap().len() > 3);
    assert!(world.run(&["sessions"]).1.contains("please"));
    // A daemon that starts now reports why it cannot, or works as far as possible.
    world.kill(world.daemon().unwrap());
    let (well, said) = world.run(&["sessions"]);
    assert!(well || says(&said), "{said}");

    fix(&world);
    extension.connect(&world);
    let message = message(&extension);
    extension.ask("chat.send", message).unwrap().unwrap();
    assert_eq!(end_of(&mut extension, 1)["outcome"], "done");
    extension.ask("conversations.rename", rename).unwrap().unwrap();
    let (_, rules) = world.run(&["policy"]);
    assert!(rules.contains("before.example") && !rules.contains("after.example"), "{rules}");
    for (n, client_id) in ["a", "b"].into_iter().enumerate() {
        let messages = extension.panels[&extension.conversations[n]].messages();
        assert_eq!((messages.len(), messages.get(client_id)), (1, Some(&1)), "{messages:?}");
    }
    finish(&world, extension);
}
