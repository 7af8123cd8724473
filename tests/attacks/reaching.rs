//! A click or key does exactly what was judged, and nothing inside, below or behind the target. No form is submitted by
//! a click on its button's container or by another name of Enter, no password is typed through a label or a Tab, and an
//! approval for one site does not reach another site's frame.

use crate::acp_agent::{Hostile, Turn, host};
use crate::long::usual_or_long;
use crate::mcp_client::McpClient;
use crate::stage::{Site, page};
use serde_json::{Value, json};
use std::sync::Mutex;

static ARRIVED: Mutex<Vec<String>> = Mutex::new(Vec::new());
/// The port of the other site.
static EMBEDDED: Mutex<Option<u16>> = Mutex::new(None);

const FRAME: &str = "<body style='margin:0'><form action=/sent><input id=inner name=q aria-label=Search>
    <button style='width:100%;height:150px'>In a frame</button></form>";

fn form(path: &str, _: u16) -> String {
    ARRIVED.lock().unwrap().push(path.to_owned());
    if path.starts_with("/frame") {
        return page(FRAME);
    }
    page(
        "<title>Form</title><style>div, label, form, svg { width: max-content } #wide { width: 400px; height: 60px }</style>
        <form id=f action=/sent><input id=n name=n aria-label=Name><button id=inside accesskey=s>Next</button>
        <div id=wrap><p><button id=deep><b id=left>Left</b> <b id=right>right</b></button></p></div>
        <label id=trap><input type=checkbox id=box style='visibility:hidden;position:absolute'><button id=wide>Agree</button></label>
        <input type=checkbox id=c aria-label=Small></form>
        <button id=gone type=button onclick='fetch(\"/sent?gone\")'>Delete account</button>
        <input id=first aria-label=First><label id=named>Code word <input id=second type=password></label>
        <textarea id=note></textarea>
        <iframe id=frame src=/frame style='width:300px;height:200px'></iframe>",
    )
}

fn sent() -> bool {
    ARRIVED.lock().unwrap().iter().any(|path| path.starts_with("/sent"))
}

/// Checks that each call needs an approval in this scope, or is refused without one.
fn is_stopped(turn: &mut Turn<'_>, (tool, input): (&str, Value), scope: &str) {
    match turn.tries(tool, &input) {
        Ok(said) => assert!(said.is_error, "{tool} {input} ran: {said:?}"),
        Err(card) => assert_eq!(card["action"]["scope"], scope, "{tool} {input}: {card}"),
    }
}

