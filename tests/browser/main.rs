//! The commands against a real Chromium: every action and capture in a hidden tab.
//!
//! Pages are in tests/fixtures/pages and are served on loopback. Each test has its own browser, one at a time.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where its world breaks")]

mod acts;
mod audits;
mod closed;
mod composed;
mod contents;
mod dragging;
mod drawn_lists;
mod effects;
mod filled;
mod finding;
mod har;
mod hidden;
mod hostile;
mod init_scripts;
mod leaving;
#[path = "../shared/long.rs"]
mod long;
mod looks;
mod marks;
mod measured;
mod network;
mod outcomes;
mod papers;
#[path = "../shared/patience.rs"]
mod patience;
mod pictures;
mod popups;
mod prompts;
mod rare;
mod refused;
mod routes;
mod scaled;
mod shifting;
mod signing_in;
mod slow_pages;
mod snapshots;
mod spellings;
mod stored;
mod surroundings;
mod tall;
mod unseen;
mod videos;
mod web_mcp;
mod workers;
mod world;

use gstack_command::{Call, Context, registry};
use gstack_protocol::fault::FaultCode;
use tokio_util::sync::CancellationToken;
use world::with_world;

#[test]
fn going_places_says_where_and_with_what_status() {
    with_world(|world| async move {
        let (actions, next) = (world.page("actions.html"), world.page("next.html"));
        assert_eq!(world.run("goto", &[&actions]).await, format!("Navigated to {actions} (200)"));
        assert_eq!(
            world.run("goto", &[&world.page("missing")]).await,
            format!("Navigated to {} (404)", world.page("missing"))
        );
        assert_eq!(world.run("goto", &[&next]).await, format!("Navigated to {next} (200)"));
        assert_eq!(world.run("url", &[]).await, next);
        assert_eq!(world.run("back", &[]).await, format!("Back → {}", world.page("missing")));
        assert_eq!(world.run("forward", &[]).await, format!("Forward → {next}"));
        assert_eq!(world.run("reload", &[]).await, format!("Reloaded {next}"));
        assert_eq!(world.fault("forward", &[]).await.code, FaultCode::Conflict);
        assert_eq!(world.fault("goto", &["file:///etc/passwd"]).await.code, FaultCode::UrlRefused);
        assert_eq!(world.fault("goto", &["http://127.0.0.1:1/"]).await.code, FaultCode::Navigation);
        let unknown = world.fault("gotoo", &[]).await;
        assert_eq!((unknown.code, unknown.hint.as_deref()), (FaultCode::Unknown, Some("Did you mean: goto?")));
        world
    });
}

#[test]
fn what_is_read_is_what_a_person_sees_in_its_envelope() {
    with_world(|world| async move {
        world.open_hidden("reading.html").await;
        let url = world.page("reading.html");
        let text = world.run("text", &[]).await;
        let expected = "[UNTRUSTED TEXT]\n\
             Reading matters\nOne bold word\nand a break\nsvg text\nline one\nline two\na b\nshadow text\nslotted text\n\
             [END [forged marker]]\nGo on\n\
             [END UNTRUSTED TEXT]";
        assert_eq!(text, expected);
        let links = world.output("links", &[]).await.unwrap().text;
        assert_eq!(links, format!("Go on → {}\nPicture link → {url}#here", world.page("next.html")));
        let forms = world.output("forms", &[]).await.unwrap();
        let forms = forms.data.unwrap();
        assert_eq!(forms[0]["fields"][1]["value"], "[redacted]");
        assert_eq!(forms[0]["fields"][0]["placeholder"], "Query");
        assert_eq!(forms[1]["index"], 1);
        let html = world.output("html", &[]).await.unwrap().text;
        assert!(html.starts_with("<!DOCTYPE html>\n<html lang=\"en\">") && !html.contains("our own host"));
        assert_eq!(world.output("text", &["h1"]).await.unwrap().text, "Reading matters");
        assert_eq!(world.output("html", &["table td"]).await.unwrap_err().code, FaultCode::Element);
        assert_eq!(world.run("css", &["h1", "display"]).await, "block");
        assert_eq!(world.run("is", &["hidden", ".no"]).await, "true");
        assert_eq!(world.fault("is", &["pretty", "h1"]).await.message, "Unknown property: pretty");
        assert!(world.run("attrs", &["form#f1"]).await.contains("\"action\": \"/send\""));
        world
    });
}

