//! Only what the card showed runs: it contains the whole action, and an element that changed after the approval was
//! requested needs a new one.

use crate::acp_agent::Hostile;
use crate::stage::{Site, page};
use serde_json::json;
use std::sync::Mutex;

static ARRIVED: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn shop(path: &str, _: u16) -> String {
    ARRIVED.lock().unwrap().push(path.to_owned());
    page(
        "<title>Shop</title><button id=b type=button onclick='window.clicked = 1'>Cancel</button>
        <form action=/safe><input id=n name=n aria-label=Name><button id=s>Search</button></form>
        <input id=i type=button value=Close onclick='window.clicked = 1'><a id=l href='/safe'>Read more</a>",
    )
}

#[test]
fn a_payload_is_on_the_card_however_it_is_hidden() {
    let site = Site::start(shop);
    let hostile = Hostile::at(Some(&site.url("/")));
    let mut turn = hostile.turn("Count the links");
    let paddings = [
        " ".repeat(600),
        "\n".repeat(400),
        format!("/*{}*/", "lorem ipsum ".repeat(3000)),
        "\u{2003}\u{3000}".repeat(300),
        "\u{200b}\u{2060}".repeat(300),
        "\u{202e}\u{2067}\u{200f}".to_owned(),
        "\u{1b}[2K\u{1b}[1A\r\u{8}\u{8}".to_owned(),
    ];
    for padding in paddings {
        let script = format!("1 + 1;{padding};document.title = 'taken over'");
        let asked = turn.refused("js", &json!({"expression": script}));
        let shown = asked["action"]["command"].as_str().unwrap();
        assert!(shown.contains("document.title = 'taken over'"), "the end is missing: {shown:.300}");
        let raw = |letter: char| {
            (letter.is_control() && letter != '\n')
                || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}')
        };
        assert!(!shown.contains(raw), "{shown:.300}");
        assert!(!shown.contains(&" ".repeat(20)) && !shown.contains(&"\n".repeat(20)), "blanks are counted");
    }
    // Typed text is also shown in full.
    let asked = turn.refused("fill", &json!({"selector": "#n", "value": format!("a{}IBAN DE00", " ".repeat(900))}));
    assert!(asked["action"].to_string().contains("IBAN DE00"), "{asked}");
    drop(turn);
    assert_eq!(hostile.stage.run(&["js", "document.title"]), "Shop");
}

#[test]
fn what_changed_between_the_question_and_the_act_is_asked_about_again() {
    let site = Site::start(shop);
    let hostile = Hostile::at(Some(&site.url("/")));
    let mut turn = hostile.turn("Go on");
    let changes = [
        ("#b", "b.textContent = 'Pay 500 EUR'"),
        ("#b", "b.setAttribute('aria-label', 'Delete everything')"),
        ("#b", "b.setAttribute('role', 'checkbox')"),
        ("#i", "i.value = 'Buy now'"),
        ("#s", "s.form.action = '/stolen'"),
    ];
    for (selector, change) in changes {
        let first = turn.asks("click", &json!({"selector": selector}));
        hostile.stage.run(&["js", "--", &format!("{change}; 1")]);
        let second = turn.allowed_and_asked_again(&first);
        assert_ne!(first["action"], second["action"], "{change}");
        turn.denied(&second);
    }
    drop(turn);
    assert_eq!(hostile.stage.run(&["js", "window.clicked ?? 'nothing'"]), "nothing");
    assert!(!ARRIVED.lock().unwrap().iter().any(|path| path.contains("stolen")));
}