#[test]
fn a_form_is_not_sent_by_what_lies_in_the_element_or_by_another_key() {
    let site = Site::start(form);
    let hostile = Hostile::at(Some(&site.url("/")));
    hostile.stage.run(&["policy", "allow", "act", "--site", &host(&site)]);
    let mut turn = hostile.turn("Fill it in");
    for call in [
        // In the middle of each of these is a button of the form.
        ("click", json!({"selector": "#wrap"})),
        ("click", json!({"selector": "#wrap p"})),
        ("click", json!({"selector": "#wrap", "count": 2})),
        ("click", json!({"selector": "#trap"})),
        ("check", json!({"selector": "#box"})),
        ("click", json!({"selector": "#frame"})),
        // A press and a release on the same button.
        ("drag", json!({"selector": "#left", "to": "#right"})),
        ("drag", json!({"selector": "#inside", "to": "#inside"})),
        ("drag", json!({"selector": "#wrap", "to": "#deep"})),
        ("drag", json!({"selector": "#inside", "to": "#nowhere", "timeout": 500})),
        // Enter and Space, into a named element.
        ("type", json!({"text": "Ada\n", "into": "#n"})),
        ("type", json!({"text": "\n", "into": "#c"})),
        ("type", json!({"text": " ", "into": "#inside"})),
        ("type", json!({"text": "a b", "into": "#inside"})),
        ("type", json!({"text": "\n", "into": "#gone"})),
        ("type", json!({"text": " ", "into": "#gone"})),
        ("type", json!({"text": "x\t\n", "into": "#n"})),
        ("type", json!({"text": "\n", "into": "#frame"})),
    ] {
        is_stopped(&mut turn, call, "submit");
    }
    // Into the focused element, by each name of the key.
    turn.runs("click", json!({"selector": "#n"}));
    for key in ["Return", "enter", "RETURN", "Shift+Return", "\r"] {
        is_stopped(&mut turn, ("press", json!({"key": key})), "submit");
    }
    turn.runs("press", json!({"key": "Tab"}));
    for key in ["Space", " ", "space", "Shift+Space"] {
        is_stopped(&mut turn, ("press", json!({"key": key})), "submit");
    }
    is_stopped(&mut turn, ("type", json!({"text": " "})), "submit");
    turn.runs("press", json!({"key": "Alt+s"}));
    // In a focused frame.
    turn.runs("click", json!({"selector": "#inner"}));
    is_stopped(&mut turn, ("press", json!({"key": "Enter"})), "submit");
    assert!(!sent(), "{:?}", ARRIVED.lock().unwrap());
    // Everything else remains possible.
    for (tool, input) in [
        ("type", json!({"text": "Ada Lovelace", "into": "#n"})),
        ("type", json!({"text": "two\nlines", "into": "#note"})),
        ("click", json!({"selector": "#c"})),
        ("press", json!({"key": "Space"})),
        ("click", json!({"selector": "#named"})),
        ("drag", json!({"selector": "#n", "to": "#note"})),
    ] {
        turn.runs(tool, input);
    }
    drop(turn);
    assert_eq!(hostile.stage.run(&["js", "n.value + '|' + note.value"]), "Ada Lovelace|two\nlines");
    assert!(!sent());
}

#[test]
fn a_password_is_not_typed_by_way_of_a_label_a_tab_or_a_host() {
    fn fields(_: &str, _: u16) -> String {
        page(
            "<title>Sign in</title><input id=first aria-label=First><label id=named>Code word <input id=second type=password></label>
            <div id=host></div><script>
            const root = host.attachShadow({ mode: 'open', delegatesFocus: true });
            root.innerHTML = '<input type=password>';
            window.secrets = () => second.value + root.firstChild.value;
            </script>",
        )
    }
    let site = Site::start(fields);
    let hostile = Hostile::at(Some(&site.url("/")));
    hostile.stage.run(&["policy", "allow", "act", "--site", &host(&site)]);
    let mut turn = hostile.turn("Sign in");
    for call in [
        ("fill", json!({"selector": "#named", "value": "hunter2"})),
        ("type", json!({"text": "hunter2", "into": "#named"})),
        ("type", json!({"text": "hunter2", "into": "#host"})),
        ("type", json!({"text": "ada\thunter2", "into": "#first"})),
        ("type", json!({"text": "\thunter2", "into": "#first"})),
    ] {
        is_stopped(&mut turn, call, "password");
    }
    turn.runs("click", json!({"selector": "#named"}));
    for key in ["h", "KeyH", "Shift+KeyH", "Digit2"] {
        is_stopped(&mut turn, ("press", json!({"key": key})), "password");
    }
    drop(turn);
    assert_eq!(hostile.stage.run(&["js", "secrets()"]), "");
}