#[test]
fn script_takes_statements_and_await_and_prints_values() {
    with_world(|world| async move {
        world.run("goto", &[&world.page("next.html")]).await;
        for (source, printed) in [
            ("1 + 1", "2"),
            ("'text'", "text"),
            ("null", "null"),
            ("undefined", ""),
            ("const a = 2; a * 3", "6"),
            ("const a = 3; a", "3"),
            ("await Promise.resolve('later')", "later"),
            ("({a: [1]})", "{\n  \"a\": [\n    1\n  ]\n}"),
            ("{a: 1}", "{\n  \"a\": 1\n}"),
            ("const o = {}; o.o = o; o", "{\n  \"o\": \"[circular]\"\n}"),
            ("new Map([['k', 1]])", "{\n  \"k\": 1\n}"),
            ("10n", "10n"),
            ("document.title", "Next"),
        ] {
            assert_eq!(world.run("js", &[source]).await, printed, "{source}");
        }
        let thrown = world.fault("js", &["throw new TypeError('no')"]).await;
        assert_eq!((thrown.code, thrown.message.as_str()), (FaultCode::Script, "TypeError: no"));
        for source in ["await new Promise(() => {})", "new Promise(() => {})"] {
            let cut = world.fault("js", &["--timeout", "200", source]).await;
            assert_eq!(cut.code, FaultCode::OutcomeUnknown, "it began, and what it did so far stays done: {source}");
        }
        assert_eq!(world.run("js", &["Promise.resolve('settled')"]).await, "settled");
        assert_eq!(world.fault("js", &["Promise.reject(new TypeError('no'))"]).await.code, FaultCode::Script);
        assert_eq!(world.run("js", &["typeof __gstack"]).await, "undefined");
        world
    });
}

#[test]
fn actions_work_in_a_hidden_tab_with_trusted_input() {
    with_world(|world| async move {
        world.open_hidden("actions.html").await;
        assert_eq!(world.run("click", &["#plain"]).await, "Clicked #plain");
        world.run("click", &["#far"]).await;
        world.run("click", &["#mover"]).await;
        world.run("click", &["#late"]).await;
        world.run("click", &["x-box .inner"]).await;
        world.run("click", &["text=Slotted"]).await;
        assert_eq!(world.log().await, "plain:true;far:true;mover:true;late;inner;slotted;");

        world.run("js", &["document.getElementById('log').textContent = ''"]).await;
        assert_eq!(world.run("fill", &["#name", "Jane", "Doe"]).await, "Filled #name");
        assert_eq!(world.log().await, "input;change;");
        assert_eq!(world.run("js", &["document.getElementById('name').value"]).await, "Jane Doe");
        world.run("press", &["End"]).await;
        assert_eq!(world.run("type", &["!é"]).await, "Typed 2 characters");
        world.run("press", &["Control+A"]).await;
        assert_eq!(world.run("js", &["getSelection().toString()"]).await, "Jane Doe!é");
        world.run("fill", &["#name", ""]).await;
        assert_eq!(world.run("js", &["document.getElementById('name').value"]).await, "");
        world.run("fill", &["#area", "two\nlines"]).await;
        world.run("fill", &["#rich", "new"]).await;
        world.run("fill", &["#day", "2026-02-03"]).await;
        let values = "[area.value, rich.textContent, day.value].join('|')";
        assert_eq!(world.run("js", &[values]).await, "two\nlines|new|2026-02-03");

        world.run("js", &["document.getElementById('log').textContent = ''"]).await;
        assert_eq!(world.run("select", &["#pick", "Beta"]).await, "Selected \"Beta\" in #pick");
        assert_eq!(world.run("select", &["#pick", "New", "Zealand"]).await, "Selected \"New Zealand\" in #pick");
        let option = world.find("[option] \"Alpha\"").await;
        let selected = world.run("click", &[&option]).await;
        assert_eq!(selected, "Selected \"Alpha\" (auto-routed from click on <option>)");
        world.run("click", &["role=checkbox[name=\"Box\"]"]).await;
        assert_eq!(world.run("is", &["checked", "#box"]).await, "true");
        assert_eq!(world.log().await, "pick=b;pick=nz;pick=a;box=true;");
        world.run("hover", &["#name"]).await;
        assert!(world.log().await.ends_with("over;"));
        assert_eq!(world.run("scroll", &[]).await, "Scrolled to bottom");
        assert_eq!(world.run("js", &["scrollY > 1000"]).await, "true");
        assert_eq!(world.run("scroll", &["#plain"]).await, "Scrolled #plain into view");
        assert_eq!(world.run("js", &["scrollY < 1000"]).await, "true");
        world
    });
}

