//! Every command that acts or reads, in an invisible tab: behind another one, and in a minimised window. None takes the
//! focus or brings anything into view.

use crate::long::usual_or_long;
use crate::world::{World, with_headed_world, with_world};
use gstack_protocol::fault::FaultCode;
use serde_json::json;
use std::time::Duration;

const CALLS: &[&[&str]] = &[
    &["click", "#plain"],
    &["click", "#mover"],
    &["click", "#far"],
    &["click", "x-box .inner"],
    &["click", "#fetcher"],
    &["click", "#asker"],
    &["fill", "#name", "Jane"],
    &["press", "End"],
    &["type", "!"],
    &["press", "Control+A"],
    &["fill", "#area", "two\nlines"],
    &["fill", "#rich", "new"],
    &["select", "#pick", "Beta"],
    &["click", "#box"],
    &["hover", "#name"],
    &["scroll"],
    &["scroll", "#plain"],
    &["wait", "h1"],
    &["wait", "--load"],
    &["wait", "--networkidle"],
    &["text"],
    &["html", "h1"],
    &["links"],
    &["forms"],
    &["snapshot"],
    &["snapshot", "-i", "-C"],
    &["snapshot", "-a"],
    &["accessibility"],
    &["media"],
    &["data"],
    &["js", "await new Promise((done) => requestAnimationFrame(done)), document.visibilityState"],
    &["js", "document.hasFocus()"],
    &["css", "h1", "display"],
    &["attrs", "#form"],
    &["is", "visible", "h1"],
    &["console"],
    &["network"],
    &["dialog"],
    &["cookies"],
    &["storage"],
    &["perf"],
    &["inspect", "#plain"],
    &["memory"],
    &["style", "#plain", "color", "red"],
    &["style", "--undo"],
    &["cleanup"],
    &["video", "start"],
    &["screenshot"],
    &["screenshot", "--viewport"],
    &["screenshot", "#plain"],
    &["screenshot", "--clip", "0,0,50,40"],
    &["prettyscreenshot"],
    &["pdf"],
    &["mhtml"],
    &["screenshot", "--mask", "h1"],
    &["video", "stop"],
    &["responsive", "sizes"],
    &["viewport", "640x480"],
    &["har", "start", "--bodies"],
    &["emulate", "device", "Pixel 7"],
    &["emulate", "timezone", "Asia/Tokyo"],
    &["emulate", "permissions", "grant", "geolocation"],
    &["emulate", "geolocation", "52.5,13.4"],
    &["init-script", "add", "window.early = 1"],
    &["cache", "off"],
    &["reload"],
    &["goto", "/next.html"],
    &["back"],
    &["forward"],
    &["url"],
    &["har", "stop"],
    &["init-script", "remove"],
    &["cache", "on"],
    &["cache", "clear"],
    &["emulate", "reset"],
];

async fn all_work(world: &World, place: &str) {
    for call in CALLS {
        let next = world.page("next.html");
        let args: Vec<&str> = call[1..].iter().map(|word| if *word == "/next.html" { &next } else { *word }).collect();
        if let Err(fault) = world.output(call[0], &args).await {
            panic!("{place}: {call:?}: {fault:?}");
        }
    }
}

/// Returns Chrome's state of the current tab's window.
async fn window_state(world: &World) -> String {
    let (session, params) = window_of(world).await;
    let window = session.call_json("Browser.getWindowForTarget", &params, Duration::from_secs(10)).await.unwrap();
    window["bounds"]["windowState"].as_str().unwrap().to_owned()
}

async fn window_of(world: &World) -> (gstack_browser::devtools_session::Session, serde_json::Value) {
    let page = world.context.tab().await.unwrap().info().unwrap().page.unwrap();
    (world.context.browser.root(), json!({ "targetId": page.as_str() }))
}

async fn minimise(world: &World) {
    let (session, params) = window_of(world).await;
    let limit = Duration::from_secs(10);
    let window = session.call_json("Browser.getWindowForTarget", &params, limit).await.unwrap();
    let bounds = json!({ "windowId": window["windowId"], "bounds": { "windowState": "minimized" } });
    session.call_json("Browser.setWindowBounds", &bounds, limit).await.unwrap();
}

async fn in_view(world: &World) -> Vec<u32> {
    world.context.browser.refresh_views().await.unwrap();
    world.context.browser.tabs().iter().filter(|tab| tab.in_view).map(|tab| tab.id.0).collect()
}

#[test]
#[ignore = "every night"]
fn commands_work_in_a_hidden_tab() {
    with_world(|world| async move {
        world.open_hidden("actions.html").await;
        let seen = in_view(&world).await;
        all_work(&world, "hidden, without a window").await;
        assert_eq!(in_view(&world).await, seen, "another tab is in view");
        world
    });
}

#[test]
fn commands_work_in_a_hidden_tab_of_a_window() {
    with_headed_world(|world| async move {
        world.open_hidden("actions.html").await;
        let seen = in_view(&world).await;
        all_work(&world, "hidden, in a window").await;
        assert_eq!(in_view(&world).await, seen, "another tab is in view");
        printing_ends(&world).await;
        world
    });
}

/// A print preview stops its page and its tab's commands until it ends.
async fn printing_ends(world: &World) {
    world.run("goto", &[&world.page("printing.html")]).await;
    for way in ["#print", "#command", "#later", "#frame"] {
        let said = world.run("click", &[way]).await;
        if way == "#later" {
            until_printed(world).await;
        } else {
            assert_eq!(said.matches("print \"the page asked to print\"").count(), 1, "{way}: {said}");
        }
        world.run("click", &["#on"]).await;
        assert_eq!(world.run("js", &["document.title"]).await, "after", "{way}");
        world.run("js", &["document.title = ''"]).await;
    }
}

/// Clicks until the preview that the page opens later has come and gone. It may take the press of the act during which it
/// opens, which is then told.
async fn until_printed(world: &World) {
    while world.run("js", &["document.body.className"]).await != "printed" {
        if let Err(fault) = world.output("click", &["#on"]).await {
            assert!(fault.code == FaultCode::OutcomeUnknown && fault.hint.unwrap_or_default().contains("print"));
        }
    }
}

/// Headless: on a display, a window manager minimises windows, and the tests' display has none.
#[test]
fn commands_work_in_a_minimised_window() {
    with_world(|world| async move {
        world.open_hidden("actions.html").await;
        let seen = in_view(&world).await;
        minimise(&world).await;
        let before = window_state(&world).await;
        assert_eq!(before, "minimized");
        if usual_or_long(false, true) {
            all_work(&world, "hidden, in a minimised window").await;
        }
        // The tab that the minimised window would show. Older releases of Chromium do not say which one is in view.
        let shown = seen.first().copied().unwrap_or(1);
        world.run("tab", &[&shown.to_string()]).await;
        world.run("goto", &[&world.page("actions.html")]).await;
        all_work(&world, "in a minimised window").await;
        assert_eq!(window_state(&world).await, before, "the window came up");
        assert_eq!(in_view(&world).await, seen, "another tab is in view");
        world
    });
}