#[test]
fn a_form_is_not_sent_again_by_loading_its_answer_again() {
    static POSTED: Mutex<Vec<String>> = Mutex::new(Vec::new());
    fn shop(path: &str, port: u16) -> String {
        POSTED.lock().unwrap().push(path.to_owned());
        match path {
            "/pay" => page("<title>Paid</title>Thank you"),
            "/away" => format!(
                "HTTP/1.1 303 See Other\r\nlocation: http://127.0.0.1:{port}/cart\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            ),
            _ => page(
                "<title>Shop</title><form method=post action=/pay><button id=pay>Pay</button></form>
                <form method=post action=/away><button id=away>Away</button></form>",
            ),
        }
    }
    let site = Site::start(shop);
    let hostile = Hostile::at(Some(&site.url("/")));
    hostile.stage.run(&["policy", "allow", "act", "--site", &host(&site)]);
    let paid = || POSTED.lock().unwrap().iter().filter(|path| *path == "/pay").count();
    let mut turn = hostile.turn("Is it paid?");
    turn.runs("reload", json!({}));
    hostile.stage.run(&["click", "#away"]);
    turn.runs("reload", json!({}));
    hostile.stage.run(&["click", "#pay"]);
    for input in [json!({}), json!({"hard": true})] {
        let card = turn.refused("reload", &input);
        assert_eq!((&card["action"]["scope"], &card["action"]["submits"]), (&json!("submit"), &json!(true)), "{card}");
    }
    // Going back and forth loads it from the cache, or not at all.
    turn.tries("back", &json!({})).unwrap();
    turn.tries("forward", &json!({})).unwrap();
    drop(turn);
    assert_eq!(paid(), 1);
    // A person's own command is obeyed.
    hostile.stage.run(&["reload"]);
    assert_eq!(paid(), 2);
}

#[test]
fn a_pattern_that_never_ends_holds_up_no_page() {
    fn text(_: &str, _: u16) -> String {
        page(&format!("<title>Text</title><p>{}!</p>", "a".repeat(60)))
    }
    let site = Site::start(text);
    let hostile = Hostile::at(Some(&site.url("/")));
    let mut turn = hostile.turn("Look");
    let pattern = "text=/^(a+)+$/";
    // Each takes all of the seconds that a script of ours has.
    let tools = [
        ("text", json!({"selector": pattern})),
        ("scroll", json!({"until": pattern, "timeout": 500})),
        ("wait", json!({"selector": pattern, "timeout": 500})),
        ("snapshot", json!({"selector": pattern})),
        ("table", json!({"selector": pattern})),
    ];
    for (tool, input) in &tools[..usual_or_long(2, tools.len())] {
        if let Ok(said) = turn.tries(tool, input) {
            assert!(said.is_error, "{tool}: {said:?}");
        }
        turn.runs("text", json!({}));
    }
}

#[test]
fn what_was_allowed_on_a_site_is_not_done_in_the_frame_of_another() {
    fn around(_: &str, _: u16) -> String {
        let port = EMBEDDED.lock().unwrap().unwrap();
        page(&format!(
            "<title>Shop</title><input id=own aria-label=Own><iframe src='http://localhost:{port}/frame' style='width:300px;height:200px'></iframe>"
        ))
    }
    let other = Site::start(form);
    *EMBEDDED.lock().unwrap() = Some(other.port);
    let site = Site::start(around);
    let hostile = Hostile::at(Some(&site.url("/")));
    for scope in ["act", "submit"] {
        hostile.stage.run(&["policy", "allow", scope, "--site", &host(&site)]);
    }
    let mut turn = hostile.turn("Go on");
    turn.runs("fill", json!({"selector": "#own", "value": "x"}));
    let there = format!("localhost:{}", other.port);
    for (tool, input) in [
        ("fill", json!({"selector": "#inner", "value": "Ada"})),
        ("click", json!({"selector": "#inner"})),
        ("type", json!({"text": "Ada", "into": "#inner"})),
        ("click", json!({"selector": "text=In a frame"})),
        ("drag", json!({"selector": "#inner", "to": "#own"})),
    ] {
        let card = turn.refused(tool, &input);
        assert_eq!(card["site"], there.as_str(), "{tool} {input}: {card}");
    }
    // A drag is judged where it starts, and cannot end in another site's frame.
    turn.fails("drag", &json!({"selector": "#own", "to": "#inner", "timeout": 2000}));
    // The person moves the focus there, so keys go there too.
    hostile.stage.run(&["click", "#inner"]);
    for key in ["a", "Enter"] {
        assert_eq!(turn.refused("press", &json!({"key": key}))["site"], there.as_str(), "{key}");
    }
    hostile.stage.run(&["policy", "allow", "act", "--site", &there]);
    turn.runs("fill", json!({"selector": "#inner", "value": "Ada"}));
    for (from, to) in [("#own", "#inner"), ("#inner", "#own")] {
        turn.fails("drag", &json!({"selector": from, "to": to, "timeout": 2000}));
    }
}

/// The page moves the keyboard focus, or the frame itself, as soon as the first key or the pointer arrives.
#[test]
fn keys_text_and_drops_for_a_page_do_not_reach_the_frame_of_another_site_that_it_puts_in_their_way() {
    static SEEN: Mutex<Vec<String>> = Mutex::new(Vec::new());
    static PORT: Mutex<Option<u16>> = Mutex::new(None);
    const BANK: &str =
        "<input id=inner autofocus><script>for (const type of ['keydown', 'keypress', 'input', 'dragenter', 'drop'])
        addEventListener(type, (event) => fetch('/sent?' + type + event.key));</script>";
    fn bank(path: &str, _: u16) -> String {
        SEEN.lock().unwrap().push(path.to_owned());
        page(BANK)
    }
    fn around(path: &str, _: u16) -> String {
        let port = PORT.lock().unwrap().unwrap();
        let (host, when) = path.trim_start_matches('/').split_once('-').unwrap_or_default();
        let does = if when == "dragenter" {
            "bank.style.cssText = 'position: fixed; inset: 0; width: 100%; height: 100%'"
        } else {
            "bank.focus()"
        };
        page(&format!(
            "<title>Shop</title><input id=own aria-label=Own><textarea id=note aria-label=Note></textarea>
             <b id=thing draggable=true>Thing</b> <div id=place style='height: 99px'>Place</div>
             <iframe id=bank src='http://{host}:{port}/bank'></iframe>
             <script>addEventListener('dragover', (event) => event.preventDefault());
             addEventListener('dragstart', (event) => event.dataTransfer.setData('text', 'x'));
             let first = true;
             addEventListener('{when}', () => {{ if (first) {does}; first = false; }}, true);</script>"
        ))
    }
    let other = Site::start(bank);
    *PORT.lock().unwrap() = Some(other.port);
    let site = Site::start(around);
    let hostile = Hostile::at(Some(&site.url("/localhost-none")));
    hostile.stage.run(&["policy", "allow", "act", "--site", &host(&site)]);
    hostile.stage.run(&["policy", "allow", "submit", "--site", &host(&site)]);
    let mut turn = hostile.turn("Go on");
    // In a process of its own, and in that of the page.
    for other in ["localhost", "127.0.0.1"] {
        for (when, tool, input) in [
            ("none", "type", json!({"text": "hello", "into": "#own"})),
            ("keydown", "type", json!({"text": "hello", "into": "#own"})),
            ("keydown", "press", json!({"key": "a", "repeat": 3})),
            ("focusin", "fill", json!({"selector": "#note", "value": "hello"})),
            ("dragenter", "drag", json!({"selector": "#thing", "to": "#place"})),
        ] {
            hostile.stage.run(&["goto", &site.url(&format!("/{other}-{when}"))]);
            if tool == "press" {
                hostile.stage.run(&["js", "first = false; own.focus(); first = true"]);
            }
            SEEN.lock().unwrap().clear();
            let done = turn.tries(tool, &input).unwrap_or_else(|card| panic!("{other} {when} {tool}: {card}"));
            assert!(when != "none" || !done.is_error, "{done:?}");
            // Messages of the frame may be on their way.
            turn.runs("text", json!({}));
            assert!(
                SEEN.lock().unwrap().iter().all(|path| !path.starts_with("/sent")),
                "{other} {when} {tool}: {:?} {done:?}",
                SEEN.lock().unwrap()
            );
        }
    }
}

#[test]
fn the_clipboard_is_not_pasted_unasked() {
    let site = Site::start(form);
    let hostile = Hostile::at(Some(&site.url("/")));
    hostile.stage.run(&["policy", "allow", "act", "--site", &host(&site)]);
    hostile.stage.run(&["clipboard", "write", "a secret of the person's"]);
    let mut turn = hostile.turn("Go on");
    turn.runs("click", json!({"selector": "#first"}));
    for key in ["Control+v", "ControlOrMeta+V", "Control+KeyV", "Control+Shift+v", "Shift+Insert"] {
        let card = turn.refused("press", &json!({"key": key}));
        assert!(card["why"].as_str().is_some_and(|why| why.contains("send text from another page")), "{key}: {card}");
    }
    turn.runs("click", json!({"selector": "#note", "button": "middle"}));
    turn.runs("press", json!({"key": "Control+a"}));
    // The person's other program holds the modifier.
    for (held, key) in [("Control", "v"), ("Control", "KeyV"), ("Shift", "Insert")] {
        hostile.stage.run(&["keydown", held]);
        turn.fails("press", &json!({"key": key}));
        hostile.stage.run(&["keyup", held]);
    }
    drop(turn);
    assert_eq!(hostile.stage.run(&["js", "first.value + note.value"]), "");
}

#[test]
fn a_password_that_the_page_shows_is_read_by_no_command() {
    fn shown(_: &str, _: u16) -> String {
        page(
            "<title>Sign in</title><table><tr><th>Field</th></tr><tr><td><label>One <input id=one type=text autocomplete=current-password value=hunter2one></label></td></tr></table>
            <form><label id=two>Two <input id=was type=password value=hunter2two></label></form>
            <form id=tokens><input type=hidden id=token name=csrfToken value=hunter2token><input type=hidden name=page value=kept>
            <template><input type=password value=hunter2template></template></form><meta name=csrf-token content=hunter2meta>
            <label>Dots <input id=dots style='-webkit-text-security:disc' value=hunter2dots></label>
            <label>Lines <textarea id=lines style='-webkit-text-security:square'>hunter2lines</textarea></label>
            <dl><dt>Pass</dt><dd><input type=text autocomplete='section-a new-password' value=hunter2dd></dd></dl>",
        )
    }
    let site = Site::start(shown);
    let stage = crate::stage::Stage::new();
    stage.run(&["goto", &site.url("/")]);
    stage.run(&["snapshot"]);
    // The page's "show password".
    stage.run(&["js", "was.type = 'text'; 1"]);
    std::fs::write(
        stage.work().join("schema.json"),
        r#"{"type":"object","properties":{"one":{"type":"string"},"two":{"type":"string"},"pass":{"type":"string"}}}"#,
    )
    .unwrap();
    for words in [
        &["snapshot"][..],
        &["snapshot", "--json"],
        &["snapshot", "-i", "--boxes", "--json"],
        &["snapshot", "--search", "textbox"],
        &["find", "textbox"],
        &["text"],
        &["text", "#one"],
        &["text", "#was"],
        &["text", "#lines"],
        &["value", "#dots"],
        &["value", "#lines"],
        &["attrs", "#dots"],
        &["forms"],
        &["value", "#one"],
        &["value", "#two"],
        &["attrs", "#one"],
        &["attrs", "#was"],
        &["table"],
        &["table", "--csv"],
        &["html"],
        &["html", "form"],
        &["html", "#tokens"],
        &["html", "dl"],
        &["attrs", "#token"],
        &["attrs", "meta[name=csrf-token]"],
        &["value", "#token"],
        &["accessibility"],
        &["data"],
        &["media"],
        &["inspect", "#one"],
        &["extract", "--schema", "schema.json"],
        &["links"],
    ] {
        let said = stage.said(words);
        assert!(!format!("{said:?}").contains("hunter2"), "{words:?}: {said:?}");
    }
    let html = stage.run(&["html"]);
    assert!(html.contains(r#"name="page" value="kept""#) && html.matches("[redacted]").count() == 8, "{html}");
    let mut client = McpClient::start(&stage, &["--profile", "all"]);
    for (tool, input) in [
        ("html", json!({})),
        ("accessibility", json!({})),
        ("attrs", json!({"selector": "#one"})),
        ("value", json!({"selector": "#was"})),
        ("snapshot", json!({})),
        ("find", json!({"words": "One"})),
    ] {
        let answer = client.call(tool, &input);
        assert!(!answer.failed && !answer.text.contains("hunter2"), "{tool}: {answer:?}");
    }
}
