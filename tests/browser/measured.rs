//! Measurements of a page: compared screenshots, traces, vitals, coverage, the heap.

use crate::world::with_world;
use axum::Router;
use axum::http::header;
use axum::response::Html;
use axum::routing::get;
use gstack_protocol::fault::FaultCode;
use serde_json::Value;
use std::time::Duration;

const BOXES: &str = "document.body.innerHTML = `<style>html { overflow: hidden } body { margin: 0 } div { width: 100px; height: 100px; background: rgb(255, 0, 0) }</style><div id=a></div><div id=b></div>`";

#[test]
fn pictures_are_compared_with_each_other_and_with_the_page() {
    with_world(|world| async move {
        world.open_hidden("next.html").await;
        world.run("viewport", &["200x200", "--scale", "1"]).await;
        world.run("js", &[BOXES]).await;
        world.run("screenshot", &["before.png", "--viewport"]).await;
        assert_eq!(world.run("diff-image", &["before.png", "--viewport"]).await, "The pictures are the same");
        world.run("js", &["document.querySelector('#a').style.background = 'blue'"]).await;
        let found = world.output("diff", &["image", "before.png", "--viewport", "-o", "what.png"]).await.unwrap();
        assert!(found.text.starts_with("25.00% of pixels differ (10000 of 40000)\nWhat differs: "), "{}", found.text);
        assert_eq!(found.data.as_ref().unwrap()["share"], 0.25);
        assert_eq!(crate::pictures::colour(&found.files[0], 50, 50), [255, 0, 0]);
        assert_ne!(crate::pictures::colour(&found.files[0], 50, 150), [255, 0, 0]);
        world.run("screenshot", &["after.png", "--viewport"]).await;
        let files = world.output("diff-image", &["before.png", "after.png"]).await.unwrap();
        assert_eq!((files.data.unwrap()["different"].as_u64(), files.files.len()), (Some(10_000), 0));
        // Two files need no browser, and the same paths are open.
        let folders = gstack_command::Folders::from(&world.context);
        let words = ["before.png", "after.png"].map(str::to_owned);
        let call = gstack_command::Call::parse("diff-image", &words).unwrap();
        let alone = gstack_command::registry::run_without_browser(&call, folders.clone()).await.unwrap().unwrap();
        assert_eq!(alone.data.unwrap()["different"], 10_000);
        let call =
            gstack_command::Call::parse("diff-image", &["before.png", "/etc/hostname"].map(str::to_owned)).unwrap();
        let refused = gstack_command::registry::run_without_browser(&call, folders).await.unwrap().unwrap_err();
        assert_eq!(refused.code, FaultCode::PathRefused);
        let all = world.output("diff-image", &["before.png", "after.png", "--threshold", "1"]).await.unwrap();
        assert_eq!(all.text, "The pictures are the same");
        // The page is taller than the viewport.
        world.run("js", &["document.querySelector('#b').style.height = '300px'"]).await;
        let taller = world.run("diff-image", &["after.png"]).await;
        assert!(taller.ends_with("The sizes differ: 200x200 and 200x400"), "{taller}");
        for (arguments, code) in [
            (&["none.png"][..], FaultCode::NotFound),
            (&["/etc/hostname"], FaultCode::PathRefused),
            (&["before.png", "-t", "2"], FaultCode::BadRequest),
            (&["before.png", "after.png", "--viewport"], FaultCode::BadRequest),
            (&["before.png", "-o", "/etc/x.png"], FaultCode::PathRefused),
        ] {
            assert_eq!(world.fault("diff-image", arguments).await.code, code, "{arguments:?}");
        }
        std::fs::write(world.context.cwd.as_ref().unwrap().join("text.png"), "no picture").unwrap();
        assert_eq!(world.fault("diff-image", &["text.png"]).await.code, FaultCode::BadRequest);
        world
    });
}

fn events_of(trace: &Value) -> &Vec<Value> {
    trace["traceEvents"].as_array().unwrap()
}

