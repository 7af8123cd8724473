//! Every system call of the command line, the native host and the keeper that changes a file fails once, one after the
//! other: earlier data stays complete, nothing partial is left, nothing keeps running, and the message is right.

use crate::cases::{begin, cases, end_of, send};
use crate::syscalls::{Control, ERRORS, NONE, library};
use crate::world::World;
use gstack_browser::launch::find::{Named, Places, find};
use gstack_protocol::ids::BrowserRun;
use gstack_protocol::keeper::LaunchPlan;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub const ALL: &[(&str, fn())] = cases![
    a_command_that_starts_the_daemon_survives_each_failing_call,
    an_export_that_fails_leaves_no_file,
    files_of_other_programs_stay_whole_when_a_call_fails,
    a_host_whose_calls_fail_says_so_to_the_browser,
    a_keeper_whose_calls_fail_leaves_no_browser,
];

const ORIGIN: &str = "chrome-extension://hmjooioflnjmgaipmokechimoabfkeji/";

/// A failing call, and how it fails.
#[derive(Clone, Copy, Debug)]
struct Fault {
    at: i64,
    error: i64,
}

/// Loads the library into a command and selects the call below `root` that fails.
fn spoil(command: &mut Command, world: &World, root: &Path, fault: Fault) -> Control {
    let path = world.folder.path().join(format!("control-{}", fault.at));
    let control = Control::new(&path);
    control.set(fault.at, fault.error, false);
    command.env("LD_PRELOAD", library().unwrap()).env("FAULT_CONTROL", &path).env("FAULT_ROOT", root);
    control
}

/// Runs a scenario once without a fault and once for each of its calls. The scenario returns the number of calls.
fn walk(name: &str, story: impl Fn(Fault) -> i64) {
    if library().is_none() {
        return println!("there is no C compiler: left out");
    }
    let calls = story(Fault { at: NONE, error: 0 });
    assert!(calls > 0, "{name}: no call is seen");
    for at in 1..=calls {
        let fault = Fault { at, error: ERRORS[usize::try_from(at).unwrap() % ERRORS.len()] };
        println!("{name}: {fault:?} of {calls}");
        story(fault);
    }
}

/// Returns the names of the files in a folder and below it, including hidden ones.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type().unwrap().is_dir() {
            true => found.extend(files(&entry.path())),
            false => found.push(entry.path()),
        }
    }
    found
}

fn a_command_that_starts_the_daemon_survives_each_failing_call() {
    walk("sessions", |fault| {
        let world = World::new("");
        let mut command = world.command(&["sessions"]);
        let control = spoil(&mut command, &world, &world.home(), fault);
        let (well, said) = World::ended(command);
        assert!(well || (said.contains("gstack:") && said.lines().count() > 1), "words and a next step: {said}");
        let (well, said) = world.run(&["sessions"]);
        assert!(well, "{said}");
        world.end();
        control.count()
    });
}

fn an_export_that_fails_leaves_no_file() {
    walk("export", |fault| {
        let (world, mut extension) = begin("", 1);
        send(&mut extension, 0, "a", "say 3");
        end_of(&mut extension, 0);
        let id = extension.conversations[0].clone();
        extension.disconnect();
        let before = files(&world.person());
        let mut command = world.command(&["sessions", "export", &id, "out.md"]);
        let control = spoil(&mut command, &world, &world.person(), fault);
        let (well, said) = World::ended(command);
        let out = world.person().join("out.md");
        if well {
            assert!(fs::read_to_string(&out).unwrap().contains("word 2"), "it is whole: {said}");
        } else {
            assert!(said.contains("out.md can't be written"), "{said}");
            assert_eq!(files(&world.person()), before);
        }
        world.end();
        control.count()
    });
}

