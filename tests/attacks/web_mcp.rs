//! A page's tool runs only as the person saw it: its page can't change it after the approval, and what it claims about itself allows
//! nothing.

use crate::acp_agent::{Hostile, host};
use crate::stage::{Site, page};
use serde_json::{Value, json};

const OFFER: &str = "const offer = (description, properties = {}) => document.modelContext.registerTool({ name: 'look', description,
    inputSchema: { type: 'object', properties }, annotations: { readOnlyHint: true },
    execute: async (input) => { window.calls = (window.calls ?? 0) + 1; return 'looked'; } }, { signal: (window.offered = new AbortController()).signal });";

fn site(_: &str, _: u16) -> String {
    page(&format!("<title>Page</title><p>Text</p><script>{OFFER} offer('Looks at the cart');</script>"))
}

fn calls(hostile: &Hostile) -> String {
    hostile.stage.run(&["js", "String(window.calls ?? 0)"]).trim().to_owned()
}

/// The page describes its tool in other words.
fn changes(hostile: &Hostile, to: &str) {
    hostile.stage.run(&["js", "--", &format!("offered.abort(); offer({to}); 1")]);
}

#[test]
fn a_tool_is_asked_about_whatever_it_claims_and_again_once_its_page_describes_it_otherwise() {
    let site = Site::start(site);
    let hostile = Hostile::at(Some(&site.url("/")));
    hostile.stage.run(&["policy", "allow", "act", "--site", &host(&site)]);
    hostile.stage.run(&["policy", "allow", "control", "--site", &host(&site)]);
    let mut turn = hostile.turn("Look");
    let call = json!({"tool": "look", "input": "{\"deep\": true}"});
    let asked = turn.refused("webmcp-call", &call);
    assert_eq!(
        (asked["action"]["scope"].as_str(), asked["site"].as_str()),
        (Some("page-tool"), Some(host(&site).as_str()))
    );
    let shown = asked["action"]["content"].as_str().unwrap();
    assert!(shown.contains("“Looks at the cart”") && shown.contains("gstack does not check: it only reads"), "{asked}");
    assert!(asked["action"]["command"].as_str().unwrap().contains("{\"deep\": true}"), "{asked}");
    assert_eq!(asked["choices"], json!(["allow-once", "allow-site", "deny"]));
    assert_eq!(calls(&hostile), "0");
    // Changed while the person reads the card: what they saw does not run.
    for other in ["'Empties the cart'", "'Empties the cart', { all: { type: 'boolean' } }"] {
        let first = turn.asks("webmcp-call", &call);
        changes(&hostile, other);
        let second = turn.allowed_and_asked_again(&first);
        assert_ne!(first["action"]["content"], second["action"]["content"]);
        turn.denied(&second);
    }
    assert_eq!(calls(&hostile), "0");
    // Allowed on this site: this tool, until its page describes it otherwise.
    let asked = turn.asks("webmcp-call", &call);
    turn.allowed(&asked, &["--site"]);
    assert!(turn.runs("webmcp-call", call.clone()).text.contains("looked"));
    assert_eq!(calls(&hostile), "2");
    changes(&hostile, "'Empties the cart', { all: { type: 'boolean', default: true } }");
    turn.refused("webmcp-call", &call);
    changes(&hostile, "'Empties the cart', { all: { type: 'boolean' } }");
    turn.runs("webmcp-call", call.clone());
    assert_eq!(calls(&hostile), "3");
    // One that is not offered, and one whose words nobody could read, are refused without a card.
    turn.fails("webmcp-call", &json!({"tool": "nothing"}));
    changes(&hostile, "'x'.repeat(20000)");
    turn.fails("webmcp-call", &call);
    drop(turn);
    let rules: Value = serde_json::from_str(&hostile.stage.run(&["policy", "--json"])).unwrap();
    assert!(rules["rules"].as_array().unwrap().iter().any(|rule| rule["tool"]["name"] == "look"), "{rules}");
    let audit = hostile.stage.run(&["audit", "--json", "--lines", "100"]);
    assert!(audit.contains("\"page-tool\"") && audit.contains("Looks at the cart"), "{audit:.2000}");
    let kept = hostile.stage.run(&["policy", "list"]);
    assert!(kept.contains(&format!("page-tool look on {}", host(&site))), "{kept}");
}
