//! A program of the person's own account is not a side panel: a panel must belong to a browser that they confirmed or
//! that gstack started.
#![cfg(target_os = "linux")]

use crate::hostile::{From, Stage};
use crate::panel_key::{PanelKey, code};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::Duration;

const ORIGIN: &str = "chrome-extension://hmjooioflnjmgaipmokechimoabfkeji/";
const LIMIT: Duration = Duration::from_secs(180);

/// Requests that any panel may make: they introduce it, reveal nothing, or stop turns.
const OPEN: [&str; 6] = ["hello", "panel.prove", "ping", "hops", "chat.stop", "chat.stopAll"];

/// Returns requests that only a panel of the person's may make: each of the protocol, with the example of its own test.
fn acts() -> Vec<(String, Value)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let requests = files.filter(|file| file.file_name().unwrap().to_string_lossy().starts_with("to-daemon."));
    let read = |file| serde_json::from_str::<Value>(&std::fs::read_to_string(file).unwrap()).unwrap();
    // What has no answer can't be refused either.
    let examples = requests.map(read).filter(|example| example["answers"].is_array());
    let acts = examples.map(|example| {
        let message = &example["messages"][0];
        (message["method"].as_str().unwrap().to_owned(), message["params"].clone())
    });
    let acts: Vec<_> = acts.filter(|(method, _)| !OPEN.contains(&method.as_str())).collect();
    let names = [
        "policy.add",
        "settings.set",
        "approval.answer",
        "chat.send",
        "chat.branch",
        "chat.order",
        "command.run",
        "drivers.give",
    ];
    assert!(names.iter().all(|name| acts.iter().any(|(method, _)| method == name)), "{acts:?}");
    acts
}

/// One connection of a native host, or of an impostor.
struct Panel<R, W> {
    read: R,
    write: W,
    next: u64,
    pushed: Vec<Value>,
}

impl Panel<UnixStream, UnixStream> {
    /// Connects by the socket, as a program that is not our native host. `run`: the browser that it claims to belong
    /// to.
    fn connect(stage: &Stage, run: Option<&str>) -> Self {
        let read = UnixStream::connect(stage.home().join("panel.sock")).unwrap();
        read.set_read_timeout(Some(LIMIT)).unwrap();
        let write = read.try_clone().unwrap();
        let mut panel = Self { read, write, next: 0, pushed: Vec::new() };
        let mut preamble = json!({ "origin": ORIGIN, "pid": std::process::id(), "version": "0.1.0" });
        if let Some(run) = run {
            preamble["browserRun"] = run.into();
        }
        panel.write(&preamble);
        panel
    }
}

impl<R: Read, W: Write> Panel<R, W> {
    fn write(&mut self, message: &Value) {
        let body = message.to_string();
        let length = u32::try_from(body.len()).unwrap().to_ne_bytes();
        self.write.write_all(&[&length[..], body.as_bytes()].concat()).unwrap();
    }

