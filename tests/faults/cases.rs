//! Individual faults: what an agent can do wrong, two daemons, an unwritable folder.

use crate::extension::Extension;
use crate::journal::Replay;
use crate::world::{World, wait, weight};
use serde_json::{Value, json};

/// Runs a case under its own name.
macro_rules! cases {
    ($($name:ident),* $(,)?) => { &[$((stringify!($name), $name)),*] };
}
pub(crate) use cases;

pub const ALL: &[(&str, fn())] = cases![
    an_agent_that_hangs_is_ended_and_named,
    whatever_an_agent_prints_ends_in_a_clear_entry,
    a_long_line_and_a_flood_cost_no_memory,
    agents_take_turns_where_one_may_run,
    an_idle_agent_sleeps_and_wakes_with_the_next_message,
    waiting_messages_go_on_after_a_restart_where_that_is_set,
    an_older_daemon_hands_over_when_its_turn_is_done,
    a_conversation_is_found_named_exported_deleted_and_brought_back,
    a_setting_is_changed_from_the_terminal_and_lived_by,
    a_full_disk_is_told_and_nothing_is_lost,
    a_conversation_follows_its_tab,
    a_panel_that_stops_reading_harms_no_other,
    a_large_journal_is_rewritten_by_itself_and_holds_the_same,
];

pub fn begin(settings: &str, tabs: usize) -> (World, Extension) {
    let world = World::new(settings);
    let extension = begin_on(&world, tabs);
    (world, extension)
}

pub fn begin_on(world: &World, tabs: usize) -> Extension {
    let mut extension = Extension::new("one", tabs);
    extension.connect(world);
    extension
}

pub fn send(extension: &mut Extension, n: usize, client_id: &str, order: &str) {
    let id = extension.conversations[n].clone();
    let params = json!({ "conversationId": id, "clientId": client_id, "text": format!("please [[{order}]]") });
    extension.ask("chat.send", params).unwrap().unwrap();
}

pub fn last(extension: &Extension, n: usize) -> Value {
    let panel = &extension.panels[&extension.conversations[n]];
    panel.events.last_key_value().map_or(Value::Null, |(_, event)| event.clone())
}

/// Waits for the end of the turn that a message began.
pub fn end_of(extension: &mut Extension, n: usize) -> Value {
    wait("the turn's end", || {
        extension.read(std::time::Duration::from_millis(20)).ok();
        last(extension, n)["type"] == "turn-done"
    });
    last(extension, n)
}

pub fn finish(world: &World, mut extension: Extension) {
    extension.disconnect();
    world.end();
}

fn an_agent_that_hangs_is_ended_and_named() {
    let (world, mut extension) = begin("[watchdog]\nsilence-minutes = 0.02\n", 1);
    for order in ["hang", "deaf"] {
        send(&mut extension, 0, order, order);
        let end = end_of(&mut extension, 0);
        assert_eq!((&end["outcome"], &end["fault"]["code"]), (&json!("failed"), &json!("timeout")), "{end}");
        assert!(end["fault"]["hint"].as_str().unwrap().contains("watchdog.silence-minutes"), "{end}");
    }
    // The next message is answered as usual.
    send(&mut extension, 0, "next", "say 2");
    assert_eq!(end_of(&mut extension, 0)["outcome"], "done");
    finish(&world, extension);
}

fn whatever_an_agent_prints_ends_in_a_clear_entry() {
    let (world, mut extension) = begin("", 1);
    for (order, outcome) in [("exit", "failed"), ("crash", "failed"), ("garbage 50", "done"), ("say 3", "done")] {
        send(&mut extension, 0, order, order);
        let end = end_of(&mut extension, 0);
        assert_eq!(end["outcome"], outcome, "{order}: {end}");
        if outcome == "failed" {
            assert!(end["fault"]["message"].is_string() && end["fault"]["hint"].is_string(), "{end}");
        }
    }
    finish(&world, extension);
}

fn a_long_line_and_a_flood_cost_no_memory() {
    let (world, mut extension) = begin("", 2);
    send(&mut extension, 0, "first", "say 1");
    end_of(&mut extension, 0);
    let daemon = world.daemon().unwrap();
    let before = weight(daemon).memory;
    send(&mut extension, 0, "long", "long 100");
    end_of(&mut extension, 0);
    send(&mut extension, 1, "flood", "flood");
    let id = extension.conversations[1].clone();
    wait("a good deal of the flood", || {
        extension.read(std::time::Duration::from_millis(20)).ok();
        extension.panels[&id].head() > 300
    });
    let during = weight(daemon).memory;
    assert!(during < before + 60 * 1024, "{before} kB before, {during} kB in a flood");
    extension.ask("chat.stop", json!({ "conversationId": id })).unwrap().unwrap();
    let end = end_of(&mut extension, 1);
    // A fast machine reaches the limit of a turn's output before the stop arrives.
    let flooded =
        end["outcome"] == "failed" && end["fault"]["message"].as_str().is_some_and(|words| words.contains("MB"));
    assert!(end["outcome"] == "stopped" || flooded, "{end}");
    finish(&world, extension);
}

