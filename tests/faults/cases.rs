//! Single faults with a story: what an agent can do wrong, two daemons, a folder that can't be written.

use crate::extension::Extension;
use crate::world::{World, wait, weight};
use serde_json::{Value, json};

pub const ALL: &[(&str, fn())] = &[
    ("an_agent_that_hangs_is_ended_and_named", an_agent_that_hangs_is_ended_and_named),
    ("whatever_an_agent_prints_ends_in_a_clear_entry", whatever_an_agent_prints_ends_in_a_clear_entry),
    ("a_long_line_and_a_flood_cost_no_memory", a_long_line_and_a_flood_cost_no_memory),
    ("agents_take_turns_where_one_may_run", agents_take_turns_where_one_may_run),
    ("an_idle_agent_sleeps_and_wakes_with_the_next_message", an_idle_agent_sleeps_and_wakes_with_the_next_message),
    (
        "waiting_messages_go_on_after_a_restart_where_that_is_set",
        waiting_messages_go_on_after_a_restart_where_that_is_set,
    ),
];

fn begin(settings: &str, tabs: usize) -> (World, Extension) {
    let world = World::new(settings);
    let mut extension = Extension::new("one", tabs);
    extension.connect(&world);
    (world, extension)
}

fn send(extension: &mut Extension, n: usize, client_id: &str, order: &str) {
    let id = extension.conversations[n].clone();
    let params = json!({ "conversationId": id, "clientId": client_id, "text": format!("please [[{order}]]") });
    extension.ask("chat.send", params).unwrap().unwrap();
}

fn last(extension: &Extension, n: usize) -> Value {
    let panel = &extension.panels[&extension.conversations[n]];
    panel.events.last_key_value().map_or(Value::Null, |(_, event)| event.clone())
}

/// Waits for the end of the turn that a message began.
fn end_of(extension: &mut Extension, n: usize) -> Value {
    wait("the turn's end", || {
        extension.read(std::time::Duration::from_millis(20)).ok();
        last(extension, n)["type"] == "turn-done"
    });
    last(extension, n)
}

fn finish(world: &World, mut extension: Extension) {
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
    // The next message is answered as if nothing had happened.
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
    let (_, before) = weight(daemon);
    send(&mut extension, 0, "long", "long 100");
    end_of(&mut extension, 0);
    send(&mut extension, 1, "flood", "flood");
    let id = extension.conversations[1].clone();
    wait("a good deal of the flood", || {
        extension.read(std::time::Duration::from_millis(20)).ok();
        extension.panels[&id].head() > 300
    });
    let (_, during) = weight(daemon);
    assert!(during < before + 60 * 1024, "{before} kB before, {during} kB in a flood");
    extension.ask("chat.stop", json!({ "conversationId": id })).unwrap().unwrap();
    assert_eq!(end_of(&mut extension, 1)["outcome"], "stopped");
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
    // One that waits can be stopped.
    let id = extension.conversations[2].clone();
    extension.ask("chat.stop", json!({ "conversationId": id })).unwrap().unwrap();
    assert_eq!(end_of(&mut extension, 2)["outcome"], "stopped");
    let id = extension.conversations[0].clone();
    extension.ask("chat.stop", json!({ "conversationId": id })).unwrap().unwrap();
    // The first one's agent, idle now, makes room for the second's.
    assert_eq!(end_of(&mut extension, 1)["outcome"], "done");
    assert_eq!(world.agents().len(), 1);
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