#[test]
fn what_an_action_starts_has_settled_when_it_returns() {
    with_world(|world| async move {
        world.open_hidden("actions.html").await;
        world.run("click", &["#fetcher"]).await;
        assert_eq!(world.log().await, "slow answer;");
        world.run("fill", &["#name", "x"]).await;
        let echo = world.run("press", &["Enter"]).await;
        assert_eq!(echo, format!("Pressed Enter\nNow at {}", world.page("echo?name=x")));
        assert!(world.output("text", &[]).await.unwrap().text.contains("name=x"));
        world.run("back", &[]).await;
        let next = world.page("next.html");
        assert_eq!(
            world.run("click", &["role=link[name=\"Next page\"]"]).await,
            format!("Clicked role=link[name=\"Next page\"] → now at {next}")
        );
        assert_eq!(world.run("wait", &["h1"]).await, "Element h1 appeared");
        assert_eq!(world.run("wait", &["--load"]).await, "Page loaded");
        assert_eq!(world.run("wait", &["--networkidle"]).await, "Network idle");
        world
    });
}

#[test]
fn what_stands_in_the_way_is_said() {
    with_world(|world| async move {
        world.open_hidden("actions.html").await;
        let fault = world.fault("click", &["#off", "--timeout", "300"]).await;
        assert!(fault.message.contains("it is disabled") && fault.code == FaultCode::Element, "{fault:?}");
        let fault = world.fault("click", &[".twin"]).await;
        assert!(
            fault.message.starts_with(".twin: 2 elements match:\n  1. <button class=\"twin\"> “Twin one”"),
            "{fault:?}"
        );
        let fault = world.fault("click", &["#nothing", "--timeout", "200"]).await;
        assert_eq!(fault.message, "#nothing did not appear within 0.2 s");
        let fault = world.fault("fill", &["--timeout", "200", "#ro", "x"]).await;
        assert!(fault.message.contains("it is read-only"), "{fault:?}");
        assert_eq!(world.fault("click", &["div["]).await.code, FaultCode::BadRequest);
        let plain = world.find("[button] \"Plain\"").await;
        let remover = world.find("[button] \"Remover\"").await;
        world.run("click", &["#coverer"]).await;
        let fault = world.fault("click", &[&plain, "--timeout", "300"]).await;
        assert!(fault.message.contains("it is covered by <div id=\"cover\" class=\"veil\">"), "{fault:?}");
        world.run("js", &["cover.style.display = 'none'"]).await;
        for (style, reason) in [
            ("pointer-events: none", "it takes no pointer events (pointer-events: none)"),
            ("clip-path: inset(0 0 80% 0)", "its middle is clipped: a click there reaches <body>"),
        ] {
            world.run("js", &[&format!("document.querySelector('#coverer').style.cssText = '{style}'; 0")]).await;
            let fault = world.fault("click", &["#coverer", "--timeout", "300"]).await;
            assert!(fault.message.contains(reason), "{fault:?}");
        }
        world.run("click", &[&remover]).await;
        let fault = world.fault("click", &[&remover]).await;
        assert!(fault.message.contains("is stale"), "{fault:?}");
        assert_eq!(world.log().await, "");
        world
    });
}

#[test]
fn pictures_are_taken_of_hidden_tabs_and_written_only_where_allowed() {
    with_world(|world| async move {
        world.open_hidden("actions.html").await;
        let cwd = world.context.cwd.clone().unwrap().canonicalize().unwrap();
        for (args, note) in [
            (vec!["full.png"], ""),
            (vec!["--viewport", "view.jpg"], " (viewport)"),
            (vec!["#plain", "element.webp"], " (element)"),
            (vec!["--clip", "0,0,50,40", "clip.png"], " (clip 0,0,50,40)"),
        ] {
            let path = cwd.join(args[args.len() - 1]);
            assert_eq!(world.run("screenshot", &args).await, format!("Screenshot saved{note}: {}", path.display()));
            let bytes = std::fs::read(path).unwrap();
            let kind: &[u8] = match args[args.len() - 1].rsplit_once('.').unwrap().1 {
                "png" => b"\x89PNG",
                "jpg" => b"\xff\xd8",
                _ => b"RIFF",
            };
            assert!(bytes.starts_with(kind));
        }
        let png = std::fs::read(cwd.join("full.png")).unwrap();
        let height = u32::from_be_bytes(png[20..24].try_into().unwrap());
        assert!(height > 3000, "{height}");
        assert_eq!(world.fault("screenshot", &["/etc/x.png"]).await.code, FaultCode::PathRefused);
        assert_eq!(world.fault("screenshot", &["--viewport", "--clip", "0,0,1,1"]).await.code, FaultCode::BadRequest);
        assert!(world.output("screenshot", &[]).await.unwrap().files[0].starts_with(&world.context.temp_folder));
        world
    });
}

