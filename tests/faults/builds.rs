//! Two releases of gstack meet: a newer terminal or extension an older daemon, and the reverse, while a turn runs.
//!
//! The other release is this one's program with another number in it, so that both are real.

use crate::browser::connect;
use crate::cases::{cases, end_of, last, send};
use crate::extension::Extension;
use crate::world::{World, gstack, wait};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Child;
use std::time::Duration;

pub const ALL: &[(&str, fn())] = cases![
    a_newer_terminal_takes_over_from_an_older_daemon_when_its_turn_is_done,
    a_newer_extension_takes_over_from_an_older_daemon_when_its_turn_is_done,
    an_older_terminal_and_extension_go_on_with_a_newer_daemon,
];

const OWN: &str = env!("CARGO_PKG_VERSION");

/// The program as a release of another number, of as many digits.
fn release(world: &World, version: &str) -> PathBuf {
    assert_eq!(version.len(), OWN.len());
    let mut bytes = fs::read(gstack()).unwrap();
    let finder: Vec<usize> =
        bytes.windows(OWN.len()).enumerate().filter(|(_, w)| *w == OWN.as_bytes()).map(|(at, _)| at).collect();
    assert!(!finder.is_empty(), "the program says its version");
    for at in finder {
        bytes[at..at + OWN.len()].copy_from_slice(version.as_bytes());
    }
    let folder = world.folder.path().join(version);
    fs::create_dir(&folder).unwrap();
    let program = folder.join("gstack");
    fs::write(&program, bytes).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).unwrap();
    program
}

fn newer() -> String {
    let (major, rest) = OWN.split_once('.').unwrap();
    format!("{}.{rest}", major.parse::<u32>().unwrap() + 1)
}

fn status(world: &World) -> Value {
    let (well, said) = world.run(&["status", "--json"]);
    assert!(well, "{said}");
    serde_json::from_str(&said).unwrap()
}

/// A turn of an older daemon's that goes on until the test lets the agent end it.
struct Running {
    world: World,
    extension: Extension,
    daemon: u32,
    /// The browser, where this machine has one.
    browser: Option<u32>,
}

fn running(program: Option<&PathBuf>) -> Running {
    let world = World::new("");
    let program = program.cloned().unwrap_or_else(gstack);
    let browser = connect(&world, &program);
    let mut extension = Extension::of(program, "one", 1);
    extension.connect(&world);
    send(&mut extension, 0, "a", "hang");
    wait("the turn to run", || {
        extension.read(Duration::from_millis(20)).ok();
        last(&extension, 0)["type"] == "text"
    });
    send(&mut extension, 0, "b", "say 2");
    let daemon = world.daemon().unwrap();
    Running { world, extension, daemon, browser }
}

impl Running {
    /// What must hold once the newer daemon has taken over.
    fn taken_over(mut self, version: &str) {
        wait("the older daemon to end", || self.world.daemon().is_some_and(|pid| pid != self.daemon));
        assert_eq!(status(&self.world)["version"], version);
        self.extension.connect(&self.world);
        wait("the message that waited to run", || {
            self.extension.read(Duration::from_millis(20)).ok();
            last(&self.extension, 0)["outcome"] == "done"
        });
        let id = self.extension.conversations[0].clone();
        let messages = self.extension.panels[&id].messages();
        assert_eq!((messages["a"], messages["b"]), (1, 1), "each is there, once");
        self.extension.panels[&id].check_settled();
        if let Some(browser) = self.browser {
            assert_eq!(status(&self.world)["browserPid"], browser, "it is the same browser");
        }
        self.end();
    }

    /// The first turn is over: with its interrupt the agent ends it.
    fn stop(&mut self) {
        let id = self.extension.conversations[0].clone();
        self.extension.ask("chat.stop", json!({ "conversationId": id })).unwrap().unwrap();
    }

    fn end(mut self) {
        self.extension.disconnect();
        self.world.run(&["disconnect"]);
        self.world.end();
    }
}

fn a_newer_terminal_takes_over_from_an_older_daemon_when_its_turn_is_done() {
    let mut running = running(None);
    let version = newer();
    let program = release(&running.world, &version);
    let mut chat = running.world.command_of(&program, &["chat", "please [[say 2]]"]);
    let mut chat: Child = chat.spawn().unwrap();
    wait("new messages to wait for the update", || {
        let id = running.extension.conversations[0].clone();
        let params = json!({ "conversationId": id, "clientId": "c", "text": "please [[say 1]]" });
        matches!(running.extension.ask("chat.send", params), Ok(Err(fault)) if fault["code"] == "updating")
    });
    assert_eq!(running.world.daemon(), Some(running.daemon), "the running turn is not cut off");
    running.stop();
    let said = {
        wait("the terminal's own turn", || chat.try_wait().unwrap().is_some());
        chat.wait_with_output().unwrap()
    };
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    assert!(String::from_utf8_lossy(&said.stderr).contains("turns finish first"));
    running.taken_over(&version);
}

fn a_newer_extension_takes_over_from_an_older_daemon_when_its_turn_is_done() {
    let mut running = running(None);
    let version = newer();
    let program = release(&running.world, &version);
    let mut newcomer = Extension::of(program.clone(), "two", 1);
    newcomer.connect(&running.world);
    let refused = |extension: &mut Extension| {
        let id = extension.conversations[0].clone();
        let params = json!({ "conversationId": id, "clientId": "new", "text": "please [[say 1]]" });
        matches!(extension.ask("chat.send", params), Ok(Err(fault)) if fault["code"] == "updating")
    };
    wait("new messages to be told of the update", || refused(&mut newcomer));
    assert_eq!(running.world.daemon(), Some(running.daemon), "the running turn is not cut off");
    running.stop();
    wait("the older daemon to end", || running.world.daemon() != Some(running.daemon));
    newcomer.connect(&running.world);
    send(&mut newcomer, 0, "new", "say 1");
    assert_eq!(end_of(&mut newcomer, 0)["outcome"], "done");
    newcomer.disconnect();
    running.taken_over(&version);
}

fn an_older_terminal_and_extension_go_on_with_a_newer_daemon() {
    let world = World::new("");
    let version = newer();
    let program = release(&world, &version);
    let mut newest = Extension::of(program, "new", 1);
    newest.connect(&world);
    let daemon = world.daemon();
    send(&mut newest, 0, "a", "hang");
    // Terminal and extension of the older release.
    let mut older = Extension::new("old", 1);
    older.connect(&world);
    send(&mut older, 0, "a", "say 2");
    assert_eq!(end_of(&mut older, 0)["outcome"], "done");
    let (well, said) = world.run(&["chat", "please [[say 2]]"]);
    assert!(well && said.contains("word 1"), "{said}");
    assert_eq!(status(&world)["version"], version.as_str());
    assert_eq!(world.daemon(), daemon, "nobody ended it");
    assert_eq!(newest.state(0).unwrap(), "running");
    older.disconnect();
    newest.disconnect();
    world.end();
}
