//! Marks over a page and picking: visible to the person, invisible to everyone else.

use crate::world::{World, with_world};
use gstack_browser::devtools_session::Session;
use gstack_browser::page::refs::RefName;
use gstack_browser::page::{Marks, PickedElement};
use gstack_protocol::fault::FaultCode;
use serde_json::{Value, json};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

const SOON: Duration = Duration::from_secs(10);

async fn marks(world: &World) -> Marks {
    world.context.pages.marks(&world.context.tab().await.unwrap()).await.unwrap()
}

async fn page(world: &World) -> Session {
    world.context.tab().await.unwrap().engage().await.unwrap()
}

/// The test's own session: reading a document again invalidates the node ids of its session.
async fn reader(world: &World) -> Session {
    let target = world.context.tab().await.unwrap().info().unwrap().page.unwrap();
    let browser = &world.context.browser;
    let attached =
        send(&browser.root(), "Target.attachToTarget", json!({ "targetId": target.as_str(), "flatten": true })).await;
    browser.cdp().session(attached["sessionId"].as_str().unwrap().to_owned().into())
}

/// In view, because marks are drawn only in visible tabs.
async fn open(world: &World) {
    while world.output("goto", &[&world.page("marks.html")]).await.is_err() {
        // The window's first page was still loading.
    }
}

async fn send(session: &Session, method: &'static str, params: Value) -> Value {
    session.call_json(method, &params, SOON).await.unwrap()
}

async fn pointer(session: &Session, kind: &str, x: u32, y: u32) {
    let button = if kind == "mouseMoved" { "none" } else { "left" };
    let event = json!({ "type": kind, "x": x, "y": y, "button": button, "clickCount": 1 });
    send(session, "Input.dispatchMouseEvent", event).await;
}

/// Returns the content of our closed roots, which only the debugger can read: one text per frame, in document order.
async fn drawn(world: &World) -> String {
    let session = reader(world).await;
    let tree = send(&session, "DOM.getDocument", json!({ "depth": -1, "pierce": true })).await;
    let mut text = String::new();
    collect(&tree["root"], false, &mut text);
    text
}

fn collect(node: &Value, within: bool, text: &mut String) {
    if within && let Some(value) = node["nodeValue"].as_str().filter(|value| !value.is_empty()) {
        text.push_str(value);
        text.push('\n');
    }
    let attributes = node["attributes"].as_array().cloned().unwrap_or_default();
    let ours = within || attributes.iter().any(|name| name == "data-gstack");
    for roots in ["shadowRoots", "children"] {
        for child in node[roots].as_array().into_iter().flatten() {
            collect(child, ours, text);
        }
    }
    if !node["contentDocument"].is_null() {
        collect(&node["contentDocument"], ours, text);
    }
}

/// Waits until the drawn text contains these words.
async fn until_drawn(world: &World, words: &str) -> String {
    let limit = tokio::time::Instant::now() + SOON;
    loop {
        let text = drawn(world).await;
        if text.contains(words) {
            return text;
        }
        assert!(tokio::time::Instant::now() < limit, "{words} was not drawn, but: {text}");
        tokio::task::yield_now().await;
    }
}

/// Starts a pick; `act` moves the pointer once the browser is ready.
async fn pick(world: &World, act: impl AsyncFnOnce(Session)) -> Option<PickedElement> {
    let marks = marks(world).await;
    let end = CancellationToken::new();
    let ends = end.clone();
    let picking = tokio::spawn(async move { marks.pick(&ends).await.unwrap() });
    act(page(world).await).await;
    let picked = tokio::time::timeout(SOON, picking).await;
    end.cancel();
    picked.expect("the pick ended").unwrap()
}

