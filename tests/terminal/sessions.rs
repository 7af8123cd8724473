//! `--session`: instances side by side, what `gstack instances` says of them, and what is left of one that was killed.

use super::long::usual_or_long;
use super::stage::{Site, Stage, ended, kill, page, parent, signal};
use rustix::process::Signal;
use std::process::Output;

fn titled(path: &str, _: u16) -> String {
    page(&format!("<title>{}</title><h1>Page</h1>", path.trim_start_matches('/')))
}

fn of(session: &str) -> [&str; 2] {
    ["--session", session]
}

fn in_session(stage: &Stage, session: &str, args: &[&str]) -> String {
    stage.run(&[&of(session)[..], args].concat())
}

fn row(stage: &Stage, name: &str) -> serde_json::Value {
    let all: serde_json::Value = serde_json::from_str(&stage.run(&["instances", "--json"])).unwrap();
    all.as_array().unwrap().iter().find(|row| row["name"] == name).cloned().unwrap_or_default()
}

fn pid(row: &serde_json::Value, name: &str) -> i64 {
    row[name].as_i64().unwrap_or_else(|| panic!("no {name} in {row}"))
}

#[test]
fn two_sessions_side_by_side_never_answer_for_each_other() {
    let stage = Stage::new();
    let site = Site::start(titled);
    let names = ["default", "shop", "news"];
    for name in names {
        let connected = in_session(&stage, name, &["connect", "--headless"]);
        // The side panel's host found this instance's daemon.
        assert!(connected.contains("panel connected"), "{connected}");
        in_session(&stage, name, &["goto", &site.url(&format!("/{name}"))]);
        in_session(&stage, name, &["js", &format!("document.cookie = 'who={name}'")]);
    }
    let commands = usual_or_long(60, 200);
    let stage = &stage;
    let crossed: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|thread| {
                scope.spawn(move || {
                    let wrong = |number: &usize| {
                        let name = names[(number * 7 + thread) % names.len()];
                        in_session(stage, name, &["js", "document.title + document.cookie"])
                            != format!("{name}who={name}")
                    };
                    (0..commands / 4).filter(wrong).count()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(crossed, 0);
    // The default one is also reached without the option, and the variable chooses like it.
    assert_eq!(stage.run(&["js", "document.title"]), "default");
    let output = stage.command(&["js", "document.title"]).env("GSTACK_SESSION", "news").output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "news\n");
    for name in names {
        let found = row(stage, name);
        assert_eq!(
            (&found["state"], &found["mode"], &found["tabs"]),
            (&"running".into(), &"headless".into(), &1.into())
        );
        assert_eq!((&found["profile"], &found["current"]), (&"default".into(), &(name == "default").into()), "{found}");
        assert!(found["memory"].as_u64().unwrap() > 50_000_000 && found["since"].as_u64().unwrap() > 0, "{found}");
        assert_eq!(stage.status_of(name)["session"], name);
    }
    assert!(in_session(stage, "shop", &["status"]).contains("Session: shop"));
    assert!(stage.said(&["--session", "shop", "doctor"]).out.contains("shop"));

    assert_eq!(stage.run(&["instances", "stop", "shop"]), "Stopped the session shop. Conversations are kept.");
    assert_eq!(row(stage, "shop")["state"], "stopped");
    assert_eq!(stage.run(&["instances", "stop", "shop"]), "The session shop was not running.");
    assert!(stage.fails(&["instances", "stop", "nobody"]).contains("there is no instance"));
    assert_eq!(in_session(stage, "news", &["js", "document.title"]), "news", "another session's end");
    assert_eq!(stage.run(&["instances", "stop", "--all"]), "Stopped: default, news. Conversations are kept.");
    let states: Vec<_> = names.iter().map(|name| row(stage, name)["state"].clone()).collect();
    assert!(states.iter().all(|state| state == "stopped"), "{states:?}");
}

#[test]
fn what_was_killed_is_shown_as_such_and_starts_again() {
    let stage = Stage::new();
    let site = Site::start(titled);
    in_session(&stage, "shop", &["connect", "--headless", "--profile", "work"]);
    in_session(&stage, "shop", &["goto", &site.url("/before")]);
    stage.run(&["goto", &site.url("/other")]);
    let before = row(&stage, "shop");
    kill(pid(&before, "pid"));
    // The extension's host starts the next daemon, or the next command does: it has the same browser.
    assert_eq!(in_session(&stage, "shop", &["js", "document.title"]), "before");
    let after = row(&stage, "shop");
    assert_ne!(after["pid"], before["pid"]);
    assert_eq!((&after["browserPid"], &after["profile"]), (&before["browserPid"], &"work".into()));
    assert_eq!(stage.run(&["js", "document.title"]), "other", "the other instance saw nothing of it");

    // Keeper, browser and daemon are killed: locks are free, sockets and records are left.
    let keeper = parent(pid(&after, "browserPid"));
    let browser = pid(&after, "browserPid");
    kill(keeper);
    ended(browser);
    let daemon = stage.status_of("shop")["pid"].as_i64().unwrap();
    kill(daemon);
    let dead = row(&stage, "shop");
    assert_eq!(dead["state"], "dead", "{dead}");
    assert!(stage.run(&["instances"]).contains("ended unexpectedly"));
    assert_eq!(stage.run(&["instances", "stop", "shop"]), "The session shop was not running.");
    in_session(&stage, "shop", &["goto", &site.url("/again")]);
    assert_eq!(in_session(&stage, "shop", &["js", "document.title"]), "again");
    assert_eq!(row(&stage, "shop")["state"], "running");

    // The daemon alone is stopped: the browser stays, and is ended with its instance.
    let browser = pid(&row(&stage, "shop"), "browserPid");
    in_session(&stage, "shop", &["stop"]);
    let alone = row(&stage, "shop");
    if alone["state"] == "browser-only" {
        assert_eq!((pid(&alone, "browserPid"), &alone["profile"]), (browser, &"default".into()), "{alone}");
    }
    stage.run(&["instances", "stop", "shop"]);
    ended(browser);
    assert_eq!(row(&stage, "shop")["state"], "stopped");
}

#[test]
fn a_daemon_that_hangs_is_told_and_keeps_no_other_from_ending() {
    let stage = Stage::new();
    in_session(&stage, "shop", &["agents"]);
    stage.run(&["agents"]);
    let hung = stage.status_of("shop")["pid"].as_i64().unwrap();
    signal(hung, Signal::STOP);
    let found = row(&stage, "shop");
    assert!(found["state"] == "silent" && found["fault"]["message"].is_string(), "{found}");
    assert_eq!(row(&stage, "default")["state"], "running");
    let said = stage.said(&["instances", "stop", "--all"]);
    assert!(said.code == Some(1) && said.out.contains("Stopped: default.") && said.err.contains("shop"), "{said:?}");
    signal(hung, Signal::CONT);
    assert_eq!(stage.run(&["instances", "stop", "--all"]), "Stopped: shop. Conversations are kept.");
}

#[test]
fn connects_at_once_open_one_browser_in_a_session_with_a_long_path() {
    let stage = Stage::new();
    let home = stage.folder.path().join("long-".repeat(20));
    let command = |args: &[&str]| {
        let mut command = stage.command(&[&of("shop")[..], args].concat());
        command.env("GSTACK_HOME", &home);
        command
    };
    let children: Vec<_> = (0..3)
        .map(|_| {
            let mut command = command(&["connect", "--headless"]);
            command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
            command.spawn().unwrap()
        })
        .collect();
    let said: Vec<Output> = children.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
    let text = |output: &Output| String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.iter().all(|output| output.status.success()), "{said:?}");
    assert_eq!(said.iter().filter(|output| text(output).contains("browser started")).count(), 1, "{said:?}");
    assert_eq!(said.iter().filter(|output| text(output).contains("browser found")).count(), 2, "{said:?}");
    let listed = text(&command(&["instances"]).output().unwrap());
    assert!(listed.contains("* shop") && listed.contains("running"), "{listed}");
    assert!(text(&command(&["instances", "stop", "--all"]).output().unwrap()).contains("Stopped: shop"));
}