fn agents_take_turns_where_one_may_run() {
    let (world, mut extension) = begin("at-once = 1\n", 3);
    send(&mut extension, 0, "a", "hang");
    extension.wait_for(0, "running");
    wait("the first agent", || world.agents().len() == 1);
    send(&mut extension, 1, "b", "say 2");
    extension.wait_for(1, "waiting-for-slot");
    send(&mut extension, 2, "c", "say 2");
    extension.wait_for(2, "waiting-for-slot");
    // A waiting one can be stopped.
    let id = extension.conversations[2].clone();
    extension.ask("chat.stop", json!({ "conversationId": id })).unwrap().unwrap();
    assert_eq!(end_of(&mut extension, 2)["outcome"], "stopped");
    let id = extension.conversations[0].clone();
    extension.ask("chat.stop", json!({ "conversationId": id })).unwrap().unwrap();
    // The first one's agent, which is idle now, makes room for the second's.
    assert_eq!(end_of(&mut extension, 1)["outcome"], "done");
    wait("only the second agent", || world.agents().len() == 1);
    finish(&world, extension);
}

fn an_idle_agent_sleeps_and_wakes_with_the_next_message() {
    let (world, mut extension) = begin("sleep-minutes = 0.01\n", 1);
    send(&mut extension, 0, "a", "say 2");
    end_of(&mut extension, 0);
    wait("the agent to sleep", || world.agents().is_empty());
    send(&mut extension, 0, "b", "hang");
    extension.wait_for(0, "running");
    wait("the agent to wake with its session", || world.processes().iter().any(|(_, line)| line.contains("--resume=")));
    finish(&world, extension);
}

fn waiting_messages_go_on_after_a_restart_where_that_is_set() {
    for goes_on in [false, true] {
        let (world, mut extension) = begin(&format!("[turns]\ncontinue-after-restart = {goes_on}\n"), 1);
        send(&mut extension, 0, "a", "hang");
        wait("the first one's turn", || {
            extension.read(std::time::Duration::from_millis(20)).ok();
            last(&extension, 0)["type"] == "text"
        });
        send(&mut extension, 0, "b", "say 2");
        world.kill(world.daemon().unwrap());
        extension.connect(&world);
        if goes_on {
            wait("the waiting message to run", || {
                extension.read(std::time::Duration::from_millis(20)).ok();
                last(&extension, 0)["type"] == "turn-done" && last(&extension, 0)["outcome"] == "done"
            });
        } else {
            let info = extension.ask("chat.open", json!({ "chromeTabId": 1 })).unwrap().unwrap();
            assert_eq!((&info["state"], &info["queued"]), (&json!("idle"), &json!(1)), "it waits for the go-ahead");
        }
        finish(&world, extension);
    }
}

fn an_older_daemon_hands_over_when_its_turn_is_done() {
    let (world, mut extension) = begin("", 2);
    send(&mut extension, 0, "a", "hang");
    wait("the first one's turn", || {
        extension.read(std::time::Duration::from_millis(20)).ok();
        last(&extension, 0)["type"] == "text"
    });
    send(&mut extension, 0, "b", "say 2");
    let older = world.daemon().unwrap();
    // Makes it look like an earlier release.
    let file = world.home().join("browse.json");
    let mut state: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    state["version"] = json!("0.0.1");
    std::fs::write(&file, state.to_string()).unwrap();
    let mut newer = Extension::new("two", 1);
    newer.connect(&world);
    let refused = |extension: &mut Extension| {
        let id = extension.conversations[0].clone();
        let params = json!({ "conversationId": id, "clientId": "new", "text": "please [[say 1]]" });
        matches!(extension.ask("chat.send", params), Ok(Err(fault)) if fault["code"] == "updating")
    };
    wait("new messages to be told of the update", || refused(&mut newer));
    assert_eq!(world.daemon(), Some(older), "the running turn is not cut off");
    let id = extension.conversations[0].clone();
    extension.ask("chat.stop", json!({ "conversationId": id })).unwrap().unwrap();
    wait("the older one to end", || world.daemon() != Some(older));
    extension.connect(&world);
    assert_ne!(world.daemon(), Some(older));
    let panel = &extension.panels[&id];
    assert!(panel.events.values().any(|event| event["type"] == "turn-done" && event["outcome"] == "stopped"));
    // The waiting message runs by itself.
    wait("the waiting message to run", || {
        extension.read(std::time::Duration::from_millis(20)).ok();
        let last = last(&extension, 0);
        last["type"] == "turn-done" && last["outcome"] == "done"
    });
    newer.disconnect();
    finish(&world, extension);
}

