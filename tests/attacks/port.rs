//! The port serves the person's scripts: an agent that has read their token gets nothing, and scripts get no secrets.
#![cfg(target_os = "linux")]

use crate::hostile::{From, Stage};

#[test]
fn an_agent_with_the_token_is_refused_however_it_connects() {
    let stage = Stage::new();
    for attack in [
        &["status"][..],
        &["status", "::ffff:127.0.0.1"],
        &["status", "127.0.0.1", "127.0.0.5"],
        &["status", "::ffff:127.0.0.1", "::ffff:127.3.0.1"],
        &["parked"],
        &["parked", "1"],
        &["hidden"],
    ] {
        let said = stage.attack(From::Agent, attack);
        assert_eq!(said, ["403"], "{attack:?}");
    }
    for attack in [&["status"][..], &["status", "::ffff:127.0.0.1"], &["status", "127.0.0.1", "127.0.0.5"]] {
        assert_eq!(stage.attack(From::Terminal, attack), ["200"], "{attack:?}");
    }
    // A message-queue entry belongs to no process that can be shown to be the person's.
    assert_eq!(stage.attack(From::Terminal, &["parked"]), ["403"]);
}

#[test]
fn scripts_drive_pages_and_get_no_secrets_unless_the_person_says_so() {
    let refused: [&[&str]; 4] = [
        &["command", "cookies"],
        &["command", "storage"],
        &["command", "chain", "url | cookies"],
        &["command", "tab-each", "cookies"],
    ];
    let stage = Stage::new();
    for attack in refused {
        assert_eq!(stage.attack(From::Terminal, attack), ["403"], "{attack:?}");
    }
    assert_eq!(stage.attack(From::Terminal, &["command", "status"]), ["200"]);
    // A chain is judged by its parts.
    assert_eq!(stage.attack(From::Terminal, &["command", "chain", "status | tabs"]), ["200"]);
    drop(stage);
    let stage = Stage::with_config("[daemon]\nscript-secrets = true\n");
    // 404 means that there is no such saved state: the request was let through.
    assert_ne!(stage.attack(From::Terminal, &["command", "state", "load", "none"]), ["403"]);
    assert_eq!(stage.attack(From::Agent, &["command", "state", "load", "none"]), ["403"]);
}

#[test]
fn half_open_connections_delay_no_request() {
    let stage = Stage::new();
    // They end by themselves after a while, so the attempt is repeated on a machine that stalls for that long.
    let answered_beside_them = (0..5).any(|_| {
        let mut flood = stage.attack_beside(From::Agent, &["half_open", "160"]);
        assert_eq!(stage.attack(From::Terminal, &["status"]), ["200"]);
        flood.go_on().parse::<u32>().unwrap() > 0
    });
    assert!(answered_beside_them, "the request was answered only when the others had ended");
}

#[test]
fn a_header_that_decides_something_comes_once() {
    let stage = Stage::new();
    for (header, value) in [
        ("Host", "localhost"),
        ("Host", "evil.example"),
        ("Sec-Fetch-Site", "none"),
        ("Sec-Fetch-Mode", "navigate"),
        ("Origin", "null"),
        ("Authorization", "Bearer x"),
    ] {
        assert_eq!(stage.attack(From::Terminal, &["twice", header, value]), ["400"], "{header}: {value}");
    }
}
