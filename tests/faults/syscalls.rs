//! Every system call of the daemon that changes a file (each other one by default, all in a long run) fails once, one
//! after the other, while messages are sent,
//! stopped and queued: acknowledged messages are there, refused ones never run, and the daemon continues.
//!
//! A library that is preloaded into the daemon makes the calls fail (`failing_calls.c`, compiled here).

use crate::cases::{cases, end_of, send};
use crate::extension::Extension;
use crate::journal::Replay;
use crate::long::usual_or_long;
use crate::schedule::Dice;
use crate::side_by_side;
use crate::world::{World, gstack};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

pub const ALL: &[(&str, fn())] = cases![
    every_write_that_fails_loses_nothing_and_runs_nothing_that_was_refused,
    a_compaction_whose_calls_fail_loses_nothing,
];

/// ENOSPC, EIO, EROFS, EMFILE, and a write of half of its bytes.
pub const ERRORS: [i64; 5] = [28, 5, 30, 24, 0];
/// Skips so many calls that none of them fails.
pub const NONE: i64 = i64::MAX;
const AT_ONCE: usize = 4;
/// The seed that assigns errors to calls; `GSTACK_FAULT_CALLS=N` selects another.
const SEED: u64 = 1;

/// Returns `None` without a C compiler.
pub fn library() -> Option<&'static PathBuf> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    let build = || {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults/failing_calls.c");
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("failing_calls-{}.so", std::process::id()));
        let built =
            Command::new("cc").args(["-shared", "-fPIC", "-O1", "-o"]).arg(&target).arg(source).arg("-ldl").status();
        built.is_ok_and(|status| status.success()).then_some(target)
    };
    BUILT.get_or_init(build).as_ref()
}

/// The memory that the test and the library share.
pub struct Control(File);

impl Control {
    pub fn new(path: &Path) -> Self {
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(path).unwrap();
        file.set_len(32).unwrap();
        Self(file)
    }

    pub fn count(&self) -> i64 {
        let mut bytes = [0; 8];
        self.0.read_exact_at(&mut bytes, 0).unwrap();
        i64::from_ne_bytes(bytes)
    }

    pub fn set(&self, at: i64, error: i64, all: bool) {
        self.0.write_all_at(&error.to_ne_bytes(), 16).unwrap();
        self.0.write_all_at(&i64::from(all).to_ne_bytes(), 24).unwrap();
        self.0.write_all_at(&at.to_ne_bytes(), 8).unwrap();
    }
}

/// Starts a daemon with the library.
pub fn daemon(world: &World, control: &Path) -> Child {
    let root = world.home();
    let mut command = world.command_of(&gstack(), &["daemon", root.to_str().unwrap()]);
    command.env("LD_PRELOAD", library().unwrap()).env("FAULT_CONTROL", control).env("FAULT_ROOT", &root);
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    let mut report = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut report).unwrap();
    assert!(report.contains("ready"), "{report}");
    child
}

struct Ended {
    /// The number of calls after the first turn.
    calls: i64,
    acknowledged: Vec<(String, usize)>,
    refused: Vec<(String, usize)>,
}

/// Runs one order of messages in which the call `at` fails.
fn run(at: i64, error: i64, all: bool) -> Ended {
    let world = World::new("");
    let path = world.folder.path().join("control");
    let control = Control::new(&path);
    let mut child = daemon(&world, &path);
    let mut extension = Extension::new("one", 2);
    extension.connect(&world);
    send(&mut extension, 0, "first", "say 1");
    end_of(&mut extension, 0);
    extension.wait_for(0, "idle");
    let before = control.count();
    control.set(before.saturating_add(at), error, all);
    let (mut acknowledged, mut refused) = (vec![("first".to_owned(), 0)], Vec::new());
    let told = |outcome: Result<Value, Value>, what: &str| match outcome {
        Ok(_) => true,
        Err(fault) => {
            assert!(fault["code"] == "storage" && fault["hint"].is_string(), "{what}: {fault}");
            false
        }
    };
    for (name, n, order, state) in
        [("a", 0, "say 2", "idle"), ("b", 0, "hang", ""), ("c", 0, "say 1", ""), ("d", 1, "say 1", "idle")]
    {
        let id = extension.conversations[n].clone();
        let message = json!({ "conversationId": id, "clientId": name, "text": format!("please [[{order}]]") });
        let taken = told(extension.ask("chat.send", message).unwrap(), name);
        if taken { &mut acknowledged } else { &mut refused }.push((name.to_owned(), n));
        if !state.is_empty() {
            extension.wait_for(n, state);
        }
    }
    let of = json!({ "conversationId": extension.conversations[0] });
    told(extension.ask("chat.stop", of.clone()).unwrap(), "a stop");
    extension.wait_for(0, "idle");
    let mut rename = of.clone();
    rename["title"] = json!("named");
    told(extension.ask("conversations.rename", rename).unwrap(), "a name");
    let calls = control.count() - before;
    control.set(0, 0, false);
    assert!(child.try_wait().unwrap().is_none(), "the daemon goes on");
    // Kills the daemon to get the journal as it is now, whatever it would still write.
    child.kill().unwrap();
    child.wait().unwrap();
    let conversations = extension.conversations.clone();
    extension.connect(&world);
    for (n, id) in conversations.iter().enumerate() {
        let journal = Replay::of_file(&world.home().join("sessions").join(id).join("chat.jsonl"));
        journal.check_settled();
        let messages = journal.messages();
        let names = |list: &[(String, usize)]| -> HashSet<String> {
            list.iter().filter(|(_, of)| *of == n).map(|(name, _)| name.clone()).collect()
        };
        for name in names(&acknowledged) {
            assert_eq!(messages.get(name.as_str()), Some(&1), "{name} was acknowledged: {messages:?}");
        }
        for name in names(&refused) {
            assert!(!journal.started().contains(&name.as_str()), "{name} was refused and ran");
            // If every call fails, a line whose sync failed cannot be removed either. It waits, and never ran.
            let may_wait = all && journal.waiting().contains(&name);
            assert!(may_wait || !messages.contains_key(name.as_str()), "{name} was refused: {messages:?}");
        }
        assert!(messages.values().all(|count| *count == 1), "{messages:?}");
    }
    extension.disconnect();
    world.end();
    Ended { calls, acknowledged, refused }
}

