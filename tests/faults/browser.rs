//! Faults with a real browser: it, its keeper, its hosts and the daemon are killed while terminals send messages.
//!
//! Skipped with a message if no browser is found.

use crate::cases::cases;
use crate::journal::Replay;
use crate::schedule::Dice;
use crate::world::{World, gstack, wait};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Child;

pub const ALL: &[(&str, fn())] = cases![
    a_killed_keeper_ends_its_browser_and_connect_opens_another,
    a_daemon_that_hangs_is_named_with_what_ends_it,
    a_terminal_whose_tab_is_closed_hears_that_its_message_waits,
];

/// Returns the browser that `tests/run.sh` names, or one in a usual place.
fn browser() -> Option<PathBuf> {
    let named = std::env::var_os("GSTACK_BROWSER_PATH").map(PathBuf::from);
    let usual = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].map(PathBuf::from);
    named.into_iter().chain(usual).find(|path| path.exists())
}

/// Opens a browser with gstack and returns its pid; `None` without a browser.
pub fn connect(world: &World, program: &Path) -> Option<u32> {
    let Some(browser) = browser() else {
        println!("no browser is here: its part is left out");
        return None;
    };
    let mut command = world.command_of(program, &["connect", "--headless", "about:blank"]);
    command.env("GSTACK_BROWSER_PATH", browser).env("TMPDIR", world.folder.path());
    let quiet =
        "--disable-background-networking --disable-component-update --disable-sync --no-first-run --disable-quic";
    command.env("GSTACK_BROWSER_ARGS", quiet);
    let (well, said) = World::ended(command);
    assert!(well, "{said}\n{}", world.log());
    Some(pid(world).unwrap())
}

fn pid(world: &World) -> Option<u32> {
    let (_, said) = world.run(&["status", "--json"]);
    let status: serde_json::Value = serde_json::from_str(&said).ok()?;
    u32::try_from(status["browserPid"].as_u64()?).ok()
}

fn keeper(world: &World) -> Option<u32> {
    world.with("browser-keeper").first().copied()
}

fn a_killed_keeper_ends_its_browser_and_connect_opens_another() {
    let world = World::new("");
    let Some(first) = connect(&world, &gstack()) else { return };
    let (well, said) = world.run(&["chat", "please [[say 2]]"]);
    assert!(well && said.contains("word 1"), "{said}");
    world.kill(keeper(&world).unwrap());
    wait("the browser to end with its pipe", || !world.processes().iter().any(|(pid, _)| *pid == first));
    let mut command = world.command(&["text"]);
    command.env("GSTACK_NO_AUTOSTART", "1");
    let (well, said) = World::ended(command);
    assert!(!well && said.contains("no browser is open") && said.contains("gstack connect"), "{said}");
    let (_, said) = world.run(&["doctor"]);
    assert!(said.contains("✗ browser") || said.contains("browser"), "{said}");
    let again = connect(&world, &gstack()).unwrap();
    assert_ne!(again, first);
    assert!(world.run(&["sessions"]).1.contains("please [[say 2]]"), "the conversation is there");
    let (well, said) = world.run(&["chat", "please [[say 3]]"]);
    assert!(well && said.contains("word 2"), "{said}");
    world.run(&["disconnect"]);
    world.end();
}

/// It holds its lock, its sockets and the keeper's only slot, and answers nothing.
fn a_daemon_that_hangs_is_named_with_what_ends_it() {
    let world = World::new("");
    let Some(first) = connect(&world, &gstack()) else { return };
    let daemon = world.daemon().unwrap();
    world.suspend(daemon);
    let (well, said) = world.run(&["doctor"]);
    assert!(!well && said.contains("does not answer") && said.contains(&format!("kill -9 {daemon}")), "{said}");
    let (well, said) = world.run(&["status"]);
    assert!(!well && said.contains("does not answer"), "{said}");
    world.kill(daemon);
    // The keeper's slot is free, and the browser is the same.
    let (well, said) = world.run(&["tabs"]);
    assert!(well, "{said}");
    assert_eq!(pid(&world), Some(first));
    world.run(&["disconnect"]);
    world.end();
}

fn a_terminal_whose_tab_is_closed_hears_that_its_message_waits() {
    let world = World::new("");
    if connect(&world, &gstack()).is_none() {
        return;
    }
    assert!(world.run(&["newtab", "about:blank"]).0);
    let mut first = world.command(&["chat", "please [[hang]]"]).spawn().unwrap();
    let listed = |what: &str| world.run(&["sessions", "--json"]).1.replace([' ', '\n'], "").contains(what);
    wait("the turn to run", || listed("\"state\":\"running\""));
    let mut second = world.command(&["chat", "please [[say 1]]"]).spawn().unwrap();
    wait("the message to wait", || listed("\"queued\":1"));
    assert!(world.run(&["closetab"]).0);
    for chat in [&mut first, &mut second] {
        wait("a terminal to end", || chat.try_wait().unwrap().is_some());
    }
    let said = second.wait_with_output().unwrap();
    let words = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(
        !said.status.success() && words.contains("the message is still waiting") && words.contains("sessions open"),
        "{words}"
    );
    first.wait().unwrap();
    world.run(&["disconnect"]);
    world.end();
}

const DEEDS: usize = 8;

/// Runs one random order of kills while terminals send messages, named by its seed.
pub fn schedule(seed: u64) {
    let mut dice = Dice(seed);
    let world = World::new("");
    if connect(&world, &gstack()).is_none() {
        return;
    }
    let mut deeds = Vec::new();
    let mut chats: Vec<Child> = Vec::new();
    for n in 0..DEEDS {
        let deed = dice.below(6);
        let name = ["send", "kill browser", "kill keeper", "kill daemon", "kill a host", "kill an agent"][deed];
        deeds.push(name);
        let victim = match deed {
            1 => pid(&world),
            2 => keeper(&world),
            3 => world.daemon(),
            4 => world.with("chrome-extension://hmj").first().copied(),
            5 => world.agents().first().copied(),
            _ => None,
        };
        match victim {
            Some(pid) => world.kill(pid),
            None => chats.push(world.command(&["chat", &format!("message {n} [[say 20]]")]).spawn().unwrap()),
        }
        if matches!(deed, 1 | 2) {
            connect(&world, &gstack());
        }
    }
    // Each terminal ends by itself, with an answer or an error.
    let mut answered = Vec::new();
    for mut chat in chats {
        wait("a terminal to end", || chat.try_wait().unwrap().is_some());
        let output = chat.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() || !said.trim().is_empty(), "{deeds:?}: it ended without a word");
        answered.push(output.status.success());
    }
    connect(&world, &gstack()).unwrap();
    let (well, said) = world.run(&["chat", "the last one [[say 3]]"]);
    assert!(well && said.contains("word 2"), "{deeds:?}: {said}");
    world.run(&["disconnect"]);
    world.end();
    // The next daemon closes what a killed one left open; then everything in the journal is in order.
    assert!(world.run(&["sessions"]).0);
    let mut ended = 0;
    for entry in fs::read_dir(world.home().join("sessions")).unwrap().flatten() {
        let written = Replay::of_file(&entry.path().join("chat.jsonl"));
        written.check_settled();
        assert!(written.messages().values().all(|count| *count == 1), "{deeds:?}");
        ended += written.turns_done();
    }
    let well = answered.iter().filter(|well| **well).count() + 1;
    assert!(ended >= well, "{deeds:?}: {well} terminals were answered, {ended} turns are written");
    world.end();
}
