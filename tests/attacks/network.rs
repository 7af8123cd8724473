//! Traffic between pages and servers does not bypass the rules: another site's responses stay unreadable, requests of
//! pages change only with a separate permission, and an agent cannot set sign-in credentials.

use crate::acp_agent::{Hostile, host};
use crate::mcp_client::McpClient;
use crate::stage::{Site, Stage, page};
use serde_json::json;

/// Serves a page with a link, whose responses an agent would like to fake.
fn linking(_: &str, _: u16) -> String {
    page("<title>Links</title><a id=file href=/file>Notes</a>")
}

#[test]
fn an_answer_that_an_agent_gives_leads_nowhere_and_saves_nothing_by_itself() {
    let (site, other) = (Site::start(linking), Site::start(linking));
    let hostile = Hostile::at(Some(&site.url("/")));
    hostile.stage.run(&["policy", "allow", "act", "--site", &host(&site)]);
    // Not even if the person lets everything run.
    hostile.stage.run(&["policy", "unattended", "1h"]);
    let mut turn = hostile.turn("Answer in the server's place");
    for header in [
        format!("Location: {}", other.url("/stolen")),
        format!("location: //127.0.0.1:{}/stolen", other.port),
        format!("X-Total: 1\nLOCATION: {}", other.url("/stolen")),
        format!("Refresh: 0; url={}", other.url("/stolen")),
        "Content-Disposition: attachment; filename=run.sh".to_owned(),
        "content-disposition : attachment".to_owned(),
        "Link: </stolen>; rel=prefetch".to_owned(),
    ] {
        for status in ["200", "302", "307"] {
            turn.fails("route", &json!({"url": "**/file", "status": status, "headers": header}));
        }
    }
    // A file that the browser saves because of its type needs the same approval as every download, and is removed.
    turn.runs("route", json!({"url": "**/file", "body": "#!/bin/sh", "content-type": "application/octet-stream"}));
    let rules: serde_json::Value = serde_json::from_str(&hostile.stage.run(&["policy", "--json"])).unwrap();
    let of_everything = rules["rules"].as_array().unwrap().iter().find(|rule| rule["scope"] == "everything").unwrap();
    hostile.stage.run(&["policy", "remove", of_everything["id"].as_str().unwrap()]);
    let card = turn.goes_on_without("click", &json!({"selector": "#file"}));
    assert_eq!(card["action"]["scope"], "download", "{card}");
    drop(turn);
    let listed = hostile.stage.run(&["downloads"]);
    assert!(listed.contains("did not allow it"), "{listed}");
    assert_eq!(hostile.stage.run(&["js", "document.title"]), "Links");
}

/// Serves a page that requests something from another site with the person's cookies, as any page may. `?PORT`: the
/// other site.
fn respond(path: &str, _: u16) -> String {
    match path {
        "/inbox" => page("inbox of ada"),
        _ => page(
            "<title>Asks</title><script>
            fetch(`http://127.0.0.1:${location.search.slice(1)}/inbox`, { mode: 'no-cors', credentials: 'include' })
                .then(() => { document.title = 'Asked'; });
            fetch('/own?token=abc123', { headers: { Authorization: 'Bearer of-ada' } });
            </script>",
        ),
    }
}

#[test]
fn another_sites_answer_and_what_signs_somebody_in_are_not_read_by_way_of_the_requests() {
    let (site, other) = (Site::start(respond), Site::start(respond));
    let hostile = Hostile::at(Some(&site.url(&format!("/?{}", other.port))));
    hostile.stage.run(&["wait", "--networkidle"]);
    let mut turn = hostile.turn("Look at the requests");
    let list = turn.runs("network", json!({"action": "list"})).text;
    assert!(!list.contains("abc123"), "{list}");
    let answered = turn.runs("wait", json!({"response": "**/own**"})).text;
    assert!(answered.contains("/own?token=[redacted]"), "{answered}");
    // Nor can it be guessed letter by letter.
    turn.fails("wait", &json!({"response": "**token=abc**", "timeout": 500}));
    let guessed = turn.runs("network", json!({"action": "list", "filter": "**token=abc**"})).text;
    assert!(guessed.contains("no such requests"), "{guessed}");
    let shown: Vec<String> = list
        .lines()
        .filter(|line| line.contains(" → "))
        .map(|line| {
            let id: u64 = line.split(' ').next().unwrap().parse().unwrap();
            turn.runs("network", json!({"action": "show", "id": id})).text
        })
        .collect();
    let all = shown.join("\n");
    assert!(all.contains("/inbox") && all.contains("not shown to agents"), "{all}");
    for secret in ["inbox of ada", "of-ada", "abc123"] {
        assert!(!all.contains(secret), "{secret}: {all}");
    }
}

