//! The keeper hands the browser to a daemon that knows the home's secret, and to no other process of the user's.
#![cfg(target_os = "linux")]

use crate::hostile::{From, Stage};

/// Without the secret: requests that older keepers accepted, wrong and empty proofs, and CDP without any proof.
const STRANGERS: [[&str; 3]; 5] = [
    ["keeper", "plain", r#"{"keeper":"stop"}"#],
    ["keeper", "stop", ""],
    ["keeper", "attach", "00"],
    ["keeper", "attach", ""],
    ["keeper", "plain", r#"{"id":1,"method":"Storage.getCookies"}"#],
];
/// With a copied proof, but on another connection or for another purpose.
const MISUSED: [&str; 4] = ["replayed", "for-another-purpose", "reflected", "parked"];

fn all_refused(stage: &Stage) {
    for from in [From::Agent, From::Terminal] {
        for attack in STRANGERS {
            assert_eq!(stage.attack(from, &attack), ["refused"], "{from:?} {attack:?}");
        }
    }
    for how in MISUSED {
        let got = stage.attack(From::Terminal, &["keeper_knowing", how]);
        assert!(got == ["refused"] || got == ["closed"], "{how}: {got:?}");
    }
    let got = stage.attack(From::Agent, &["keeper_knowing", "rightly"]);
    assert!(got == ["refused"] || got == ["closed"], "an agent that found the secret: {got:?}");
}

fn kill_daemon(stage: &Stage) {
    let pid = i32::try_from(stage.status()["pid"].as_i64().unwrap()).unwrap();
    let daemon = rustix::process::Pid::from_raw(pid).unwrap();
    rustix::process::kill_process(daemon, rustix::process::Signal::KILL).unwrap();
}

#[test]
fn a_stranger_neither_ends_nor_drives_the_browser_also_when_its_daemon_was_killed() {
    let stage = Stage::new();
    stage.run(&["newtab"]);
    let browser = stage.status()["browserPid"].clone();
    assert!(browser.is_number(), "{browser}");
    all_refused(&stage);
    assert_eq!(stage.status()["browserPid"], browser);

    kill_daemon(&stage);
    all_refused(&stage);
    // The next daemon proves itself and takes over the same browser, whether a terminal or the browser's own native
    // host started it.
    stage.run(&["url"]);
    assert_eq!(stage.status()["browserPid"], browser);
}

#[test]
fn connections_that_prove_nothing_do_not_keep_the_next_daemon_out() {
    let stage = Stage::new();
    stage.run(&["newtab"]);
    let browser = stage.status()["browserPid"].clone();
    let flood = stage.attack_beside(From::Terminal, &["keeper_flood", "60"]);
    stage.run(&["stop"]);
    stage.run(&["url"]);
    assert_eq!(stage.status()["browserPid"], browser);
    drop(flood);
}