#[test]
fn badges_stand_at_the_refs_and_the_page_sees_one_element_without_content() {
    with_world(|world| async move {
        open(&world).await;
        let button = world.find("Go on").await;
        let inner = world.find("Inside").await;
        let before = world.output("text", &[]).await.unwrap().text;
        world.run("js", &["added.length = 0"]).await;
        let marks = marks(&world).await;
        let refs = marks.refs().await.unwrap();
        assert!(refs.iter().any(|listed| listed.name.to_string() == button && listed.label == "Go on"), "{refs:?}");
        marks.show_refs(true).await.unwrap();
        marks.highlight(RefName::parse(&button)).await.unwrap();
        until_drawn(&world, &format!("{button} button \"Go on\"")).await;
        // Badges are placed before they are shown, so they may appear after the outline.
        let text = until_drawn(&world, &format!("{inner}\n")).await;
        assert!(text.lines().any(|line| line == button) && text.lines().any(|line| line == inner), "{text}");
        // The page sees one closed element of ours, which its styles and scripts cannot change.
        let hosts = "added.filter((node) => node.hasAttribute('data-gstack')).length + ':' + added.length";
        assert_eq!(world.run("js", &[hosts]).await, "1:1");
        let host = "document.querySelector('[data-gstack]')";
        assert_eq!(
            world.run("js", &[&format!("{host}.shadowRoot === null && {host}.childNodes.length === 0")]).await,
            "true"
        );
        let style = format!(
            "(({{display, visibility, opacity, transform, pointerEvents}}) => [display, visibility, opacity, transform, pointerEvents].join())(getComputedStyle({host}))"
        );
        assert_eq!(world.run("js", &[&style]).await, "block,visible,1,none,none");
        assert_eq!(world.run("js", &["document.elementFromPoint(60, 70).id"]).await, "go");
        // Our element is in no reading and in no snapshot.
        assert_eq!(world.output("text", &[]).await.unwrap().text, before);
        assert!(!world.run("html", &[]).await.contains("<div data-gstack"));
        assert_eq!(world.find("Go on").await, button);
        marks.show_refs(false).await.unwrap();
        marks.highlight(None).await.unwrap();
        assert_eq!(world.run("js", &[&format!("{host} === null")]).await, "true");
        let gone = marks.highlight(RefName::parse("@e999")).await.unwrap_err();
        assert_eq!(gone.to_string(), "Ref @e999 not found. Run 'snapshot' to get fresh refs.");
        world
    });
}

#[test]
fn what_is_drawn_is_in_no_picture() {
    with_world(|world| async move {
        world.open_hidden("marks.html").await;
        let button = world.find("Go on").await;
        let cwd = world.context.cwd.clone().unwrap();
        world.run("screenshot", &["before.png"]).await;
        let marks = marks(&world).await;
        marks.show_refs(true).await.unwrap();
        marks.highlight(RefName::parse(&button)).await.unwrap();
        until_drawn(&world, &button).await;
        world.run("screenshot", &["after.png"]).await;
        let read = |name: &str| std::fs::read(cwd.join(name)).unwrap();
        assert!(read("before.png") == read("after.png"), "our marks are in the picture");
        let words = "document.querySelector('[data-gstack]').getAttribute('data-gstack')";
        assert_eq!(world.run("js", &[words]).await, "");
        world
    });
}

#[test]
fn badges_follow_the_next_snapshot_and_go_with_their_element() {
    with_world(|world| async move {
        open(&world).await;
        world.find("Go on").await;
        let marks = marks(&world).await;
        marks.show_refs(true).await.unwrap();
        world
            .run("js", &["document.body.insertAdjacentHTML('afterbegin', '<button id=\"new\">New one</button>')"])
            .await;
        let new = world.find("New one").await;
        until_drawn(&world, &new).await;
        world.run("js", &["document.getElementById('new').remove()"]).await;
        assert!(marks.refs().await.unwrap().iter().all(|listed| listed.name.to_string() != new));
        world
    });
}

#[test]
fn a_pick_gives_a_ref_and_the_page_notices_nothing() {
    with_world(|world| async move {
        open(&world).await;
        let picked = pick(&world, async |session| {
            // Until the pick is ready, the page receives the pointer.
            loop {
                world.run("js", &["seen.length = 0"]).await;
                pointer(&session, "mouseMoved", 90, 80).await;
                pointer(&session, "mouseMoved", 92, 81).await;
                if world.run("js", &["seen.length"]).await == "0" {
                    break;
                }
            }
            until_drawn(&world, "button \"Go on\"").await;
            pointer(&session, "mousePressed", 92, 81).await;
            pointer(&session, "mouseReleased", 92, 81).await;
        })
        .await
        .unwrap();
        assert_eq!(world.run("js", &["seen.join()"]).await, "");
        assert_eq!((picked.role.as_str(), picked.label.as_str()), ("button", "Go on"));
        assert_eq!(picked.selector, "button#go.main.big");
        assert_eq!(picked.rect, (40.0, 60.0, 120.0, 40.0));
        assert_eq!(picked.html, "<button id=\"go\" class=\"main big\">Go on</button>");
        let name = picked.name.to_string();
        assert!(world.run("attrs", &[&name]).await.contains("\"id\": \"go\""));
        assert_eq!(world.find("Go on").await, name);
        world.run("click", &[&name]).await;
        assert!(world.run("js", &["seen.join()"]).await.contains("click"));
        world
    });
}

