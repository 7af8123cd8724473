//! The long one: many conversations, many turns, and that memory and open files stay flat.

use crate::extension::Extension;
use crate::world::{World, wait, weight};
use serde_json::json;
use std::time::{Duration, Instant};

/// Conversations of one browser.
const TABS: usize = 10;

/// `size`: conversations and turns, `200,10000`.
pub fn run(size: &str) {
    let (conversations, turns) = size.split_once(',').expect("GSTACK_SOAK=CONVERSATIONS,TURNS");
    let (conversations, turns): (usize, usize) = (conversations.parse().unwrap(), turns.parse().unwrap());
    let world = World::new("at-once = 4\nsleep-minutes = 1\n");
    let browsers = conversations.div_ceil(TABS);
    let began = Instant::now();
    let mut weights = Vec::new();
    let per_visit = turns.div_ceil(conversations);
    let mut done = 0;
    for browser in 0..browsers {
        let mut extension = Extension::new(&format!("browser-{browser}"), TABS.min(conversations));
        extension.connect(&world);
        let tabs = extension.conversations.len();
        for round in 0..per_visit {
            for n in 0..tabs {
                let id = extension.conversations[n].clone();
                let params = json!({ "conversationId": id, "clientId": format!("{browser}-{n}-{round}"), "text": "please [[say 20]]" });
                extension.ask("chat.send", params).unwrap().unwrap();
            }
            for n in 0..tabs {
                let id = extension.conversations[n].clone();
                let ended = |extension: &Extension| {
                    extension.panels[&id].events.values().filter(|event| event["type"] == "turn-done").count() > round
                };
                wait("a turn's end", || {
                    extension.read(Duration::from_millis(5)).ok();
                    ended(&extension)
                });
                done += 1;
            }
        }
        extension.disconnect();
        let (files, memory) = weight(world.daemon().unwrap());
        println!(
            "{done} turns, {} conversations, {:.0} s: {memory} kB, {files} files",
            (browser + 1) * TABS,
            began.elapsed().as_secs_f64()
        );
        weights.push((files, memory));
    }
    let middle = weights[weights.len() / 2];
    let last = *weights.last().unwrap();
    assert!(last.1 < middle.1 + middle.1 / 4 + 4096, "memory grows: {weights:?}");
    assert!(last.0 < middle.0 + 40, "open files grow: {weights:?}");
    world.end();
    println!("test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out");
}
