//! The newest commands give an agent nothing that the older ones denied: no clipboard, no script through `wait`, no
//! unjudged mouse, no file, no upgrade. Neither does its shell, with or without its token.

use crate::acp_agent::{Hostile, host};
use crate::stage::{Site, page};
use serde_json::json;

fn site(_: &str, _: u16) -> String {
    page("<title>Page</title><input id=n aria-label=Name><input type=file id=f><p>Text</p>")
}

#[test]
fn the_newest_commands_open_nothing_to_an_agent() {
    let site = Site::start(site);
    let hostile = Hostile::at(Some(&site.url("/")));
    hostile.stage.run(&["policy", "allow", "act", "--site", &host(&site)]);
    hostile.stage.run(&["clipboard", "write", "from the person"]);
    let mut turn = hostile.turn("Look");
    let script = "document.title = 'taken over'";
    for (tool, input) in [
        ("clipboard", json!({"act": "read"})),
        ("clipboard", json!({"act": "write", "text": "x"})),
        ("keydown", json!({"key": "Enter"})),
        ("keyup", json!({"key": "Space"})),
        ("mouse", json!({"act": "down"})),
        ("drop", json!({"selector": "#f", "file": ["a"]})),
        ("upload", json!({"selector": "#f", "file": ["a"]})),
        ("extract", json!({"schema": "a"})),
        ("chain", json!({"commands": format!("wait --fn \"{script}\"")})),
        ("tab-each", json!({"command": format!("wait --fn \"{script}\"")})),
        ("wait", json!({"fn": script})),
        ("wait", json!({"--fn": script})),
        ("wait", json!({"selector": "--fn", "ms": script})),
        ("type", json!({"text": "x", "into": "#n", "fn": script})),
        ("find", json!({"words": ["Text", "--fn", script]})),
        ("init-script", json!({"action": "add", "script": script})),
        ("storage", json!({"action": "export", "secrets": true})),
        ("cookies", json!({"action": "export"})),
        ("cache", json!({"action": "clear"})),
        ("mhtml", json!({"path": "page.mhtml"})),
        ("video", json!({"action": "start", "path": "page.webm"})),
        ("emulate", json!({"what": "permissions", "value": "grant camera"})),
        ("har", json!({"action": "start", "secrets": true})),
        ("heap", json!({"action": "snapshot"})),
        ("trace", json!({"action": "start"})),
        ("coverage", json!({"what": "js", "action": "start"})),
    ] {
        let said = turn.tries(tool, &input).unwrap();
        assert!(said.is_error && !said.text.contains("from the person"), "{tool} {input}: {said:?}");
    }
    let gstack = env!("CARGO_BIN_EXE_gstack");
    for before in
        ["", "env -u GSTACK_TOKEN ", "env -u GSTACK_TOKEN setsid -w ", "env -i GSTACK_HOME=$GSTACK_HOME HOME=$HOME "]
    {
        for words in [
            "clipboard read",
            "clipboard write x",
            "mouse down",
            "keydown Enter",
            "extract --schema /etc/hostname",
            "chain 'clipboard read'",
            "tab-each clipboard read",
            "snapshot -o x.txt",
            "storage export --secrets",
            "cookies export",
            "har start --secrets",
            "emulate permissions 'grant camera'",
            "mhtml page.mhtml",
            "video start page.webm",
            "video stop",
            "cache clear",
            "policy allow act",
            "policy explain act",
            "policy test /etc/hostname",
            "policy only --off",
            "policy only evil.example",
            "settings set browser.only-sites evil.example",
            "settings set browser.set-frames-aside true",
            "upgrade",
            "upgrade --check",
            "install-host",
            "uninstall-host",
            "mcp install claude --profile all --secrets",
            "mcp uninstall claude",
            "--session other mcp install codex",
        ] {
            let said = turn.tries_in_shell(&format!("{before}{gstack} {words}")).unwrap();
            assert!(said.is_error && !said.text.contains("from the person"), "{before}{words}: {said:?}");
        }
        // A script needs the approval of a script, or the socket is closed to it.
        match turn.tries_in_shell(&format!("{before}{gstack} wait --fn \"{script}\"")) {
            Ok(said) => assert!(said.is_error, "{before}: {said:?}"),
            Err(card) => assert_eq!(card["action"]["scope"], "control", "{card}"),
        }
        // What it may send to a stranger contains nothing about the person.
        let report = turn.tries_in_shell(&format!("{before}{gstack} doctor --report")).unwrap();
        let folder = hostile.stage.folder.path().display().to_string();
        let browse = std::fs::read_to_string(hostile.stage.folder.path().join("g/browse.json")).unwrap();
        let browse: serde_json::Value = serde_json::from_str(&browse).unwrap();
        for secret in [folder.as_str(), browse["token"].as_str().unwrap(), "127.0.0.1", "://"] {
            assert!(!report.text.contains(secret), "{secret}: {report:?}");
        }
    }
    // A daemon in its sandbox would end the agent as a leftover process.
    for before in ["env -u GSTACK_TOKEN", "env -u GSTACK_TOKEN setsid -w", "env -i GSTACK_HOME=$GSTACK_HOME HOME=$HOME"]
    {
        let said = turn.shell(&format!("{before} {gstack} tabs"));
        assert!(said.is_error && said.text.contains("agents don't start it"), "{before}: {said:?}");
    }
    drop(turn);
    for file in [".claude.json", ".codex/config.toml", ".config/chromium/NativeMessagingHosts"] {
        assert!(!hostile.stage.person().join(file).exists(), "{file}");
    }
    assert_eq!(hostile.stage.run(&["js", "document.title"]), "Page");
    let policy: serde_json::Value = serde_json::from_str(&hostile.stage.run(&["policy", "--json"])).unwrap();
    assert_eq!(policy["rules"].as_array().map(Vec::len), Some(1), "{policy}");
    assert_eq!(hostile.stage.run(&["clipboard", "read"]).lines().next(), Some("from the person"));
}

