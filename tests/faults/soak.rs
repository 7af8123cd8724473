//! The soak test: many conversations and turns, while memory, open files and threads stay constant.

use crate::cases::cases;
use crate::extension::Extension;
use crate::long::usual_or_long;
use crate::patience::Patience;
use crate::world::{LIMIT, Weight, World, weight};
use serde_json::json;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

pub const ALL: &[(&str, fn())] = cases![many_conversations_and_turns_leave_memory_and_files_flat];

const CONVERSATIONS: usize = 200;
/// The number of turns, and in a long run.
const TURNS: (usize, usize) = (400, 2_000);
/// Conversations per browser.
const TABS: usize = 10;
/// Browsers that are open side by side.
const AT_ONCE: usize = 4;
const DISK_KB: u32 = 512 * 1024;

/// `GSTACK_SOAK`: conversations and turns, `200,400` by default, and `200,2000` in a long run.
fn size() -> (usize, usize) {
    let Ok(size) = std::env::var("GSTACK_SOAK") else {
        return (CONVERSATIONS, usual_or_long(TURNS.0, TURNS.1));
    };
    let (conversations, turns) = size.split_once(',').expect("GSTACK_SOAK=CONVERSATIONS,TURNS");
    (conversations.parse().unwrap(), turns.parse().unwrap())
}

fn many_conversations_and_turns_leave_memory_and_files_flat() {
    let (conversations, turns) = size();
    let settings = format!("at-once = {}\nsleep-minutes = 5\n", AT_ONCE * TABS);
    // A RAM disk, so that the daemon is measured and not the time of 50,000 syncs on a real disk.
    let world = World::on_disk(&settings, DISK_KB).unwrap_or_else(|| World::new(&settings));
    let began = Instant::now();
    let (next, weights) = (AtomicUsize::new(0), Mutex::new(Vec::<Weight>::new()));
    let rounds = turns.div_ceil(conversations);
    std::thread::scope(|threads| {
        for _ in 0..AT_ONCE {
            threads.spawn(|| {
                loop {
                    let browser = next.fetch_add(1, Ordering::Relaxed);
                    if browser * TABS >= conversations {
                        return;
                    }
                    visit(&world, browser, rounds);
                    let now = weight(world.daemon().unwrap());
                    let seconds = began.elapsed().as_secs_f64();
                    println!(
                        "{} conversations, {} turns, {seconds:.0} s: {now:?}",
                        (browser + 1) * TABS,
                        (browser + 1) * TABS * rounds
                    );
                    weights.lock().unwrap().push(now);
                }
            });
        }
    });
    let weights = weights.into_inner().unwrap();
    // The first ones fill caches and pools.
    let (early, last) = (weights[weights.len() / 4], *weights.last().unwrap());
    assert!(last.memory < early.memory + early.memory / 4 + 8 * 1024, "memory grows: {weights:?}");
    assert!(last.files < early.files + 40, "open files grow: {weights:?}");
    assert!(last.threads < early.threads + 40, "threads grow: {weights:?}");
    world.end();
}

/// One browser connects, runs turns in each of its tabs, and disconnects.
fn visit(world: &World, browser: usize, rounds: usize) {
    let mut extension = Extension::new(&format!("browser-{browser}"), TABS);
    extension.connect(world);
    let ids = extension.conversations.clone();
    for round in 0..rounds {
        for (n, id) in ids.iter().enumerate() {
            let client_id = format!("{browser}-{n}-{round}");
            let params = json!({ "conversationId": id, "clientId": client_id, "text": "please [[say 5]]" });
            extension.ask("chat.send", params).unwrap().unwrap();
        }
        let patience = Patience::of(LIMIT);
        while ids.iter().any(|id| extension.panels[id].turns_done() <= round) {
            assert!(patience.left().is_some(), "a turn does not end");
            extension.read(Duration::from_millis(50)).unwrap();
        }
    }
    extension.disconnect();
}
