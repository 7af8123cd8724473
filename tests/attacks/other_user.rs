//! Another user of this machine gets nothing by gstack's sockets, port, files and program, also where the modes of the
//! home are open. Only root can start processes of another user.
#![cfg(target_os = "linux")]

use crate::hostile::{From, Stage};
use crate::sandbox::skipped;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output};

/// The user `nobody`.
const STRANGER: u32 = 65_534;
const PYTHON: &str = "/usr/bin/python3";
const SOCKETS: [&str; 3] = ["http.sock", "panel.sock", "browser.sock"];

/// Returns a home with a browser in a folder that the stranger can enter, or `None` if this user cannot be another.
fn stage() -> Option<Stage> {
    if !rustix::process::geteuid().is_root() || !Path::new(PYTHON).exists() {
        skipped("only root can start processes of another user, with /usr/bin/python3");
        return None;
    }
    let stage = Stage::new();
    stage.run(&["newtab"]);
    open(&stage.folder(), 0o755);
    Some(stage)
}

fn open(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn as_stranger(program: &Path, arguments: &[&str], folder: &Path, home: &Path) -> Output {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).env_clear().uid(STRANGER).gid(STRANGER);
    command.env("PATH", "/usr/bin:/bin").env("HOME", "/nonexistent").env("GSTACK_HOME", home).env("TARGET", home);
    command.output().unwrap()
}

/// Returns an attack's results; `closed` if the stranger could not even reach the file.
fn attack(stage: &Stage, home: &Path, attack: &[&str]) -> Vec<String> {
    let script = stage.folder().join("hostile.py");
    let arguments: Vec<&str> = std::iter::once(script.to_str().unwrap()).chain(attack.iter().copied()).collect();
    let output = as_stranger(Path::new(PYTHON), &arguments, &stage.folder(), home);
    let said = String::from_utf8_lossy(&output.stderr);
    if said.contains("PermissionError") {
        return vec!["closed".to_owned()];
    }
    assert!(output.status.success(), "{attack:?}: {said}");
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

fn sockets_get(stage: &Stage, expected: &[&str]) {
    for call in [
        &["plain", "http.sock"][..],
        &["plain", "panel.sock"],
        &["daemonised", "http.sock"],
        &["keeper", "plain", r#"{"keeper":"stop"}"#],
        &["keeper", "attach", ""],
        &["keeper", "stop", "00"],
    ] {
        let said = attack(stage, &stage.home(), call);
        assert!(said.len() == 1 && expected.contains(&said[0].as_str()), "{call:?}: {said:?}");
    }
}

#[test]
fn another_user_reaches_no_socket_even_if_the_modes_let_them() {
    let Some(stage) = stage() else { return };
    let browser = stage.status()["browserPid"].clone();
    for path in [stage.home(), stage.home().join("browse.json")] {
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o077, 0, "{}", path.display());
    }
    sockets_get(&stage, &["closed"]);
    // Somebody has opened the folder and the sockets: now the kernel's word about the peer decides.
    open(&stage.home(), 0o755);
    for socket in SOCKETS {
        open(&stage.home().join(socket), 0o666);
    }
    sockets_get(&stage, &["refused", "403"]);
    assert!(stage.has_no_rules());
    assert_eq!(stage.status()["browserPid"], browser);
    assert_eq!(stage.attack(From::Terminal, &["plain", "http.sock"]), ["200"], "the person is served");
}

#[test]
fn another_user_reaches_no_saved_sign_in() {
    let Some(stage) = stage() else { return };
    crate::auth::save(&stage, "ada@shop");
    open(&stage.home(), 0o755);
    for path in ["http.sock", "browse.json"] {
        open(&stage.home().join(path), 0o666);
    }
    for place in ["http.sock", "127.0.0.1"] {
        let said = attack(&stage, &stage.home(), &["auth", place]);
        assert!(said.iter().all(|said| said == "403" || said == "refused"), "{place}: {said:?}");
    }
    assert_eq!(crate::auth::saved(&stage), ["ada@shop"]);
    let file = fs::metadata(stage.home().join("sign-ins.age")).unwrap();
    assert_eq!(file.permissions().mode() & 0o077, 0);
}

#[test]
fn another_user_with_the_token_is_refused_at_the_port() {
    let Some(stage) = stage() else { return };
    let copied = stage.folder().join("copied");
    fs::create_dir(&copied).unwrap();
    fs::copy(stage.home().join("browse.json"), copied.join("browse.json")).unwrap();
    for path in [&copied, &copied.join("browse.json")] {
        open(path, 0o755);
    }
    for call in
        [&["status"][..], &["status", "::ffff:127.0.0.1"], &["status", "127.0.0.1", "127.0.0.5"], &["command", "url"]]
    {
        assert_eq!(attack(&stage, &copied, call), ["403"], "{call:?}");
    }
    assert_eq!(stage.attack(From::Terminal, &["status"]), ["200"]);
}

#[test]
fn another_user_neither_reads_nor_changes_the_home_nor_uses_it_with_the_real_program() {
    let Some(stage) = stage() else { return };
    let program = stage.folder().join("gstack");
    fs::copy(env!("CARGO_BIN_EXE_gstack"), &program).unwrap();
    open(&program, 0o755);
    let home = stage.home();
    let there = home.display();
    for attempt in [
        format!("ls {there}"),
        format!("cat {there}/browse.json"),
        format!("cat {there}/policy.json {there}/audit.jsonl {there}/keeper.key"),
        format!("touch {there}/planted"),
        format!("ln -s /etc/passwd {there}/config.toml"),
        format!("mv {there} {there}-gone"),
        format!("chmod 777 {there}"),
        format!("rm -f {there}/http.sock"),
    ] {
        let output = as_stranger(Path::new("/bin/sh"), &["-c", &attempt], &stage.folder(), &home);
        assert!(!output.status.success() && output.stdout.is_empty(), "{attempt}: {output:?}");
    }
    for arguments in [&["status"][..], &["policy", "allow", "everything"], &["url"], &["stop"], &["disconnect"]] {
        let output = as_stranger(&program, arguments, &stage.folder(), &home);
        assert!(!output.status.success(), "{arguments:?}: {output:?}");
    }
    assert!(stage.has_no_rules() && stage.status()["browserPid"].is_number());
}

#[test]
fn a_home_that_another_user_has_planted_as_a_link_is_not_used() {
    let Some(stage) = stage() else { return };
    let shared = stage.folder().join("shared");
    fs::create_dir(&shared).unwrap();
    open(&shared, 0o1777);
    let plant = "mkdir evil && chmod 777 evil && ln -s evil g && ln -s evil/deep h && ln -s /nonexistent i";
    let planted = as_stranger(Path::new("/bin/sh"), &["-c", plant], &shared, &shared);
    assert!(planted.status.success(), "{planted:?}");
    for home in ["g", "g/below", "h", "i", "evil", "evil/below"] {
        let output = stage.gstack(&["settings"]).env("GSTACK_HOME", shared.join(home)).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let is_refused = said.contains("another user") || said.contains("every user can replace");
        assert!(!output.status.success() && is_refused, "{home}: {output:?}");
    }
    assert!(fs::read_dir(shared.join("evil")).unwrap().next().is_none(), "nothing was written there");
}