#[test]
fn a_trace_has_the_phases_and_the_marks_of_this_tab_and_no_secrets() {
    with_world(|world| async move {
        world.open_hidden("next.html").await;
        let other = world.context.browser.tabs()[0].id;
        assert_eq!(world.fault("trace", &["stop"]).await.code, FaultCode::NotFound);
        assert_eq!(world.run("trace", &["start"]).await, "Recording a trace");
        assert_eq!(world.fault("trace", &["start"]).await.code, FaultCode::Conflict);
        let secret = format!("{}?token=secret-of-ada&page=2", world.page("next.html"));
        world.run("goto", &[&secret]).await;
        world.run("js", &["performance.mark('known-mark'); performance.measure('known-measure', 'known-mark')"]).await;
        let elsewhere = world.in_tab(other);
        elsewhere.run("goto", &[&world.page("actions.html").replace("127.0.0.1", "localhost")]).await;
        elsewhere.run("js", &["performance.mark('mark-of-another-tab')"]).await;
        let saved = world.output("trace", &["stop", "page.json"]).await.unwrap();
        assert!(saved.text.starts_with("Trace saved: "), "{}", saved.text);
        let text = std::fs::read_to_string(&saved.files[0]).unwrap();
        let trace: Value = serde_json::from_str(&text).unwrap();
        let events = events_of(&trace);
        assert_eq!(saved.data.unwrap()["events"].as_u64(), Some(events.len() as u64));
        assert!(
            events.iter().all(|event| event["ph"].is_string() && event["pid"].is_number()),
            "the form of trace events"
        );
        let phases: std::collections::BTreeSet<&str> =
            events.iter().map(|event| event["ph"].as_str().unwrap()).collect();
        assert!(["M", "X", "I"].iter().all(|phase| phases.contains(phase)), "{phases:?}");
        let named = |name: &str| events.iter().find(|event| event["name"] == name);
        let mark = named("known-mark").expect("the page's mark");
        assert!(mark["cat"].as_str().unwrap().contains("blink.user_timing"), "{mark}");
        assert!(named("known-measure").is_some() && named("Profile").is_some());
        assert!(text.contains("page=2") && !text.contains("secret-of-ada"));
        assert!(!text.contains("mark-of-another-tab"), "another tab's process");
        for wrong in [&["begin"][..], &["start", "x.json"], &["stop", "--screenshots"]] {
            assert_eq!(world.fault("trace", wrong).await.code, FaultCode::BadRequest, "{wrong:?}");
        }
        // With screenshots. A model cannot end a person's trace, and a failed write does not lose it.
        world.run("trace", &["start", "--screenshots"]).await;
        assert_eq!(world.for_model().fault("trace", &["stop"]).await.code, FaultCode::Forbidden);
        assert_eq!(world.fault("trace", &["stop", "/etc/x.json"]).await.code, FaultCode::PathRefused);
        // Chromium takes a picture of some of the frames only.
        let frames = "new Promise((drawn) => { let left = 30; const draw = () => { document.body.style.background = left % 2 ? 'red' : 'blue'; left -= 1; if (left) requestAnimationFrame(draw); else drawn('drawn'); }; draw(); })";
        world.run("js", &[frames]).await;
        let again = world.output("trace", &["stop"]).await.unwrap();
        let trace: Value = serde_json::from_str(&std::fs::read_to_string(&again.files[0]).unwrap()).unwrap();
        assert!(events_of(&trace).iter().any(|event| event["name"] == "Screenshot"));
        world
    });
}

#[test]
fn vitals_are_measured_and_judged_and_what_was_not_measured_is_said() {
    with_world(|world| async move {
        world.run("goto", &[&world.page("vitals.html")]).await;
        world.run("wait", &["--fn", "document.getElementById('shifted') !== null"]).await;
        let told = world.run("vitals", &[]).await;
        let line = |name: &str| told.lines().find(|line| line.starts_with(name)).unwrap_or_default().to_owned();
        assert_eq!(line("INP"), "INP  not measured (no input yet)", "{told}");
        world.run("click", &["#slow"]).await;
        let mut measured = world.output("vitals", &[]).await.unwrap().data.unwrap();
        // The browser reports an interaction after the frame that follows it, which a busy machine draws late.
        for _ in 0..200 {
            if measured["inp"]["value"].is_number() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
            measured = world.output("vitals", &[]).await.unwrap().data.unwrap();
        }
        for name in ["lcp", "fcp", "ttfb"] {
            assert!(measured[name]["value"].as_f64().is_some_and(|value| value > 0.0), "{name}: {measured:#}");
            assert!(measured[name]["rating"].is_string(), "{name}: {measured:#}");
        }
        // The page delays its reaction to a click by 300 ms, and shifts its text by more than a quarter of the
        // viewport.
        assert!(measured["inp"]["value"].as_f64().is_some_and(|value| value >= 250.0), "{measured:#}");
        assert_ne!(measured["inp"]["rating"], "good");
        assert!(measured["cls"]["value"].as_f64().is_some_and(|value| value > 0.1), "{measured:#}");
        assert_ne!(measured["cls"]["rating"], "good");
        world.run("goto", &["about:blank"]).await;
        let blank = world.run("vitals", &[]).await;
        assert!(blank.contains("LCP  not measured"), "{blank}");
        world
    });
}

/// Serves a page with scripts and a style sheet.
async fn serve() -> u16 {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let of =
        |kind: &'static str, text: &'static str| get(move || async move { ([(header::CONTENT_TYPE, kind)], text) });
    let router = Router::new()
        .route("/", get(|| async { Html("<title>Code</title><link rel=icon href=data:,><link rel=stylesheet href='/style.css?token=secret-of-ada'><script src='/half.js?token=secret-of-ada'></script><script src='/whole.js'></script><p class=is-there>text</p>") }))
        .route("/half.js", of("text/javascript", "function runs() { return 1; }\nfunction never() { return 'this text is in a function that nobody calls'; }\nruns();\n"))
        .route("/whole.js", of("text/javascript", "globalThis.whole = true;\n"))
        .route("/style.css", of("text/css", ".is-there { color: red }\n.is-not-there { color: blue; background: yellow; border: 1px solid }\n"));
    tokio::spawn(async move { axum::serve(listener, router).await });
    port
}