    fn read(&mut self) -> Value {
        let mut length = [0; 4];
        self.read.read_exact(&mut length).unwrap();
        let mut body = vec![0; u32::from_ne_bytes(length) as usize];
        self.read.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    /// Returns the result, or the code of the refusal.
    fn ask(&mut self, method: &str, params: Value) -> Result<Value, String> {
        self.next += 1;
        let id = self.next;
        self.write(&json!({ "jsonrpc": "2.0", "client": "p1", "id": id, "method": method, "params": params }));
        loop {
            let message = self.read();
            if message["id"] != id {
                self.pushed.push(message);
            } else if message["error"].is_null() {
                return Ok(message["result"].clone());
            } else {
                return Err(message["error"]["code"].as_str().unwrap().to_owned());
            }
        }
    }

    fn hello(&mut self, instance: &str) -> Value {
        let hello = json!({ "protocol": 2, "version": "0.1.0", "instanceId": instance, "relay": true });
        self.ask("hello", hello).unwrap()
    }

    /// Waits for the daemon's notification that the person has confirmed it.
    fn until_confirmed(&mut self) {
        loop {
            let at = self.pushed.iter().position(|push| push["method"] == "panel.confirmation");
            let push = match at {
                Some(at) => self.pushed.remove(at),
                None => self.read(),
            };
            if push["method"] == "panel.confirmation" && push["params"]["confirmed"] == true {
                return;
            }
        }
    }

    #[track_caller]
    fn may_do_nothing(&mut self) {
        for (method, params) in acts() {
            assert_eq!(self.ask(&method, params), Err("panel-unconfirmed".to_owned()), "{method}");
        }
        // Stopping is safe, and status requests reveal nothing.
        self.ask("ping", json!({})).unwrap();
        self.ask("chat.stopAll", json!({})).unwrap();
    }
}

/// Starts a host itself, as Chrome would.
fn host(stage: &Stage) -> (Child, Panel<ChildStdout, ChildStdin>) {
    let mut command = stage.gstack(&[ORIGIN]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let (read, write) = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
    (child, Panel { read, write, next: 0, pushed: Vec::new() })
}

/// Returns a connection that waits for confirmation, and its code.
fn waiting(stage: &Stage, key: &str) -> (Panel<UnixStream, UnixStream>, String) {
    let mut panel = Panel::connect(stage, None);
    let welcome = panel.hello(key);
    let answer = panel.ask("panel.prove", PanelKey::of(key).proof(&welcome)).unwrap();
    let code = code(&answer).expect("it is not confirmed").to_owned();
    (panel, code)
}

fn panels(stage: &Stage) -> Value {
    serde_json::from_str(&stage.run(&["panels", "--json"])).unwrap()
}

#[test]
fn a_program_that_is_no_confirmed_browser_acts_in_nothing() {
    let stage = Stage::new();
    let mut panel = Panel::connect(&stage, None);
    assert_eq!(
        panel.ask("policy.add", json!({ "effect": "allow", "scope": "act" })),
        Err("protocol-mismatch".to_owned())
    );
    assert_eq!(panel.hello("mine")["confirmed"], Value::Null);
    panel.may_do_nothing();
    // An extension too old to have a key was not confirmed by the person either.
    let mut old = Panel::connect(&stage, None);
    old.ask("hello", json!({ "protocol": 1, "version": "0.1.0", "instanceId": "old" })).unwrap();
    old.may_do_nothing();
    // Nor was one that names a browser of gstack's from which it does not descend.
    let mut claims = Panel::connect(&stage, Some("11111111-1111-4111-8111-111111111111"));
    assert_eq!(claims.hello("claims")["confirmed"], Value::Null);
    claims.may_do_nothing();
    assert!(stage.has_no_rules());
}

#[test]
fn a_host_that_chrome_did_not_start_is_not_confirmed_by_being_the_host() {
    let stage = Stage::new();
    let (mut child, mut panel) = host(&stage);
    panel.hello("host");
    panel.may_do_nothing();
    drop(panel);
    child.wait().unwrap();
    assert!(stage.has_no_rules());
}

#[test]
fn a_person_confirms_a_browser_once_and_it_goes_on_at_once() {
    let stage = Stage::new();
    let (mut panel, code) = waiting(&stage, "mine");
    panel.may_do_nothing();
    let known = panels(&stage);
    assert_eq!((known["panels"].as_array().unwrap().len(), known["waiting"].as_array().unwrap().len()), (0, 1));
    assert!(!known.to_string().contains(&code), "the list does not give the code away: {known}");
    assert!(stage.run(&["panels", "confirm", &code.to_lowercase()]).contains("Confirmed"));
    panel.until_confirmed();
    panel.ask("settings.get", json!({})).unwrap();
    let file = stage.home().join("panels.json");
    assert_eq!(std::fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(stage.run(&["audit"]).contains("panels confirm"));

    // Its key is recognised, also after a restart; another key is not.
    for restart in [false, true] {
        if restart {
            stage.run(&["stop"]);
            stage.run(&["policy"]);
        }
        let mut again = Panel::connect(&stage, None);
        let welcome = again.hello("mine");
        assert_eq!(again.ask("settings.get", json!({})), Err("panel-unconfirmed".to_owned()), "before the proof");
        assert_eq!(again.ask("panel.prove", PanelKey::of("mine").proof(&welcome)).unwrap()["confirmed"], true);
        again.ask("settings.get", json!({})).unwrap();
        waiting(&stage, "other").0.may_do_nothing();
    }

    // After a revocation it is disconnected, and gets a new code.
    let id = panels(&stage)["panels"][0]["id"].as_str().unwrap().to_owned();
    let mut panel = Panel::connect(&stage, None);
    let welcome = panel.hello("mine");
    panel.ask("panel.prove", PanelKey::of("mine").proof(&welcome)).unwrap();
    stage.run(&["panels", "forget", &id]);
    assert!(std::io::copy(&mut panel.read, &mut std::io::sink()).is_ok(), "the connection has ended");
    waiting(&stage, "mine").0.may_do_nothing();
    assert!(stage.run(&["audit"]).contains("panels forget"));
}

#[test]
fn a_signature_is_good_for_one_connection_and_one_key() {
    let stage = Stage::new();
    let (mut mine, typed) = waiting(&stage, "mine");
    stage.run(&["panels", "confirm", &typed]);
    mine.until_confirmed();
    let key = PanelKey::of("mine");
    let mut seen = Panel::connect(&stage, None);
    let old = seen.hello("mine");
    let replayed = key.proof(&old);
    assert_eq!(seen.ask("panel.prove", replayed.clone()).unwrap()["confirmed"], true);
    let forged = |welcome: &Value| {
        let home = welcome["homeId"].as_str().unwrap();
        let challenge = welcome["challenge"].as_str().unwrap();
        let foreign = PanelKey::of("other").proof(welcome);
        vec![
            replayed.clone(),
            key.proof_of(challenge, "00000000-0000-4000-8000-000000000001"),
            key.proof_of(old["challenge"].as_str().unwrap(), home),
            json!({ "publicKey": replayed["publicKey"], "signature": foreign["signature"] }),
            json!({ "publicKey": replayed["publicKey"], "signature": "" }),
            json!({ "publicKey": "", "signature": replayed["signature"] }),
        ]
    };
    for n in 0..6 {
        let mut panel = Panel::connect(&stage, None);
        let welcome = panel.hello("mine");
        assert_ne!(welcome["challenge"], old["challenge"]);
        let proof = forged(&welcome).swap_remove(n);
        assert_eq!(panel.ask("panel.prove", proof), Err("forbidden".to_owned()), "{n}");
        // One attempt per connection: the right proof comes too late.
        assert_eq!(panel.ask("panel.prove", key.proof(&welcome)), Err("conflict".to_owned()), "{n}");
        panel.may_do_nothing();
    }
    assert!(stage.has_no_rules());
}

#[test]
fn an_unconfirmed_program_that_takes_a_browsers_name_gets_nothing_and_takes_nothing() {
    let stage = Stage::new();
    let (mut mine, typed) = waiting(&stage, "mine");
    stage.run(&["panels", "confirm", &typed]);
    mine.until_confirmed();
    let tab = json!({ "chromeTabId": 1, "windowId": 1, "url": "https://a.example/", "title": "A", "active": true });
    let tabs = json!({ "full": true, "tabs": [tab], "removed": [] });
    let report = json!({ "jsonrpc": "2.0", "method": "tabs.changed", "params": tabs });
    mine.write(&report);
    let conversation = mine.ask("chat.open", json!({ "chromeTabId": 1 })).unwrap()["conversationId"].clone();

    let mut program = Panel::connect(&stage, None);
    program.hello("mine");
    program.write(&report);
    program.may_do_nothing();
    // It does not receive what panels receive.
    let told = program.pushed.iter().find(|push| push.to_string().contains("a.example"));
    assert_eq!(told, None);
    // The person's own panel keeps its tabs.
    let now = mine.ask("chat.open", json!({ "chromeTabId": 1 })).unwrap()["conversationId"].clone();
    assert_eq!(now, conversation);
}

#[test]
fn an_agents_shell_confirms_lists_and_forgets_nothing() {
    let stage = Stage::new();
    let (mut panel, code) = waiting(&stage, "mine");
    let gstack = env!("CARGO_BIN_EXE_gstack");
    for line in [vec!["panels", "confirm", &code], vec!["panels"], vec!["panels", "forget", "123456789abc"]] {
        let words = [vec![gstack], line].concat();
        let said = stage.attack(From::Agent, &[vec!["shell"], words].concat());
        assert!(said[0] != "0" && said.concat().contains("an agent may not do this"), "{said:?}");
    }
    panel.may_do_nothing();
    // Its own connection is refused.
    assert_eq!(stage.attack(From::Agent, &["plain", "panel.sock"]), ["refused"]);
    assert_eq!(panels(&stage)["panels"], json!([]));
}

#[test]
fn a_code_can_not_be_guessed() {
    let stage = Stage::new();
    let (mut panel, code) = waiting(&stage, "mine");
    for wrong in ["AAAAAA", "", "------", "BBBBBBB", "BCDFGH0"] {
        let output = stage.gstack(&["panels", "confirm", "--", wrong]).output().unwrap();
        assert!(!output.status.success(), "{wrong}");
    }
    // After a few wrong attempts the code changes, and the panel receives the new one.
    let output = stage.gstack(&["panels", "confirm", &code]).output().unwrap();
    assert!(!output.status.success());
    let push = panel.read();
    assert_eq!(push["method"], "panel.confirmation");
    let code = crate::panel_key::code(&push["params"]).unwrap().to_owned();
    stage.run(&["panels", "confirm", &code]);
    panel.until_confirmed();
}

#[test]
fn a_file_that_no_gstack_wrote_confirms_nobody() {
    let stage = Stage::new();
    let (mut panel, code) = waiting(&stage, "mine");
    stage.run(&["panels", "confirm", &code]);
    panel.until_confirmed();
    let file = stage.home().join("panels.json");
    let written = std::fs::read_to_string(&file).unwrap();
    let large = format!("{written}{}", " ".repeat(1024 * 1024));
    for text in [
        "",
        "{",
        "null",
        &written.replace("terminal", "everybody"),
        &written.replace("\"version\": 1", "\"version\": 2"),
        &large,
    ] {
        stage.run(&["stop"]);
        std::fs::write(&file, text).unwrap();
        let (mut panel, _) = waiting(stage_with_daemon(&stage), "mine");
        panel.may_do_nothing();
        assert!(
            stage
                .gstack(&["doctor"])
                .output()
                .is_ok_and(|doctor| { String::from_utf8_lossy(&doctor.stdout).contains("panels.json can't be read") })
        );
    }
    // The running daemon does not read the file: the next confirmation overwrites what others wrote.
    std::fs::write(&file, &written).unwrap();
    let (mut panel, code) = waiting(&stage, "mine");
    panel.may_do_nothing();
    stage.run(&["panels", "confirm", &code]);
    panel.until_confirmed();
}

/// Starts the daemon again.
fn stage_with_daemon(stage: &Stage) -> &Stage {
    stage.run(&["policy"]);
    stage
}

#[test]
fn a_flood_of_keys_neither_confirms_one_nor_hides_the_persons() {
    let stage = Stage::new();
    let (mut mine, code) = waiting(&stage, "mine");
    let mut held = Vec::new();
    for n in 0..40 {
        let name = format!("flood{n}");
        let mut panel = Panel::connect(&stage, None);
        let welcome = panel.hello(&name);
        match panel.ask("panel.prove", PanelKey::of(&name).proof(&welcome)) {
            Ok(answer) => assert_eq!(answer["confirmed"], false),
            Err(refused) => assert_eq!(refused, "too-large"),
        }
        held.push(panel);
    }
    stage.run(&["panels", "confirm", &code]);
    mine.until_confirmed();
    assert_eq!(panels(&stage)["panels"].as_array().unwrap().len(), 1);
    held.iter_mut().for_each(Panel::may_do_nothing);
}

#[test]
fn a_program_that_claims_the_browser_of_connect_is_not_taken_for_it() {
    if std::env::var_os("GSTACK_BROWSER_PATH").is_none() {
        return println!("there is no browser: left out");
    }
    let stage = Stage::new();
    let connected = stage.run(&["connect", "--headless"]);
    // Starting that browser confirmed its extension.
    let known = panels(&stage);
    let confirmed = known["panels"].as_array().unwrap();
    assert!(confirmed.len() == 1 && confirmed[0]["confirmedBy"] == "connect", "{known} {connected}");
    let audit = stage.run(&["audit"]);
    let line = format!("panels confirm {}", confirmed[0]["id"].as_str().unwrap());
    assert!(audit.contains(&line) && audit.contains("by gstack connect"), "{audit}");
    let pid = stage.status()["browserPid"].as_u64().unwrap();
    let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap();
    let environment = String::from_utf8_lossy(&environment).into_owned();
    let run = environment.split('\0').find_map(|entry| entry.strip_prefix("GSTACK_BROWSER="));
    let mut program = Panel::connect(&stage, Some(run.unwrap_or("none")));
    let welcome = program.hello("claims");
    assert_eq!(welcome["confirmed"], Value::Null);
    assert!(run.is_some(), "the browser's run is in its environment: {environment}");
    program.may_do_nothing();
    assert!(stage.has_no_rules());
}