fn a_conversation_is_found_named_exported_deleted_and_brought_back() {
    let (world, mut extension) = begin("", 2);
    send(&mut extension, 0, "a", "say 30");
    end_of(&mut extension, 0);
    let id = extension.conversations[0].clone();
    let of = json!({ "conversationId": id });
    let found = extension.ask("conversations.list", json!({ "search": "WORD 17" })).unwrap().unwrap();
    assert_eq!(found["conversations"][0]["conversationId"], id.as_str());
    assert!(found["excerpts"][&id].as_str().unwrap().contains("word 17"), "{found}");
    let cost = found["conversations"][0]["costUsd"].as_f64().unwrap();
    assert!((cost - 0.01).abs() < 1e-9, "{cost}");
    let rename = json!({ "conversationId": id, "title": "Named" });
    assert_eq!(extension.ask("conversations.rename", rename).unwrap().unwrap()["title"], "Named");
    let export = json!({ "conversationId": id, "format": "markdown" });
    let file = extension.ask("conversations.export", export).unwrap().unwrap();
    assert_eq!(file["name"], "Named.md");
    let read = json!({ "conversationId": id, "id": file["id"], "offset": 0 });
    assert!(extension.ask("file.read", read).unwrap().unwrap()["total"].as_u64().unwrap() > 100);
    let (well, text) = world.run(&["sessions", "show", &id[..8]]);
    assert!(well && text.contains("# Named") && text.contains("word 29"), "{text}");
    // Deleted in the middle of a turn: the turn is stopped, and its agent ends.
    send(&mut extension, 0, "b", "hang");
    extension.wait_for(0, "running");
    extension.ask("conversations.delete", of.clone()).unwrap().unwrap();
    wait("its agent to end", || world.agents().is_empty());
    let list = extension.ask("conversations.list", json!({})).unwrap().unwrap();
    assert_eq!(list["conversations"], json!([]));
    let (well, text) = world.run(&["sessions", "restore", &id]);
    assert!(well && text.contains("Restored"), "{text}");
    let attach = json!({ "conversationId": id, "chromeTabId": 2 });
    let attached = extension.ask("conversations.attach", attach).unwrap().unwrap();
    assert_eq!((&attached["title"], attached["tabs"].as_array().unwrap().len()), (&json!("Named"), 1), "{attached}");
    let folder = json!({ "conversationId": id, "folder": world.home().to_str().unwrap() });
    let refused = extension.ask("conversations.folder", folder).unwrap().unwrap_err();
    assert_eq!(refused["code"], "path-refused");
    let note = json!({ "conversationId": id, "text": "look at this" });
    let left = extension.ask("inbox.leave", note).unwrap().unwrap();
    assert!(std::fs::read_to_string(left["path"].as_str().unwrap()).unwrap().contains("look at this"));
    finish(&world, extension);
}

fn a_setting_is_changed_from_the_terminal_and_lived_by() {
    let (world, mut extension) = begin("at-once = 1 # mine\n", 2);
    send(&mut extension, 0, "a", "hang");
    extension.wait_for(0, "running");
    wait("the first agent", || world.agents().len() == 1);
    send(&mut extension, 1, "b", "say 1");
    extension.wait_for(1, "waiting-for-slot");
    let (well, said) = world.run(&["settings", "set", "agents.at-once", "2"]);
    assert!(well && said.contains("agents.at-once = 2"), "{said}");
    assert_eq!(end_of(&mut extension, 1)["outcome"], "done");
    let file = std::fs::read_to_string(world.home().join("config.toml")).unwrap();
    assert!(file.contains("at-once = 2 # mine"), "{file}");
    assert!(!world.run(&["settings", "set", "agents.at-once", "0"]).0);
    assert!(!world.run(&["settings", "get", "nonsense"]).0);
    finish(&world, extension);
}

fn a_full_disk_is_told_and_nothing_is_lost() {
    let mut world = World::new("");
    if !world.mount_small_disk(2048) {
        return println!("a disk can't be mounted here: left out");
    }
    let mut extension = Extension::new("one", 1);
    extension.connect(&world);
    send(&mut extension, 0, "a", "say 3");
    end_of(&mut extension, 0);
    world.fill_disk();
    let id = extension.conversations[0].clone();
    let long = format!("please [[say 1]] {}", "x".repeat(8000));
    let params = |text: &str| json!({ "conversationId": id, "clientId": "b", "text": text });
    let fault = extension.ask("chat.send", params(&long)).unwrap().unwrap_err();
    assert_eq!(fault["code"], "storage");
    assert!(fault["hint"].as_str().unwrap().contains("Free some space"), "{fault}");
    world.free_disk();
    extension.ask("chat.send", params(&long)).unwrap().unwrap();
    assert_eq!(end_of(&mut extension, 0)["outcome"], "done");
    finish(&world, extension);
}

