//! Two releases of gstack meet while a turn runs: a newer terminal or extension meets an older daemon, and vice versa.
//!
//! The other release is this program with another version number in it, so that both are real.

use crate::browser::connect;
use crate::cases::{cases, end_of, last, send};
use crate::extension::Extension;
use crate::journal::Replay;
use crate::schedule::Dice;
use crate::world::{World, gstack, wait};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Child;
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

pub const ALL: &[(&str, fn())] = cases![
    a_newer_terminal_takes_over_from_an_older_daemon_when_its_turn_is_done,
    a_newer_extension_takes_over_from_an_older_daemon_when_its_turn_is_done,
    an_older_terminal_and_extension_go_on_with_a_newer_daemon,
    an_older_program_waits_for_the_newer_daemon_that_is_to_come,
    an_older_program_starts_its_daemon_where_the_newer_one_is_killed_before_it_does,
    an_upgrade_that_was_taken_back_is_not_waited_for,
];

const OWN: &str = env!("CARGO_PKG_VERSION");

/// Creates the program as another release, whose version has the same number of digits.
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

/// A turn of an older daemon that runs until the test lets the agent end it.
struct Running {
    world: World,
    extension: Extension,
    daemon: u32,
    /// The browser, if this machine has one.
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
    /// Checks the state after the newer daemon has taken over.
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

    /// Ends the first turn: the agent ends it on its interrupt.
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
    assert!(String::from_utf8_lossy(&said.stderr).contains("waiting for 1 running turn"));
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

/// The program as a newer release, built once.
fn newer_release() -> &'static PathBuf {
    static MADE: OnceLock<PathBuf> = OnceLock::new();
    MADE.get_or_init(|| {
        let world = World::new("");
        let made = release(&world, &newer());
        let kept = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("newer-{}", std::process::id()));
        fs::create_dir_all(&kept).unwrap();
        fs::copy(made, kept.join("gstack")).unwrap();
        kept.join("gstack")
    })
}

/// Runs one order of messages, an upgrade, a stop and possibly a kill: each message is there, and runs once.
pub fn schedule(seed: u64) {
    let mut dice = Dice(seed);
    let world = World::new("");
    let mut extension = Extension::new("one", 1);
    extension.connect(&world);
    let older = world.daemon();
    let mut sent = vec!["first".to_owned()];
    send(&mut extension, 0, "first", "hang");
    for n in 0..=dice.below(3) {
        sent.push(format!("waits-{n}"));
        send(&mut extension, 0, &format!("waits-{n}"), ["say 1", "say 20", "slow 5"][dice.below(3)]);
    }
    let mut newcomer = Extension::of(newer_release().clone(), "two", 1);
    // A stop before or after the upgrade; in one of five orders a kill at any point.
    let upgrade_first = dice.below(2) == 0;
    let kill_at = if dice.below(5) == 0 { dice.below(3) } else { usize::MAX };
    for step in 0..2 {
        if step == kill_at {
            world.kill(older.unwrap());
        }
        if (step == 0) == upgrade_first {
            newcomer.connect(&world);
        } else {
            let id = extension.conversations[0].clone();
            // A daemon that was killed or has ended stopped it already.
            extension.ask("chat.stop", json!({ "conversationId": id })).ok();
        }
        // A random order has random times.
        extension.read(Duration::from_millis(dice.below(30) as u64)).ok();
    }
    if kill_at == 2 && world.daemon() == older {
        world.kill(older.unwrap());
    }
    wait("the older daemon to end", || world.daemon() != older);
    newcomer.connect(&world);
    extension.connect(&world);
    let id = extension.conversations[0].clone();
    let journal = || Replay::of_file(&world.home().join("sessions").join(&id).join("chat.jsonl"));
    if kill_at != usize::MAX {
        // Messages that a daemon did not hand over wait for the person.
        extension.ask("chat.continue", json!({ "conversationId": id })).unwrap().unwrap();
    }
    let mut stopped_here = false;
    wait("every message to have its turn", || {
        extension.read(Duration::from_millis(5)).ok();
        let now = journal();
        if now.started().contains("first") && now.turns_done() == 0 {
            // The stop came before this turn began, or while no daemon ran: the turn runs until it is stopped.
            extension.ask("chat.stop", json!({ "conversationId": id })).ok();
            stopped_here = true;
        } else if stopped_here && !now.waiting().is_empty() {
            // After a stop, waiting messages continue only when the person says so.
            extension.ask("chat.continue", json!({ "conversationId": id })).ok();
        }
        now.waiting().is_empty() && now.turns_done() == sent.len()
    });
    let journal = journal();
    journal.check_settled();
    let messages = journal.messages();
    assert!(sent.iter().all(|name| messages.get(name.as_str()) == Some(&1)), "{messages:?}");
    newcomer.disconnect();
    extension.disconnect();
    world.end();
}