#[test]
fn tabs_are_listed_opened_switched_and_closed() {
    with_world(|world| async move {
        let first = world.run("tabs", &[]).await;
        let number = first.split(['[', ']']).nth(1).unwrap().to_owned();
        world.open_hidden("next.html").await;
        world.run("wait", &["--load"]).await;
        let listed = world.run("tabs", &[]).await;
        assert!(listed.contains(&format!("] Next — {}", world.page("next.html"))), "{listed}");
        assert_eq!(listed.lines().filter(|line| line.starts_with('→')).count(), 1);
        assert_eq!(world.run("tab", &[&number]).await, format!("Switched to tab {number}"));
        assert!(world.run("tabs", &[]).await.contains(&format!("→ [{number}]")));
        assert_eq!(world.fault("tab", &["999"]).await.code, FaultCode::NotFound);
        let other =
            listed.lines().find(|line| line.contains("Next")).unwrap().split(['[', ']']).nth(1).unwrap().to_owned();
        assert_eq!(world.run("closetab", &[&other]).await, format!("Closed tab {other}"));
        world
    });
}

#[test]
fn console_network_and_dialogs_are_kept() {
    with_world(|world| async move {
        assert_eq!(world.run("goto", &["about:blank"]).await, "Navigated to about:blank");
        assert_eq!(world.run("console", &[]).await, "(no console messages)");
        world.run("goto", &[&world.page("actions.html")]).await;
        world.run("js", &["console.log('hello', 1, {a: 1}); console.error('bad'); setTimeout(() => { throw new Error('late') })"]).await;
        world.run("wait", &["--networkidle"]).await;
        let console = world.output("console", &[]).await.unwrap().text;
        assert!(
            console.contains("[log] hello 1 {a: 1}")
                && console.contains("[error] bad")
                && console.contains("Error: late"),
            "{console}"
        );
        assert!(!world.output("console", &["--errors"]).await.unwrap().text.contains("hello"));
        let network = world.output("network", &[]).await.unwrap().text;
        assert!(network.contains(&format!("GET {} → 200 (", world.page("actions.html"))), "{network}");
        assert_eq!(world.run("network", &["--clear"]).await, "Network buffer cleared.");
        assert_eq!(world.run("dialog-dismiss", &[]).await, "Dialogs will be dismissed");
        world.run("click", &["#asker"]).await;
        assert_eq!(world.run("dialog-accept", &[]).await, "Dialogs will be accepted");
        world.run("click", &["#asker"]).await;
        assert_eq!(world.log().await, "confirm=false;confirm=true;");
        let dialogs = world.output("dialog", &[]).await.unwrap().text;
        assert!(dialogs.contains("[confirm] \"Sure?\" → dismissed") && dialogs.contains("→ accepted"), "{dialogs}");
        assert_eq!(world.run("viewport", &["640x480"]).await, "Viewport set to 640x480");
        assert_eq!(world.run("js", &["innerWidth + 'x' + innerHeight"]).await, "640x480");
        world
    });
}

#[test]
fn a_cancelled_command_ends_at_once_and_leaves_the_tab_usable() {
    with_world(|world| async move {
        world.open_hidden("actions.html").await;
        let cancel = CancellationToken::new();
        let context = Context { cancel: cancel.clone(), ..world.context.clone() };
        let call = Call::parse("click", &["#nothing".to_owned()]).unwrap();
        let waiting = tokio::spawn(async move { registry::run_cancellable(&context, &call).await });
        tokio::task::yield_now().await;
        cancel.cancel();
        assert_eq!(waiting.await.unwrap().unwrap_err().code, FaultCode::OutcomeUnknown);
        world.run("click", &["#plain"]).await;
        assert_eq!(world.log().await, "plain:true;");
        world
    });
}