fn files_of_other_programs_stay_whole_when_a_call_fails() {
    let old = json!({ "theme": "dark", "mcpServers": { "other": { "command": "other" } } });
    walk("mcp install", |fault| {
        let world = World::new("");
        let file = world.person().join(".gemini/settings.json");
        fs::create_dir(world.person().join(".gemini")).unwrap();
        fs::write(&file, old.to_string()).unwrap();
        let mut command = world.command(&["mcp", "install", "gemini"]);
        let control = spoil(&mut command, &world, &world.person(), fault);
        let (well, said) = World::ended(command);
        let now: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        assert_eq!((&now["theme"], &now["mcpServers"]["other"]), (&old["theme"], &old["mcpServers"]["other"]));
        assert!(well || said.contains("settings.json"), "{said}");
        assert_eq!(now["mcpServers"]["gstack"].is_object(), now != old);
        assert_eq!(files(&world.person()), [file], "nothing is left beside it: {said}");
        world.end();
        control.count()
    });
    walk("install-host", |fault| {
        let world = World::new("");
        let browser = world.person().join("profile");
        fs::create_dir(&browser).unwrap();
        let mut command = world.command(&["install-host", "--user-data-dir", browser.to_str().unwrap()]);
        let control = spoil(&mut command, &world, &browser, fault);
        let (well, said) = World::ended(command);
        let made = files(&browser);
        assert!(made.iter().all(|file| serde_json::from_slice::<Value>(&fs::read(file).unwrap()).is_ok()), "{made:?}");
        assert!(if well { made.len() == 1 } else { said.contains("gstack:") }, "{made:?}: {said}");
        world.end();
        control.count()
    });
}

fn a_host_whose_calls_fail_says_so_to_the_browser() {
    walk("host", |fault| {
        let world = World::new("");
        let mut command = world.command(&[ORIGIN]);
        let control = spoil(&mut command, &world, &world.home(), fault);
        let mut host = command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "hello",
            "params": { "protocol": 2, "version": "0.0.0", "instanceId": "one" } });
        let body = hello.to_string();
        let length = u32::try_from(body.len()).unwrap().to_ne_bytes();
        let mut input = host.stdin.take().unwrap();
        // A program that has already ended reads nothing.
        input.write_all(&[&length, body.as_bytes()].concat()).ok();
        let mut output = host.stdout.take().unwrap();
        let mut length = [0; 4];
        output.read_exact(&mut length).unwrap();
        let mut frame = vec![0; u32::from_ne_bytes(length) as usize];
        output.read_exact(&mut frame).unwrap();
        let frame: Value = serde_json::from_slice(&frame).unwrap();
        let welcomed = frame["result"]["protocol"] == 2;
        let told = frame["method"] == "fault" && frame["params"]["hint"].is_string();
        assert!(welcomed || told, "{frame}");
        drop(input);
        host.wait().unwrap();
        let (well, said) = world.run(&["sessions"]);
        assert!(well, "{said}");
        world.end();
        control.count()
    });
}

fn a_keeper_whose_calls_fail_leaves_no_browser() {
    let named = Named { variable: std::env::var_os("GSTACK_BROWSER_PATH").map(PathBuf::from), ..Named::default() };
    let Ok(browser) = find(&named, &Places::of_machine(&std::env::var("PATH").unwrap())) else {
        return println!("there is no browser: left out");
    };
    walk("keeper", |fault| {
        let world = World::new("");
        let home = world.home();
        let place = |name: &str| home.join(name);
        let mut args: Vec<String> =
            ["--headless=new", "--remote-debugging-pipe", "--no-first-run", "--disable-background-networking"]
                .map(str::to_owned)
                .to_vec();
        args.push(format!("--user-data-dir={}", place("profile").display()));
        if rustix::process::geteuid().is_root() {
            args.push("--no-sandbox".to_owned());
        }
        let plan = LaunchPlan {
            run: BrowserRun::random(),
            executable: browser.path.clone(),
            args,
            env: BTreeMap::new(),
            headless: true,
            only_sites: String::new(),
            socket: place("browser.sock"),
            key: place("keeper.key"),
            lock: place("keeper.lock"),
            profile: None,
        };
        let mut command = world.command(&["browser-keeper"]);
        let control = spoil(&mut command, &world, &home, fault);
        let mut keeper = command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        keeper.stdin.take().unwrap().write_all(&serde_json::to_vec(&plan).unwrap()).unwrap();
        let mut report = String::new();
        BufReader::new(keeper.stdout.take().unwrap()).read_line(&mut report).unwrap();
        let report: Value = serde_json::from_str(&report).unwrap();
        let calls = control.count();
        if report["report"] != "ready" {
            assert!(report.to_string().contains("can't be"), "{report}");
        } else {
            assert!(place("browser.sock").exists() && place("keeper.key").exists());
            world.signal(keeper.id(), "TERM");
        }
        keeper.wait().unwrap();
        assert!(!place("browser.sock").exists(), "its socket went with it");
        world.end();
        calls
    });
}