fn a_conversation_follows_its_tab() {
    let (world, mut extension) = begin("", 2);
    send(&mut extension, 0, "a", "say 1");
    end_of(&mut extension, 0);
    let talked = extension.conversations[0].clone();
    let tab = |id: u64, more: Value| {
        let mut tab =
            json!({ "chromeTabId": id, "windowId": 1, "url": "https://0.example/one", "title": "T", "active": true });
        tab.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        tab
    };
    let opened = |extension: &mut Extension, tabs: Vec<Value>, removed: Vec<u64>, id: u64| {
        extension.tell("tabs.changed", json!({ "tabs": tabs, "removed": removed })).unwrap();
        extension.ask("chat.open", json!({ "chromeTabId": id })).unwrap().unwrap()
    };
    // Moved to another window, navigated, discarded and restored: the conversation stays with its tab.
    for more in
        [json!({ "windowId": 7 }), json!({ "url": "https://else.example/" }), json!({ "discarded": true }), json!({})]
    {
        let info = opened(&mut extension, vec![tab(1, more)], vec![], 1);
        assert_eq!(info["conversationId"], talked.as_str());
    }
    // Closed and restored by Chrome under another id: the tab has its conversation again.
    opened(&mut extension, vec![], vec![1], 2);
    let back = opened(&mut extension, vec![tab(91, json!({ "restored": true }))], vec![], 91);
    assert_eq!(back["conversationId"], talked.as_str());
    // Closed for good, and the page opened again: the conversation is offered.
    opened(&mut extension, vec![], vec![91], 2);
    let fresh = opened(&mut extension, vec![tab(92, json!({}))], vec![], 92);
    assert_ne!(fresh["conversationId"], talked.as_str());
    assert_eq!(fresh["earlier"]["conversationId"], talked.as_str(), "{fresh}");
    finish(&world, extension);
}

fn a_panel_that_stops_reading_harms_no_other() {
    let (world, mut extension) = begin("", 1);
    let mut stuck: Vec<Extension> = (0..3).map(|n| Extension::new(&format!("stuck-{n}"), 30)).collect();
    for one in &mut stuck {
        // 30 panels each, whose frames are not read from here on: the pipe fills.
        one.connect(&world);
        one.stop_reading();
        for n in 0..4 {
            one.send_only(n, "flood");
        }
    }
    send(&mut extension, 0, "a", "say 50");
    assert_eq!(end_of(&mut extension, 0)["outcome"], "done");
    let (well, said) = world.run(&["stop-turn"]);
    assert!(well, "{said}");
    drop(stuck);
    finish(&world, extension);
}

/// Above 4 MiB, at the end of a turn.
fn a_large_journal_is_rewritten_by_itself_and_holds_the_same() {
    let (world, mut extension) = begin("", 1);
    let path = world.home().join("sessions").join(&extension.conversations[0]).join("chat.jsonl");
    let length = || std::fs::metadata(&path).unwrap().len();
    // The pieces of the streamed answer are in the journal, each on its own line.
    let pieces = || std::fs::read_to_string(&path).unwrap().matches("{\"delta\":").count();
    send(&mut extension, 0, "small", "tell 100");
    assert_eq!(end_of(&mut extension, 0)["outcome"], "done");
    extension.wait_for(0, "idle");
    assert!(length() < 1024 * 1024 && pieces() > 1, "a small one stays as it was written");
    send(&mut extension, 0, "large", "tell 2500");
    assert_eq!(end_of(&mut extension, 0)["outcome"], "done");
    wait("the journal to be rewritten", || pieces() == 0);
    let held = Replay::of_file(&path);
    held.check_settled();
    assert_eq!(held.turns_done(), 2);
    let shown = &extension.panels[&extension.conversations[0]].events;
    assert_eq!(&held.events, shown, "nothing that the panel shows is lost");
    // The next turn follows it, and so does one under the next daemon.
    for name in ["third", "fourth"] {
        send(&mut extension, 0, name, "say 2");
        assert_eq!(end_of(&mut extension, 0)["outcome"], "done");
        extension.wait_for(0, "idle");
        world.kill(world.daemon().unwrap());
        extension.connect(&world);
    }
    let after = Replay::of_file(&path);
    after.check_settled();
    assert_eq!(after.turns_done(), 4);
    assert!(held.events.iter().all(|(seq, event)| after.events.get(seq) == Some(event)));
    finish(&world, extension);
}