/// Commands that report their progress have a route of their own, which judges an agent as the other one does.
#[test]
fn a_command_with_progress_in_an_agent_s_shell_is_the_agent_s() {
    let site = Site::start(site);
    let hostile = Hostile::at(Some(&site.url("/")));
    hostile.stage.run(&["policy", "unattended", "2h"]);
    let mut turn = hostile.turn("Download");
    let gstack = env!("CARGO_BIN_EXE_gstack");
    for command in [format!("download {}", site.url("/")), "video stop".to_owned()] {
        let said = turn.tries_in_shell(&format!("{gstack} {command}")).unwrap();
        assert!(said.is_error && said.text.contains("is not offered to agents"), "{command}: {said:?}");
        // Variants: without its token, with a wrong one, and as a terminal of the person's.
        for before in ["env -u GSTACK_TOKEN", "env GSTACK_TOKEN=wrong", "env GSTACK_DRIVER=person"] {
            let said = turn.tries_in_shell(&format!("{before} {gstack} {command}")).unwrap();
            assert!(said.is_error, "{before} {command}: {said:?}");
        }
    }
}

/// A person can read a few cards, so a turn has only so many open: the next call is refused, and what is open stays.
#[test]
fn a_turn_that_asks_without_end_opens_eight_cards() {
    let site = Site::start(site);
    let hostile = Hostile::at(Some(&site.url("/")));
    let mut turn = hostile.turn("Flood");
    let gstack = env!("CARGO_BIN_EXE_gstack");
    turn.starts_in_shell(&format!(
        "for n in 1 2 3 4 5 6 7 8; do {gstack} fill '#n' $n & done; until [ -e go ]; do sleep 0.1; done; \
         {gstack} fill '#n' more || echo no-fill; {gstack} goto '{}more' || echo no-goto; touch done; wait",
        site.url("/")
    ));
    let work = hostile.stage.work();
    let until = |reached: &dyn Fn() -> bool| {
        while !reached() {
            assert!(hostile.approvals().len() <= 8);
        }
    };
    until(&|| hostile.approvals().len() == 8);
    std::fs::write(work.join("go"), "").unwrap();
    until(&|| work.join("done").exists());
    let open = hostile.approvals();
    assert_eq!(open.len(), 8, "{open:?}");
    for asked in open {
        hostile.stage.run(&["approvals", "deny", asked["approvalId"].as_str().unwrap()]);
    }
    let said = turn.shell_ended();
    assert!(said.text.contains("no-fill") && said.text.contains("no-goto"), "{said:?}");
}
