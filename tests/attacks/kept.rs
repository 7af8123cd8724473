//! What gstack stores: nothing typed into a password field, by any command. And no read-only tool deletes any of it.

use crate::acp_agent::{Hostile, host};
use crate::mcp_client::McpClient;
use crate::stage::{Site, Stage, page};
use serde_json::json;
use std::path::Path;

/// Two letters that occur nowhere else.
const SECRET: &str = "\u{416}\u{449}";

fn sign_in(_: &str, _: u16) -> String {
    page(
        "<title>Sign in</title><label>Code word <input id=pw type=password></label><input id=name aria-label=Name>
        <script>console.log('first words'); console.error('first error')</script>",
    )
}

/// Finds every line with one of these texts in the files below a folder. Skips the browser's own profile and the random
/// reserve.
fn holding(folder: &Path, texts: &[&str], found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        let is_foreign = ["chromium-profile", "extension", "reserve"].iter().any(|name| entry.file_name() == *name);
        if kind.is_dir() && !is_foreign {
            holding(&path, texts, found);
        } else if kind.is_file() {
            let bytes = std::fs::read(&path).unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let lines = text.lines().filter(|line| texts.iter().any(|secret| line.contains(secret)));
            found.extend(lines.map(|line| format!("{}: {line:.300}", path.display())));
        }
    }
}

#[test]
fn what_is_typed_into_a_password_field_is_kept_nowhere() {
    let site = Site::start(sign_in);
    let hostile = Hostile::at(Some(&site.url("/")));
    let stage = &hostile.stage;
    let letters: Vec<String> = SECRET.chars().map(String::from).collect();
    let (first, second) = (letters[0].as_str(), letters[1].as_str());
    let (filled, typed) = (format!("{SECRET}fill"), format!("{SECRET}type"));
    let chained = format!("fill #pw {SECRET}chain | click #pw | press {first} | keydown {second} | keyup {second}");
    let listed = format!("[[\"type\",\"{SECRET}list\"],[\"press\",\"Shift+KeyQ\"]]");
    for words in [
        &["fill", "#pw", &filled][..],
        &["type", "--into", "#pw", &typed],
        &["click", "#pw"],
        &["press", first],
        &["press", second, "--repeat", "2"],
        &["key", "Shift+KeyQ"],
        &["keydown", first],
        &["keyup", first],
        &["chain", &chained],
        &["chain", &listed],
        &["tab-each", "press", first],
        &["clipboard", "write", SECRET],
        &["press", "Control+v"],
    ] {
        stage.run(words);
    }
    // Errors contain it too.
    for words in [
        &["press", &typed][..],
        &["keydown", &format!("Control+{SECRET}")],
        &["type", "--into", "#nowhere", &typed, "--timeout", "100"],
        &["fill", "#pw", &filled, "--no-such-flag", SECRET],
        &["chain", &format!("press {SECRET} | nonsense {SECRET}")],
    ] {
        stage.said(words);
    }
    // The agent, with an approval each time and then with a rule.
    let mut turn = hostile.turn("Sign in");
    for (tool, input) in [
        ("fill", json!({"selector": "#pw", "value": filled})),
        ("type", json!({"text": typed, "into": "#pw"})),
        ("press", json!({"key": first})),
    ] {
        let card = turn.refused(tool, &input);
        assert_eq!(card["action"]["scope"], "password", "{tool}: {card}");
        assert!(!letters.iter().any(|letter| card.to_string().contains(letter.as_str())), "{card}");
    }
    stage.run(&["policy", "allow", "password", "--site", &host(&site)]);
    for (tool, input) in [
        ("fill", json!({"selector": "#pw", "value": filled})),
        ("type", json!({"text": typed, "into": "#pw"})),
        ("press", json!({"key": first})),
        ("press", json!({"key": "Shift+KeyQ", "repeat": 2})),
    ] {
        turn.runs(tool, input);
    }
    for (tool, input) in
        [("press", json!({"key": typed})), ("fill", json!({"selector": "#pw", "value": SECRET, "wrong": SECRET}))]
    {
        turn.fails(tool, &input);
    }
    // Text typed into another field appears in its step.
    stage.run(&["policy", "allow", "act", "--site", &host(&site)]);
    turn.runs("fill", json!({"selector": "#name", "value": "Ada Lovelace"}));
    drop(turn);
    assert_eq!(stage.run(&["js", "pw.value.length > 8 && pw.value.includes('QQ')"]), "true");
    let home = stage.folder.path().join("g");
    let mut found = Vec::new();
    holding(&home, &[first, second, "KeyQ", "u{416}", "u0416"], &mut found);
    assert_eq!(found, Vec::<String>::new());
    let said = stage.said(&["activity"]);
    assert!(said.out.contains("press") && !letters.iter().any(|letter| said.out.contains(letter.as_str())), "{said:?}");
    let mut shown = Vec::new();
    holding(&home.join("sessions"), &["Ada Lovelace"], &mut shown);
    assert!(shown.iter().any(|line| line.contains("step-updated")), "{shown:?}");
}

#[test]
fn what_was_collected_is_deleted_by_no_tool_that_only_reads() {
    let site = Site::start(sign_in);
    let hostile = Hostile::at(Some(&site.url("/")));
    let stage: &Stage = &hostile.stage;
    stage.run(&["js", "alert('first dialog')"]);
    let mut turn = hostile.turn("Look");
    for tool in ["console", "dialog", "network"] {
        turn.runs(tool, json!({}));
        turn.fails(tool, &json!({"clear": true}));
        turn.fails(tool, &json!({"--clear": true}));
    }
    let gstack = env!("CARGO_BIN_EXE_gstack");
    for words in
        ["console --clear", "console --errors --clear", "dialog --clear", "network list --clear", "inbox --clear"]
    {
        let said = turn.tries_in_shell(&format!("{gstack} {words}")).unwrap();
        assert!(said.is_error, "{words}: {said:?}");
    }
    drop(turn);
    let mut client = McpClient::start(stage, &[]);
    for tool in ["console", "dialog", "network"] {
        assert!(client.call(tool, &json!({"clear": true})).failed, "{tool}");
    }
    assert!(stage.run(&["console"]).contains("first words") && stage.run(&["dialog"]).contains("first dialog"));
    assert!(stage.run(&["network"]).contains("GET"));
    for profile in [&[][..], &["--profile", "all"], &["--profile", "all", "--secrets"]] {
        let mut client = McpClient::start(stage, profile);
        for tool in client.tools() {
            let clears = tool["inputSchema"]["properties"].get("clear").is_some();
            let (reads, destroys) = (&tool["annotations"]["readOnlyHint"], &tool["annotations"]["destructiveHint"]);
            assert!(!clears || (!profile.is_empty() && reads == false && destroys == true), "{tool}");
        }
    }
    let mut client = McpClient::start(stage, &["--profile", "all"]);
    assert!(!client.call("console", &json!({"clear": true})).failed);
    assert!(stage.run(&["console"]).contains("no console messages"));
}
