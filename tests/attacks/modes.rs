//! An agent without a mode in which it asks, and one that starts its MCP server itself: neither gets more than the others.

use crate::acp_agent::Hostile;
use crate::stage::{Site, page};
use serde_json::json;
use std::fs;

fn is_confined(hostile: &Hostile) -> bool {
    hostile.stage.status()["sandbox"].as_str().is_some_and(|sandbox| sandbox.starts_with("Agents run in a sandbox"))
}

#[test]
fn an_agent_that_never_asks_writes_nothing_in_its_folder_until_the_person_chooses_it() {
    let hostile = Hostile::with(None, &["never-asks"]);
    let ways = ["echo x > new", "mkdir made", "git init -q", "touch ."];
    let mut turn = hostile.turn("write");
    if !is_confined(&hostile) {
        return;
    }
    let place = turn.shell("pwd").text;
    for way in ways {
        let said = turn.shell(way);
        assert!(said.is_error, "{way} in {place}: {said:?}");
    }
    drop(turn);
    // An unknown mode opens nothing.
    let mut turn = hostile.turn_by(&["chat", "--mode", "yolo", "again"]);
    assert!(turn.shell("echo x > new").is_error);
    drop(turn);
    let mut turn = hostile.turn_by(&["chat", "--mode", "gstack:writes", "now"]);
    let said = turn.shell("echo x > new && cat new");
    assert!(!said.is_error && said.text.trim() == "x", "{said:?}");
}

#[test]
fn an_agent_that_starts_its_server_itself_has_the_same_tools_and_cards_and_loses_them_with_its_end() {
    let site = Site::start(|_, _| page("<title>Here</title><button>Press</button>"));
    let hostile = Hostile::with(Some(&site.url("/")), &["stdio"]);
    let mut turn = hostile.turn("look");
    let text = turn.runs("text", json!({})).text;
    assert!(text.contains("Press"), "{text}");
    let card = turn.tries("click", &json!({"selector": "button"}));
    assert!(card.is_err(), "a click is asked for: {card:?}");
    // The file is its own: no other agent finds it, and it opens nothing once the agent has ended.
    let run = hostile.stage.folder.path().join("g/run");
    let file = fs::read_dir(&run).unwrap().flatten().map(|entry| entry.path());
    let file = file.into_iter().find(|path| path.extension().is_some_and(|kind| kind == "json")).unwrap();
    let token = fs::read_to_string(&file).unwrap();
    drop(turn);
    hostile.stage.run(&["stop"]);
    assert!(!file.exists());
    let kept = hostile.stage.folder.path().join("kept.json");
    fs::write(&kept, token).unwrap();
    let mut command = hostile.stage.command(&["mcp", "--agent-token-file", kept.to_str().unwrap()]);
    let begun = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#;
    let mut child = command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(child.stdin.as_mut().unwrap(), format!("{begun}\n").as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    // The browser's extension may have started another daemon, which refuses the token.
    let answered = String::from_utf8(output.stdout).unwrap();
    assert!(!answered.contains("result"), "{answered}");
    assert!(
        if answered.is_empty() { !output.status.success() } else { answered.contains("the token is missing, wrong") },
        "{answered}"
    );
}