fn an_older_terminal_and_extension_go_on_with_a_newer_daemon() {
    let world = World::new("");
    let version = newer();
    let program = release(&world, &version);
    let mut newest = Extension::of(program, "new", 1);
    newest.connect(&world);
    let daemon = world.daemon();
    send(&mut newest, 0, "a", "hang");
    // Creates a terminal and an extension of the older release.
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

/// A daemon that ended for a newer gstack, which is suspended at that moment, and an older program that waits for it.
struct Between {
    world: World,
    /// The newer release: it requested the upgrade, and is suspended.
    newer: Child,
    /// The older release: it found no daemon and reported that it waits.
    older: Child,
}

const WAITS: &str = "waiting for it";

fn between() -> Between {
    let world = World::new("");
    let program = release(&world, &newer());
    let mut extension = Extension::new("one", 1);
    extension.connect(&world);
    send(&mut extension, 0, "a", "hang");
    wait("the turn to run", || {
        extension.read(Duration::from_millis(20)).ok();
        last(&extension, 0)["type"] == "text"
    });
    let daemon = world.daemon();
    let newer = world.command_of(&program, &["chat", "please [[say 2]]"]).spawn().unwrap();
    let id = extension.conversations[0].clone();
    wait("new messages to wait for the update", || {
        let params = json!({ "conversationId": id, "clientId": "b", "text": "please [[say 1]]" });
        matches!(extension.ask("chat.send", params), Ok(Err(fault)) if fault["code"] == "updating")
    });
    signal(&newer, Signal::STOP);
    // The daemon may end before it answers.
    extension.ask("chat.stop", json!({ "conversationId": id })).ok();
    wait("the older daemon to end", || world.daemon() != daemon);
    extension.disconnect();
    let mut older = world.command(&["sessions"]).spawn().unwrap();
    let mut said = String::new();
    BufReader::new(older.stderr.as_mut().unwrap()).read_line(&mut said).unwrap();
    assert!(said.contains(WAITS), "{said}\n{}", world.log());
    assert_eq!(world.daemon(), None, "it started none");
    Between { world, newer, older }
}

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

/// Returns the versions of the daemons that were ready, in order.
fn daemons(world: &World) -> Vec<String> {
    let log = world.log();
    let of = |line: &str| Some(line.split_once(" ready ")?.1.split_once("version=")?.1.trim_matches('"').to_owned());
    log.lines().filter_map(of).collect()
}

fn an_older_program_waits_for_the_newer_daemon_that_is_to_come() {
    let Between { world, newer: mut starter, mut older } = between();
    signal(&starter, Signal::CONT);
    assert!(older.wait().unwrap().success(), "the newer daemon answers it");
    wait("the newer terminal's turn", || starter.try_wait().unwrap().is_some());
    assert!(starter.wait().unwrap().success());
    assert_eq!(daemons(&world), [OWN.to_owned(), newer()]);
    world.run(&["stop"]);
    // The upgrade is over and undone: nothing of it is left to wait for.
    let (well, said) = world.run(&["sessions"]);
    assert!(well && !said.contains(WAITS), "{said}");
    assert_eq!(status(&world)["version"], OWN);
    world.end();
}

fn an_older_program_starts_its_daemon_where_the_newer_one_is_killed_before_it_does() {
    let Between { world, newer: mut starter, mut older } = between();
    signal(&starter, Signal::KILL);
    starter.wait().unwrap();
    assert!(older.wait().unwrap().success(), "it goes on without the newer one");
    assert_eq!(status(&world)["version"], OWN);
    assert_eq!(daemons(&world), [OWN, OWN]);
    world.end();
}

fn an_upgrade_that_was_taken_back_is_not_waited_for() {
    let world = World::new("");
    let folder = world.home().join("run");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
    let mark = |age: Option<Duration>, content: &str| {
        let file = folder.join("handed-over");
        fs::write(&file, content).unwrap();
        let file = fs::File::options().write(true).open(&file).unwrap();
        file.set_modified(age.map_or_else(SystemTime::now, |age| SystemTime::now() - age)).unwrap();
    };
    let day = Duration::from_secs(24 * 60 * 60);
    let of = |version: &str| json!({ "version": version, "starters": [{ "pid": std::process::id(), "began": 1 }] });
    // From a day ago; from this same release, as after a fresh takeover; from an older release, whose marker is empty.
    for (age, content) in [(Some(day), of(&newer()).to_string()), (None, of(OWN).to_string()), (None, String::new())] {
        mark(age, &content);
        let (well, said) = world.run(&["sessions"]);
        assert!(well && !said.contains(WAITS), "{content}: {said}");
        world.run(&["stop"]);
    }
    world.end();
}
