//! A machine that can make no sandbox: the kernel refuses Landlock and mounts. With `agents.sandbox = auto` that is said
//! wherever a person looks, and the checks that need no sandbox hold; with `require` no agent starts.
#![cfg(target_os = "linux")]

use crate::acp_agent::Hostile;
use crate::sandbox::{find, skipped};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Starts the daemon of this home where no sandbox can be made, and everything that it starts. Returns false if this
/// machine cannot imitate that.
fn start(hostile: &Hostile) -> bool {
    let folder = hostile.stage.folder.path();
    let script = folder.join("no_sandbox.py");
    std::fs::write(&script, include_str!("no_sandbox.py")).unwrap();
    let plain = hostile.stage.command(&["policy"]);
    let mut command = Command::new(python());
    command.arg(script).arg(plain.get_program()).args(plain.get_args()).env_clear().current_dir(folder);
    command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = command.output().unwrap();
    if output.status.success() {
        return true;
    }
    skipped(&String::from_utf8_lossy(&output.stderr));
    false
}

/// A shim of a version manager would start a shell first.
fn python() -> PathBuf {
    let system = Path::new("/usr/bin/python3");
    if system.exists() { system.to_owned() } else { find("python3").unwrap() }
}

#[test]
fn without_a_mechanism_it_is_said_everywhere_and_the_other_checks_hold() {
    let hostile = Hostile::at(None);
    if !start(&hostile) {
        return;
    }
    let stage = &hostile.stage;
    let mut turn = hostile.turn("Go on");
    // The program that the agent would need to be the person.
    let gstack = env!("CARGO_BIN_EXE_gstack");
    assert!(
        !turn.shell(&format!("cat {}", stage.folder.path().join("g/browse.json").display())).is_error,
        "no sandbox"
    );
    for command in [
        format!("{gstack} policy allow everything"),
        format!("env -i HOME=$HOME GSTACK_HOME=$GSTACK_HOME {gstack} policy allow everything"),
        format!("setsid {gstack} policy allow everything"),
        format!("{gstack} stop"),
        format!("{gstack} settings set agents.sandbox off"),
        format!("{gstack} cookies"),
    ] {
        assert!(turn.shell(&command).is_error, "{command}");
    }
    drop(turn);
    let rules: Value = serde_json::from_str(&stage.run(&["policy", "--json"])).unwrap();
    assert_eq!(rules["rules"], json!([]));
    let status = stage.run(&["status"]);
    assert!(status.contains("Sandbox: Agents run without a sandbox: ") && status.contains("no Landlock"), "{status}");
    // What the panel gets, with the code of its sentence in the person's language.
    let agents: Value = serde_json::from_str(&stage.run(&["agents", "--json"])).unwrap();
    let sandbox = &agents["sandbox"];
    assert!(sandbox["inForce"] == false && sandbox["words"]["message"]["code"] == "sandbox_missing", "{agents}");
    let doctor = stage.said(&["doctor"]).out;
    assert!(doctor.contains("without a sandbox: "), "{doctor}");
    stage.run(&["settings", "set", "agents.sandbox", "require"]);
    let refused = stage.said(&["chat", "again"]);
    assert!(refused.code != Some(0) && refused.err.contains("sandbox"), "{refused:?}");
}