#[test]
fn a_pick_reaches_into_frames_and_takes_keys() {
    with_world(|world| async move {
        open(&world).await;
        world.find("Inside").await;
        let picked = pick(&world, async |session| {
            until_picking(&world, &session).await;
            pointer(&session, "mouseMoved", 350, 80).await;
            until_drawn(&world, "button \"Inside\"").await;
            pointer(&session, "mousePressed", 350, 80).await;
            pointer(&session, "mouseReleased", 350, 80).await;
        })
        .await
        .unwrap();
        assert_eq!((picked.label.as_str(), picked.url), ("Inside", world.page("marks-inner.html")));
        assert_eq!(world.run("js", &["seen.includes('inner click')"]).await, "false");

        let by_keys = pick(&world, async |session| {
            until_picking(&world, &session).await;
            for (key, drawn) in
                [("Tab", "\"Go on\""), ("Tab", "\"Far away\""), ("ArrowLeft", "\"Go on\""), ("Enter", "")]
            {
                let event = json!({ "type": "rawKeyDown", "key": key, "code": key });
                send(&session, "Input.dispatchKeyEvent", event).await;
                until_drawn(&world, drawn).await;
            }
        })
        .await
        .unwrap();
        assert_eq!(by_keys.label, "Go on");

        // Key events that the page synthesises neither pick nor cancel.
        let forged = pick(&world, async |session| {
            // The previous keys scrolled.
            world.run("js", &["scrollTo(0, 0)"]).await;
            until_picking(&world, &session).await;
            let keys =
                "for (const key of ['Tab', 'Enter', 'Escape']) dispatchEvent(new KeyboardEvent('keydown', { key }))";
            world.run("js", &[keys]).await;
            pointer(&session, "mouseMoved", 90, 80).await;
            until_drawn(&world, "button \"Go on\"").await;
            pointer(&session, "mousePressed", 90, 80).await;
            pointer(&session, "mouseReleased", 90, 80).await;
        });
        assert_eq!(forged.await.map(|picked| picked.label).as_deref(), Some("Go on"));

        let given_up = pick(&world, async |session| {
            until_picking(&world, &session).await;
            let event = json!({ "type": "rawKeyDown", "key": "Escape", "code": "Escape", "windowsVirtualKeyCode": 27 });
            send(&session, "Input.dispatchKeyEvent", event).await;
        });
        assert_eq!(given_up.await, None);
        assert_eq!(world.run("js", &["document.querySelector('[data-gstack]') === null"]).await, "true");
        assert_eq!(world.fault("inspect", &["@e999"]).await.code, FaultCode::Element);
        world
    });
}

#[test]
fn a_page_gains_nothing_by_calling_its_elements_ours() {
    with_world(|world| async move {
        open(&world).await;
        let add = |html: &str| format!("document.body.insertAdjacentHTML('beforeend', `{html}`)");
        let shown = "display: block !important; visibility: visible !important; opacity: 1 !important; transform: none !important";
        world.run("js", &[&add(&format!("<p data-gstack style='{shown}'>Words of the page</p>"))]).await;
        assert!(world.output("text", &[]).await.unwrap().text.contains("Words of the page"));
        let cover =
            format!("<div data-gstack style='{shown}; position: fixed; inset: 0' onclick='seen.push(`cover`)'></div>");
        world.run("js", &[&format!("document.body.insertAdjacentHTML('beforeend', {})", json!(cover))]).await;
        let fault = world.fault("click", &["#go"]).await;
        assert!(fault.code == FaultCode::Element && fault.message.contains("covered by <div"), "{fault:?}");
        assert_eq!(world.run("js", &["seen.includes('cover')"]).await, "false");
        world
    });
}

/// Waits until the pick, not the page, receives the pointer over the main button.
async fn until_picking(world: &World, session: &Session) {
    loop {
        world.run("js", &["seen.length = 0"]).await;
        pointer(session, "mouseMoved", 500, 400).await;
        pointer(session, "mouseMoved", 501, 401).await;
        if world.run("js", &["seen.length"]).await == "0" {
            return;
        }
    }
}
