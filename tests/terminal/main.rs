//! The real program in a terminal, with the real browser: its output, its exit codes, and what it leaves untouched.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where its world breaks")]

mod agents;
mod attached;
mod builtin;
mod contract;
mod cookies;
#[path = "../shared/long.rs"]
mod long;
mod outcomes;
mod outliving;
mod policy;
mod profiles;
mod sessions;
mod stage;

use stage::{Site, Stage, display, page};

#[test]
fn chain_takes_its_commands_from_standard_input_in_both_forms() {
    let stage = Stage::new();
    for input in ["url | js 1+1", "[[\"url\"], [\"js\", \"1+1\"]]\n"] {
        let said = stage.fed(&["chain"], input.as_bytes());
        assert_eq!((said.code, said.out.as_str()), (Some(0), "[url] about:blank\n\n[js] 2\n"), "{said:?}");
    }
    let said = stage.fed(&["chain"], b"# where it is\nurl\n\njs '1 |\n 2'\n");
    assert_eq!((said.code, said.out.as_str()), (Some(0), "[url] about:blank\n\n[js] 3\n"), "{said:?}");
    for (input, words) in [(&b""[..], "is empty"), (b"\xff\xd8\xff", "is not text")] {
        let said = stage.fed(&["chain"], input);
        assert!(said.code == Some(2) && said.err.contains(words) && said.err.contains("| gstack chain"), "{said:?}");
    }
}

#[test]
fn the_exit_code_says_that_a_step_failed() {
    let stage = Stage::new();
    let failing = "click '#nothing' --timeout 50";
    let said = stage.said(&["chain", &format!("url | {failing} | js 1+1")]);
    assert_eq!((said.code, said.err.as_str()), (Some(1), "gstack: 1 step failed\n"), "{said:?}");
    assert!(said.out.contains("[click] ERROR: ") && said.out.ends_with("[js] 2\n"), "{said:?}");
    stage.run(&["newtab"]);
    let said = stage.said(&["--json", "tab-each", failing]);
    let answer: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!((said.code, &answer["ok"], &answer["failedSteps"]), (Some(1), &false.into(), &2.into()), "{said:?}");
    let all = stage.said(&["--json", "chain", "url | tabs"]);
    assert!(all.code == Some(0) && all.out.contains("\"ok\": true") && !all.out.contains("failedSteps"), "{all:?}");
    // A browser without a window, opened by a command, is not a fault.
    let doctor = stage.run(&["doctor"]);
    assert!(doctor.contains("has no window; for one with the side panel") && !doctor.contains('✗'), "{doctor}");
}

#[test]
fn the_documented_configuration_copied_as_it_is_does_not_keep_gstack_from_connecting() {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/SETTINGS.md");
    let page = std::fs::read_to_string(page).unwrap();
    let mut blocks = page.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
    let block = blocks.find(|block| block.starts_with("# ~/.gstack/config.toml")).unwrap();
    let stage = Stage::new();
    std::fs::create_dir_all(stage.folder.path().join("g")).unwrap();
    std::fs::write(stage.folder.path().join("g/config.toml"), block).unwrap();
    let connected = stage.run(&["connect", "--headless"]);
    assert!(connected.contains("Connected with"), "{connected}");
    let settings = stage.run(&["settings"]);
    for name in ["agents.output-kilobytes", "daemon.port", "agents.programs", "browser.path"] {
        assert!(settings.contains(&format!("{name} = ")), "{name}: {settings}");
    }
    // The file that scripts read states what kind of browser is open.
    let state = || std::fs::read_to_string(stage.folder.path().join("g/browse.json")).unwrap_or_default();
    while !state().contains("\"headless\"") {
        std::thread::yield_now();
    }
    stage.run(&["disconnect"]);
    while !state().contains("\"none\"") {
        std::thread::yield_now();
    }
}

#[test]
fn a_usage_error_ends_with_the_usage_and_json_has_it_too() {
    let stage = Stage::new();
    // An empty list is JSON too. A browser that a command opens adds its panel's confirmation.
    assert_eq!(stage.run(&["audit", "--json"]), "[]");
    for (args, usage) in [
        (&["click"][..], "Usage: gstack click <sel> ["),
        (&["click", "#a", "--timeout", "soon"], "Usage: gstack click <sel> ["),
        (&["chain", "[1]"], "Usage: gstack chain <commands…>"),
        (&["wait", "500"], "Usage: gstack wait [sel]"),
        (&["clik"], "Usage: gstack [OPTIONS] <COMMAND>"),
        (&["connect", "--headles"], "Usage: gstack connect [OPTIONS]"),
        (&["settings", "set", "agents.at-once", "many"], "Usage: gstack settings set [OPTIONS] <NAME> <VALUE>"),
        (&["mcp", "--secrets"], "Usage: gstack mcp"),
        (&["--tab", "x", "url"], "Usage: gstack"),
    ] {
        let said = stage.said(args);
        let last = said.err.lines().last().unwrap_or_default();
        assert!(said.code == Some(2) && last.starts_with(usage), "{args:?}: {said:?}");
        assert_eq!(said.err.matches("Usage: ").count(), 1, "{args:?}: {said:?}");
        let said = stage.said(&[args, &["--json"]].concat());
        let answer: serde_json::Value =
            serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{args:?}: {said:?}"));
        assert_eq!((said.code, &answer["ok"]), (Some(2), &false.into()), "{args:?}");
    }
    let named = stage.fails(&["--session", "work", "chat", "--stop"]);
    assert!(named.contains("gstack --session work connect"), "{named}");
}