#[test]
fn what_pages_are_sent_is_changed_by_no_rule_for_something_else() {
    let site = Site::start(respond);
    let hostile = Hostile::at(Some(&site.url("/?1")));
    for scope in ["act", "control"] {
        hostile.stage.run(&["policy", "allow", scope, "--site", &host(&site)]);
    }
    let mut turn = hostile.turn("Answer in the server's place");
    for input in [
        json!({"url": "**/app.js", "body": "alert(1)", "content-type": "text/javascript"}),
        json!({"url": "**", "abort": true}),
        json!({"url": "**", "delay": 1000}),
    ] {
        let asked = turn.refused("route", &input);
        assert_eq!(asked["action"]["scope"], "intercept", "{input}: {asked}");
    }
    // An agent cannot serve one of the person's files to a page, and cannot set a site's headers or credentials.
    for (tool, input) in [
        ("route", json!({"url": "**", "fulfill": "/etc/passwd"})),
        ("headers", json!({"action": "set", "site": "a.example", "header": "X: 1"})),
        ("credentials", json!({"action": "set", "site": "a.example", "user:password": "a:b"})),
        ("storage", json!({})),
        ("cookies", json!({})),
    ] {
        turn.fails(tool, &input);
    }
    assert_eq!(hostile.stage.run(&["route", "list"]), "(no routes)");
}

#[test]
fn a_recording_for_a_model_holds_no_secret_and_no_other_sites_requests() {
    let (site, other) = (Site::start(respond), Site::start(respond));
    let stage = Stage::new();
    stage.run(&["goto", &site.url("/start")]);
    let mut client = McpClient::start(&stage, &["--profile", "all"]);
    assert!(client.call("har", &json!({ "action": "start", "secrets": true })).failed);
    let began = client.call("har", &json!({ "action": "start", "bodies": true }));
    assert!(!began.failed, "{began:?}");
    stage.run(&["goto", &other.url("/inbox")]);
    stage.run(&["goto", &site.url(&format!("/?{}", other.port))]);
    stage.run(&["wait", "--networkidle"]);
    let saved = client.call("har", &json!({ "action": "stop" })).text;
    let path = saved.split_once("HAR saved: ").and_then(|(_, rest)| rest.split_once(".har")).unwrap().0;
    let file = std::fs::read_to_string(format!("{path}.har")).unwrap();
    assert!(file.contains("/own?token="), "{file}");
    for secret in ["inbox of ada", "of-ada", "abc123"] {
        assert!(!file.contains(secret), "{secret}: {file}");
    }
    let har: serde_json::Value = serde_json::from_str(&file).unwrap();
    let entries = har["log"]["entries"].as_array().unwrap().iter();
    let documents = entries.filter(|entry| entry["_resourceType"] == "document");
    let documents: Vec<&str> = documents.map(|entry| entry["request"]["url"].as_str().unwrap()).collect();
    let ours = site.url("/");
    assert!(!documents.is_empty() && documents.iter().all(|url| url.starts_with(&ours)), "{documents:?}");
    // An agent cannot end the person's recording, or put text of its own into what pages see.
    stage.run(&["har", "start", "--secrets"]);
    assert!(client.call("har", &json!({ "action": "stop" })).failed);
    for (what, value) in
        [("user-agent", "what was read"), ("permissions", "grant camera"), ("locale", "en-x-what-was-read")]
    {
        assert!(client.call("emulate", &json!({ "what": what, "value": value })).failed, "{what}");
    }
    stage.run(&["har", "stop"]);
}
