//! The real program in a terminal, with the real browser: what it prints, how it ends, what it leaves alone.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where its world breaks")]

mod attached;
mod contract;
mod cookies;
mod stage;

use stage::{Site, Stage, display, page};

#[test]
fn chain_takes_its_commands_from_standard_input_in_both_forms() {
    let stage = Stage::new();
    for input in ["url | js 1+1", "[[\"url\"], [\"js\", \"1+1\"]]\n"] {
        let said = stage.fed(&["chain"], input.as_bytes());
        assert_eq!((said.code, said.out.as_str()), (Some(0), "[url] about:blank\n\n[js] 2\n"), "{said:?}");
    }
    for (input, words) in [(&b""[..], "is empty"), (b"\xff\xd8\xff", "is no text")] {
        let said = stage.fed(&["chain"], input);
        assert!(said.code == Some(2) && said.err.contains(words) && said.err.contains("| gstack chain"), "{said:?}");
    }
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
    assert!(shown.starts_with("[2026-01-02T03:04:05Z]\n--- BEGIN UNTRUSTED") && shown.contains("T\nhello"), "{shown}");
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

    // A display that does not answer: the browser was closed for it, and comes back as it was.
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
    // The tab's conversation came along.
    let conversation = stage.run(&["--tab", id, "--json", "chat", "help"]);
    assert!(conversation.lines().next().unwrap().contains("/talk"), "{conversation}");
    let resumed = stage.run(&["resume"]);
    assert!(resumed.starts_with("RESUMED\n--- BEGIN UNTRUSTED") && resumed.contains("[button] \"Buy\""), "{resumed}");
    let button = resumed.lines().find(|line| line.contains("Buy")).unwrap().trim().split(' ').next().unwrap();
    assert!(stage.run(&["click", button]).starts_with("Clicked @e"));
    assert!(stage.run(&["handoff"]).starts_with("HANDED OFF"), "a browser with a window is only brought to the front");
}