fn every_write_that_fails_loses_nothing_and_runs_nothing_that_was_refused() {
    if library().is_none() {
        return println!("there is no C compiler: left out");
    }
    let quiet = run(NONE, 0, false);
    assert_eq!((quiet.acknowledged.len(), quiet.refused.len()), (5, 0));
    assert!(quiet.calls > 20, "{} calls are seen", quiet.calls);
    let seed = std::env::var("GSTACK_FAULT_CALLS").ok().and_then(|text| text.parse().ok()).unwrap_or(SEED);
    let next = AtomicU64::new(1);
    let refused = AtomicU64::new(0);
    std::thread::scope(|threads| {
        for _ in 0..AT_ONCE {
            threads.spawn(|| {
                loop {
                    let at = next.fetch_add(usual_or_long(2, 1), Ordering::Relaxed);
                    if at > quiet.calls.unsigned_abs() {
                        return;
                    }
                    let mut dice = Dice(seed.wrapping_mul(1_000_003).wrapping_add(at));
                    let (error, all) = (ERRORS[dice.below(ERRORS.len())], dice.below(4) == 0);
                    let ended = std::panic::catch_unwind(|| run(at.cast_signed(), error, all));
                    let Ok(ended) = ended else { panic!("call {at} with error {error}, all behind it too: {all}") };
                    refused.fetch_add(ended.refused.len() as u64, Ordering::Relaxed);
                }
            });
        }
    });
    let refused = refused.into_inner();
    println!("of {} calls, each or each other one failed, {refused} messages were refused", quiet.calls);
    assert!(refused > 0, "a failing call has consequences");
}

/// Runs a compaction in which the call `at` fails; returns its number of calls.
fn compaction(at: i64, error: i64, all: bool) -> i64 {
    let world = World::new("");
    let path = world.folder.path().join("control");
    let control = Control::new(&path);
    let mut child = daemon(&world, &path);
    let mut extension = Extension::new("one", 1);
    extension.connect(&world);
    for (name, order) in [("first", "say 40"), ("second", "slow 5")] {
        send(&mut extension, 0, name, order);
        end_of(&mut extension, 0);
        extension.wait_for(0, "idle");
    }
    let id = extension.conversations[0].clone();
    let folder = world.home().join("sessions").join(&id);
    let journal = || Replay::of_file(&folder.join("chat.jsonl"));
    let full = journal().events;
    let before = control.count();
    control.set(before.saturating_add(at), error, all);
    let (well, said) = world.run(&["sessions", "compact", &id]);
    let calls = control.count() - before;
    control.set(0, 0, false);
    // A conversation that could not be compacted is reported with the reason.
    assert!(at == NONE || well || said.contains("gstack: "), "{said}");
    assert_eq!(journal().events, full, "nothing is lost: {said}");
    assert!(child.try_wait().unwrap().is_none(), "the daemon goes on");
    // Later messages follow it, under this daemon and under the next one.
    send(&mut extension, 0, "third", "say 2");
    assert_eq!(end_of(&mut extension, 0)["outcome"], "done");
    extension.wait_for(0, "idle");
    child.kill().unwrap();
    child.wait().unwrap();
    extension.connect(&world);
    let now = journal();
    now.check_settled();
    assert!(full.iter().all(|(seq, event)| now.events.get(seq) == Some(event)) && now.turns_done() == 3);
    let (well, said) = world.run(&["sessions", "compact", &id]);
    assert!(well, "it can be compacted when nothing fails: {said}");
    assert_eq!(journal().events, now.events);
    let left: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().contains("tmp")), "{left:?}");
    extension.disconnect();
    world.end();
    calls
}

fn a_compaction_whose_calls_fail_loses_nothing() {
    if library().is_none() {
        return println!("there is no C compiler: left out");
    }
    let calls = compaction(NONE, 0, false);
    assert!(calls > 3, "{calls} calls are seen");
    let of_call = |at: i64| [(at, ERRORS[at.unsigned_abs() as usize % ERRORS.len()], false), (at, 28, true)];
    let faults: Vec<(i64, i64, bool)> = (1..=calls).flat_map(of_call).collect();
    side_by_side(&faults, AT_ONCE, |&(at, error, all)| {
        let done = std::panic::catch_unwind(|| compaction(at, error, all));
        assert!(done.is_ok(), "call {at} with error {error}, all behind it too: {all}");
    });
    println!("{calls} calls of a compaction failed one by one");
}
