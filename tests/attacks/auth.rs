//! The saved sign-ins belong to the person: no agent, script, page or foreign host lists or changes them, and a daemon
//! that is killed while it saves one loses none that was saved before.
#![cfg(target_os = "linux")]

use crate::hostile::{From, Stage};
use crate::long::usual_or_long;
use std::io::Write;
use std::process::{Child, Stdio};

const PASSPHRASE: &str = "a passphrase of the test\n";

fn with_input(stage: &Stage, arguments: &[&str], input: &str) -> Child {
    let mut command = stage.gstack(arguments);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A program that is refused does not read it.
    child.stdin.take().unwrap().write_all(input.as_bytes()).ok();
    child
}

fn unlock(stage: &Stage) {
    let output = with_input(stage, &["auth", "unlock"], PASSPHRASE).wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

fn saving(stage: &Stage, name: &str) -> Child {
    let arguments = ["auth", "save", name, "--origin", "https://shop.example", "--user", "ada"];
    with_input(stage, &arguments, "zK9!correct Horse\n")
}

/// Saves a sign-in, and creates the store if there is none.
pub fn save(stage: &Stage, name: &str) {
    unlock(stage);
    let output = saving(stage, name).wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// Returns the names of the saved sign-ins.
pub fn saved(stage: &Stage) -> Vec<String> {
    unlock(stage);
    let known: serde_json::Value = serde_json::from_str(&stage.run(&["auth", "--json"])).unwrap();
    let names = known["signIns"].as_array().unwrap().iter();
    names.map(|one| one["name"].as_str().unwrap().to_owned()).collect()
}

#[track_caller]
fn all_refused(stage: &Stage, from: From, attack: &[&str]) {
    let said = stage.attack(from, attack);
    assert_eq!(said.len(), 6, "{attack:?}: {said:?}");
    assert!(said.iter().all(|said| said == "403" || said == "refused"), "{from:?} {attack:?}: {said:?}");
}

#[test]
fn only_the_persons_own_process_on_the_socket_manages_them() {
    let stage = Stage::new();
    save(&stage, "ada@shop");
    all_refused(&stage, From::Agent, &["auth"]);
    // On the port nobody does, not even a script of the person's with the token.
    for from in [From::Terminal, From::Agent] {
        all_refused(&stage, from, &["auth", "127.0.0.1"]);
    }
    // A page that reached the socket by some proxy, or the port by a name of its own.
    for attack in [
        &["auth", "http.sock", "localhost", "Origin: https://evil.example"][..],
        &["auth", "http.sock", "localhost", "Origin: null"],
        &["auth", "http.sock", "localhost", "Sec-Fetch-Site: cross-site"],
        &["auth", "127.0.0.1", "evil.example"],
    ] {
        all_refused(&stage, From::Terminal, attack);
    }
    assert_eq!(saved(&stage), ["ada@shop"]);
    // The same requests of the person's are served: only the passphrase is wrong, and then the store is locked.
    assert_eq!(stage.attack(From::Terminal, &["auth"]), ["200", "403", "200", "200", "200", "200"]);
    assert_eq!(saved(&stage), ["planted"]);
    let audit = stage.run(&["audit", "--json"]);
    assert!(audit.contains("remove the sign-in ada@shop") && !audit.contains("guessed"), "{audit}");
}

#[test]
fn a_wrong_passphrase_a_locked_store_and_a_damaged_file_give_nothing_away() {
    let stage = Stage::new();
    save(&stage, "ada@shop");
    stage.run(&["auth", "lock"]);
    assert!(!stage.run(&["auth"]).contains("ada"));
    let wrong = with_input(&stage, &["auth", "unlock"], "another passphrase\n").wait_with_output().unwrap();
    assert!(!wrong.status.success());
    let refused = saving(&stage, "eve@shop").wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && said.contains("gstack auth unlock"), "{said}");
    // A restart forgets the passphrase.
    unlock(&stage);
    stage.run(&["stop"]);
    assert!(stage.run(&["auth"]).contains("locked"));
    let file = stage.home().join("sign-ins.age");
    let whole = std::fs::read(&file).unwrap();
    for damaged in [&whole[..whole.len() / 2], b"", b"{}"] {
        std::fs::write(&file, damaged).unwrap();
        let output = with_input(&stage, &["auth", "unlock"], PASSPHRASE).wait_with_output().unwrap();
        assert!(!output.status.success(), "{output:?}");
        assert_eq!(std::fs::read(&file).unwrap(), damaged, "nothing overwrites what may be repaired");
    }
    std::fs::write(&file, whole).unwrap();
    assert_eq!(saved(&stage), ["ada@shop"]);
}

#[test]
fn a_daemon_that_is_killed_while_it_saves_loses_nothing_that_was_saved() {
    let stage = Stage::new();
    let mut kept = vec!["first".to_owned()];
    save(&stage, "first");
    for round in (0_u64..10).step_by(usual_or_long(3, 1)) {
        let pid = stage.status()["pid"].as_u64().unwrap().to_string();
        let children: Vec<_> = (0..3).map(|n| format!("save-{round}-{n}")).map(|n| (saving(&stage, &n), n)).collect();
        // Another moment of the saving in each round.
        std::thread::sleep(std::time::Duration::from_millis(round * 12));
        assert!(std::process::Command::new("kill").args(["-9", &pid]).status().unwrap().success());
        for (child, name) in children {
            if child.wait_with_output().unwrap().status.success() {
                kept.push(name);
            }
        }
        let found = saved(&stage);
        assert!(kept.iter().all(|name| found.contains(name)), "{kept:?} in {found:?}");
    }
    let left =
        std::fs::read_dir(stage.home()).unwrap().filter_map(|entry| entry.unwrap().file_name().into_string().ok());
    assert_eq!(left.filter(|name| name.starts_with("sign-ins")).count(), 1, "no half-written file is left");
}
