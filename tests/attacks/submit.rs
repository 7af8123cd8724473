//! Submitting a form needs its own approval: a rule that allows acting on the site does not cover it, whichever element
//! or key submits it. A rule that names the scope does.

use crate::acp_agent::{Hostile, host};
use crate::stage::{Site, page};
use serde_json::json;
use std::sync::Mutex;

static ARRIVED: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn form(path: &str, _: u16) -> String {
    ARRIVED.lock().unwrap().push(path.to_owned());
    page(
        "<title>Form</title><form id=f action=/sent><input id=n name=n aria-label=Name><textarea id=t></textarea>
        <button id=inside>Next</button><button id=deep><b><i id=icon>Go</i></b></button>
        <input id=image type=image alt=Next><button id=reset type=reset>Clear</button></form>
        <button id=outside form=f>Weiter</button><label id=label for=inside>Also next</label>
        <button id=more type=button>More</button>",
    )
}

fn sent() -> bool {
    ARRIVED.lock().unwrap().iter().any(|path| path.starts_with("/sent"))
}

#[test]
fn a_form_is_not_sent_by_a_rule_that_allows_acting() {
    let site = Site::start(form);
    let hostile = Hostile::at(Some(&site.url("/")));
    hostile.stage.run(&["policy", "allow", "act", "--site", &host(&site)]);
    let mut turn = hostile.turn("Fill it in");
    turn.runs("click", json!({"selector": "#more"}));
    turn.runs("fill", json!({"selector": "#n", "value": "Ada"}));
    for selector in ["#inside", "#icon", "#image", "#outside", "#label"] {
        let asked = turn.refused("click", &json!({"selector": selector}));
        assert_eq!(asked["action"]["scope"], "submit", "{selector}: {asked}");
    }
    turn.runs("click", json!({"selector": "#n"}));
    for (tool, input) in [
        ("press", json!({"key": "Enter"})),
        ("press", json!({"key": "NumpadEnter"})),
        ("type", json!({"text": "Ada\r"})),
        ("type", json!({"text": "Ada\nLovelace"})),
    ] {
        let asked = turn.refused(tool, &input);
        assert_eq!(asked["action"]["scope"], "submit", "{tool} {input}: {asked}");
    }
    assert!(!sent(), "nothing was sent");
    // The person's own choice of the scope applies.
    hostile.stage.run(&["policy", "allow", "submit", "--site", &host(&site)]);
    turn.runs("click", json!({"selector": "#outside"}));
    drop(turn);
    assert!(sent());
}