#[test]
fn used_and_unused_code_is_counted_for_each_file() {
    with_world(|world| async move {
        let port = serve().await;
        world.run("newtab", &[&format!("http://127.0.0.1:{port}/")]).await;
        assert_eq!(world.fault("coverage", &["js", "stop"]).await.code, FaultCode::NotFound);
        assert_eq!(world.run("coverage", &["js", "start"]).await, "Recording which js is used");
        assert_eq!(world.fault("coverage", &["js", "start"]).await.code, FaultCode::Conflict);
        assert_eq!(world.run("coverage", &["css", "start"]).await, "Recording which css is used");
        assert_eq!(world.fault("inspect", &["p"]).await.code, FaultCode::BadRequest);
        world.run("reload", &[]).await;
        let file = |data: &Value, end: &str| {
            let files = data["files"].as_array().unwrap();
            files
                .iter()
                .find(|file| file["url"].as_str().unwrap().contains(end))
                .unwrap_or_else(|| panic!("{end}: {data:#}"))
                .clone()
        };
        let scripts = world.output("coverage", &["js", "stop"]).await.unwrap();
        assert!(
            scripts.text.starts_with(|first: char| first.is_ascii_digit()) && !scripts.text.contains("secret-of-ada"),
            "{}",
            scripts.text
        );
        assert!(
            scripts.text.lines().next().unwrap().contains("/half.js?token=[redacted]"),
            "the worst first: {}",
            scripts.text
        );
        let data = scripts.data.unwrap();
        let unused = "function never() { return 'this text is in a function that nobody calls'; }".len() as u64;
        assert_eq!(file(&data, "half.js")["unused"].as_u64(), Some(unused), "{data:#}");
        assert_eq!(file(&data, "whole.js")["unused"], 0, "{data:#}");
        let styles = world.output("coverage", &["css", "stop"]).await.unwrap().data.unwrap();
        let sheet = file(&styles, "style.css");
        assert_eq!(sheet["used"].as_u64(), Some(".is-there { color: red }".len() as u64), "{styles:#}");
        assert!(sheet["unused"].as_u64().unwrap() > 60, "{styles:#}");
        assert!(world.run("inspect", &["p"]).await.contains("is-there"), "it works again");
        for wrong in [&["html", "start"][..], &["js", "begin"]] {
            assert_eq!(world.fault("coverage", wrong).await.code, FaultCode::BadRequest, "{wrong:?}");
        }
        world
    });
}

#[test]
fn a_heap_is_measured_and_its_snapshot_has_the_objects_of_the_page() {
    with_world(|world| async move {
        world.open_hidden("next.html").await;
        let before = world.output("heap", &["usage"]).await.unwrap();
        assert!(before.text.starts_with("JavaScript: "), "{}", before.text);
        world.run("js", &["class KnownOfTheTest { constructor(text) { this.text = text; } }; globalThis.kept = Array.from({ length: 50000 }, (_, at) => new KnownOfTheTest('words number ' + at)); 'kept'"]).await;
        let after = world.output("heap", &["usage"]).await.unwrap().data.unwrap();
        assert!(after["used"].as_f64().unwrap() > before.data.unwrap()["used"].as_f64().unwrap() + 1_000_000.0);
        let saved = world.output("heap", &["snapshot", "page.heapsnapshot"]).await.unwrap();
        let snapshot: Value = serde_json::from_str(&std::fs::read_to_string(&saved.files[0]).unwrap()).unwrap();
        let fields = snapshot["snapshot"]["meta"]["node_fields"].as_array().unwrap().len();
        let nodes = snapshot["snapshot"]["node_count"].as_u64().unwrap();
        assert_eq!(snapshot["nodes"].as_array().unwrap().len() as u64, nodes * fields as u64, "whole");
        let strings = snapshot["strings"].as_array().unwrap();
        assert!(strings.iter().any(|text| text == "KnownOfTheTest") && nodes > 50_000);
        assert_eq!(world.for_model().fault("heap", &["snapshot"]).await.code, FaultCode::Forbidden);
        for (wrong, code) in [
            (&["dump"][..], FaultCode::BadRequest),
            (&["usage", "x"], FaultCode::BadRequest),
            (&["snapshot", "/etc/x.heapsnapshot"], FaultCode::PathRefused),
        ] {
            assert_eq!(world.fault("heap", wrong).await.code, code, "{wrong:?}");
        }
        world
    });
}
