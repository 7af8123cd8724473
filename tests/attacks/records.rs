//! Only what the card showed runs: it contains the whole action, and an element or a page that changed after the
//! approval was requested needs a new one.

use crate::acp_agent::{Hostile, host};
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

fn board(path: &str, _: u16) -> String {
    let traps = if path == "/trap" {
        "card.addEventListener('pointerdown', () => { done.textContent = 'Delete for good' });"
    } else {
        ""
    };
    page(&format!(
        "<title>Board {path}</title><style>div {{ width: 120px; height: 60px; margin: 20px; background: #ddd }}</style>
        <div id=card role=img aria-label=Invoice></div><div id=done role=list aria-label=Done></div>
        <script>const done = document.getElementById('done'); const card = document.getElementById('card');
        if (location.pathname === '/trap') done.removeAttribute('aria-label');
        done.addEventListener('pointerup', () => {{ window.dropped = (window.dropped ?? 0) + 1 }}); {traps}</script>"
    ))
}

#[test]
fn a_drag_ends_on_the_element_that_its_card_showed() {
    let site = Site::start(board);
    let hostile = Hostile::at(Some(&site.url("/")));
    let mut turn = hostile.turn("Tidy up");
    let drag = json!({"selector": "#card", "to": "#done"});
    let changes = [
        "done.setAttribute('aria-label', 'Delete for good')",
        "done.setAttribute('role', 'button')",
        "done.outerHTML = '<div id=done><a href=/stolen>Done</a></div>'",
        "card.setAttribute('aria-label', 'Contract')",
    ];
    for change in changes {
        let first = turn.asks("drag", &drag);
        let shown = (&first["action"]["element"], &first["action"]["otherElements"][0]);
        assert!(shown.0["role"] == "img" && shown.1["target"] == "#done", "{first}");
        assert_eq!(shown.0["document"], shown.1["document"]);
        hostile.stage.run(&["js", "--", &format!("{change}; 1")]);
        let second = turn.allowed_and_asked_again(&first);
        assert_ne!(first["action"], second["action"], "{change}");
        turn.denied(&second);
        hostile.stage.run(&["reload"]);
    }
    assert_eq!(hostile.stage.run(&["js", "window.dropped ?? 'nothing'"]), "nothing");
    let asked = turn.asks("drag", &drag);
    assert_eq!(asked["action"]["otherElements"][0]["name"], "Done");
    turn.allowed(&asked, &[]);
    assert_eq!(hostile.stage.run(&["js", "window.dropped"]), "1");
    // The page changes it when the button goes down.
    hostile.stage.run(&["goto", &site.url("/trap")]);
    let first = turn.asks("drag", &drag);
    let second = turn.allowed_and_asked_again(&first);
    assert_eq!(second["action"]["otherElements"][0]["name"], "Delete for good");
    turn.denied(&second);
    drop(turn);
    assert_eq!(hostile.stage.run(&["js", "window.dropped ?? 'nothing'"]), "nothing");
}

#[test]
fn what_names_no_element_runs_in_the_document_that_its_card_was_about() {
    let site = Site::start(board);
    let other = Site::start(board);
    let hostile = Hostile::at(Some(&site.url("/")));
    let mut turn = hostile.turn("Go on");
    let calls = [
        ("js", json!({"expression": "document.title = 'taken over'"})),
        ("route", json!({"url": "**/api", "body": "forged"})),
        ("scroll", json!({"by": "0,10"})),
        ("press", json!({"key": "Enter"})),
        ("back", json!({})),
        ("reload", json!({})),
    ];
    let there = site.url("/there");
    let leaves = [
        vec!["goto", &there],
        vec!["reload"],
        vec!["js", "--", "setTimeout(() => { location.href = '/by-itself' }); 1"],
    ];
    for (number, (tool, input)) in calls.iter().enumerate() {
        hostile.stage.run(&["goto", &site.url(&format!("/start{number}"))]);
        let first = turn.asks(tool, input);
        assert!(first["action"]["document"].is_string(), "{first}");
        let before = hostile.stage.run(&["js", "performance.timeOrigin"]);
        hostile.stage.run(&leaves[number % leaves.len()]);
        // A page that goes by itself does so a moment later.
        while hostile.stage.said(&["js", "performance.timeOrigin"]).out.trim() == before.trim() {}
        let second = turn.allowed_and_asked_again(&first);
        assert_ne!(first["action"]["document"], second["action"]["document"], "{tool}");
        turn.denied(&second);
    }
    // On another site it is asked about there.
    let first = turn.asks("js", &calls[0].1);
    hostile.stage.run(&["goto", &other.url("/")]);
    let second = turn.allowed_and_asked_again(&first);
    assert_eq!((first["site"].as_str(), second["site"].as_str()), (Some(&*host(&site)), Some(&*host(&other))));
    turn.denied(&second);
    assert!(!hostile.stage.run(&["js", "document.title"]).contains("taken over"));
    // A page that only changes its address is the same document.
    let asked = turn.asks("js", &calls[0].1);
    hostile.stage.run(&["js", "--", "history.pushState(null, '', '/elsewhere'); 1"]);
    turn.allowed(&asked, &[]);
    drop(turn);
    assert_eq!(hostile.stage.run(&["js", "document.title"]), "taken over");
    assert_eq!(hostile.stage.run(&["route", "list"]), "(no routes)");
}

/// An agent calls many tools at once, from its shell: the person sees a few cards, and the other calls fail.
#[test]
fn a_turn_does_not_flood_the_person_with_cards() {
    const CALLS: usize = 11;
    const CARDS: usize = 8;
    let site = Site::start(shop);
    let hostile = Hostile::at(Some(&site.url("/")));
    let mut turn = hostile.turn("Go on");
    let gstack = env!("CARGO_BIN_EXE_gstack");
    let calls: String = (0..CALLS)
        .map(|call| format!("{{ {gstack} js {call} >said.{call} 2>&1; echo $? >ended.{call}; }} & "))
        .collect();
    turn.starts_in_shell(&format!("{calls} wait; cat ended.*; rm -f said.* ended.*"));
    let work = hostile.stage.work();
    let refused = || (0..CALLS).filter(|call| work.join(format!("ended.{call}")).exists()).count();
    let cards = loop {
        let cards = hostile.approvals();
        assert!(cards.len() <= CARDS, "{} cards", cards.len());
        if refused() == CALLS - CARDS && cards.len() == CARDS {
            break cards;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    };
    for call in (0..CALLS).filter(|call| work.join(format!("ended.{call}")).exists()) {
        let said = std::fs::read_to_string(work.join(format!("said.{call}"))).unwrap();
        assert!(said.contains("only 8 of a turn may be open"), "{said}");
    }
    for card in &cards {
        hostile.stage.run(&["approvals", "deny", card["approvalId"].as_str().unwrap()]);
    }
    let said = turn.shell_ended();
    assert!(!said.text.contains('0'), "none ran: {said:?}");
    // Answered cards make room.
    turn.refused("js", &json!({"expression": "1"}));
}