#[test]
fn what_was_done_and_which_tab_has_which_conversation_is_known_after_a_restart() {
    let stage = Stage::new();
    stage.run(&["url"]);
    stage.run(&["chat", "help"]);
    stage.run(&["newtab"]);
    stage.run(&["chat", "help"]);
    let with_tab = || stage.run(&["sessions"]).matches("  tab ").count();
    assert_eq!(with_tab(), 2);
    stage.run(&["stop"]);
    // Starts the next daemon, which takes over the browser.
    stage.run(&["url"]);
    assert_eq!(with_tab(), 2);
    let activity = stage.run(&["activity"]);
    assert!(activity.contains("newtab"), "{activity}");
}

#[test]
fn the_inbox_and_the_status_need_no_browser() {
    let stage = Stage::new();
    assert_eq!(stage.run(&["inbox"]), "(the inbox is empty)");
    let folder = stage.work().join(".context/sidebar-inbox");
    std::fs::create_dir_all(&folder).unwrap();
    let message = r#"{"id":"a1","at":"2026-01-02T03:04:05Z","title":"T","url":"https://a.example/","text":"hello"}"#;
    std::fs::write(folder.join("1767323045000-a1.json"), message).unwrap();
    let shown = stage.run(&["inbox"]);
    assert!(shown.starts_with("[2026-01-02T03:04:05Z]\n[UNTRUSTED TEXT]") && shown.contains("T\nhello"), "{shown}");
    assert_eq!(stage.run(&["inbox", "--clear"]), "Inbox cleared: 1 message.");
    assert_eq!(stage.status()["mode"], "none");
}

fn shop(path: &str, _: u16) -> String {
    page(&format!("<title>{path}</title><h1>Page {path}</h1><button>Buy</button>"))
}

const FILL: &str = "localStorage.setItem('a', '1'); sessionStorage.setItem('b', '2'); document.cookie = 's=session'";
const READ: &str = "[localStorage.getItem('a'), sessionStorage.getItem('b'), document.cookie].join(' ')";

#[test]
fn a_handoff_without_a_display_loses_nothing() {
    let site = Site::start(shop);
    let stage = Stage::new();
    stage.run(&["goto", &site.url("/one")]);
    stage.run(&["js", FILL]);
    let pid = stage.status()["browserPid"].clone();
    let refused = stage.fails(&["handoff", "sign", "in"]);
    assert!(refused.contains("no display") && refused.contains("nothing was changed"), "{refused}");
    assert_eq!(stage.status()["browserPid"], pid);

    // A display that does not respond: the browser was closed for it, and is restored as it was.
    let stage = stage.with_display(":4711");
    let refused = stage.fails(&["handoff"]);
    assert!(refused.contains("no window could be opened"), "{refused}");
    assert_eq!(stage.status()["mode"], "headless");
    assert_eq!(stage.run(&["url"]), site.url("/one"));
    assert_eq!(stage.run(&["js", READ]), "1 2 s=session");
}

#[test]
fn a_person_takes_over_and_gives_back() {
    let Some((_server, display)) = display() else { return };
    let site = Site::start(shop);
    let stage = Stage::new().with_display(&display);
    stage.run(&["goto", &site.url("/one")]);
    stage.run(&["js", FILL]);
    stage.run(&["chat", "go to", &site.url("/talk")]);
    stage.run(&["goto", &site.url("/one")]);
    stage.run(&["newtab", &site.url("/two")]);
    assert_eq!(stage.status()["mode"], "headless");
    let handed = stage.run(&["handoff", "please", "sign in"]);
    let expected = format!(
        "HANDED OFF: the browser is in a window, at {} (2 tabs)\nFor the person: please sign in\n",
        site.url("/two")
    );
    assert!(handed.starts_with(&expected), "{handed}");
    assert_eq!(stage.status()["mode"], "headed");
    let tabs = stage.run(&["tabs"]);
    let first = tabs.lines().find(|line| line.contains("/one")).unwrap();
    let id = first.split(['[', ']']).nth(1).unwrap();
    assert_eq!(stage.run(&["--tab", id, "js", READ]), "1 2 s=session");
    // The tab's conversation was restored too.
    let conversation = stage.run(&["--tab", id, "--json", "chat", "help"]);
    assert!(conversation.lines().next().unwrap().contains("/talk"), "{conversation}");
    let resumed = stage.run(&["resume"]);
    assert!(resumed.starts_with("RESUMED\n[UNTRUSTED TEXT]") && resumed.contains("[button] \"Buy\""), "{resumed}");
    let button = resumed.lines().find(|line| line.contains("Buy")).unwrap().trim().split(' ').next().unwrap();
    assert!(stage.run(&["click", button]).starts_with("Clicked @e"));
    assert!(stage.run(&["handoff"]).starts_with("HANDED OFF"), "a browser with a window is only brought to the front");
}
