//! Several commands, several tabs, frames, saved states, and CDP events.

use crate::world::with_world;
use gstack_browser::events::Filter;
use gstack_command::{Call, Context, TabSwitch};
use gstack_protocol::fault::FaultCode;
use std::os::unix::fs::PermissionsExt;

#[test]
fn a_chain_runs_all_its_commands_and_tells_of_each() {
    with_world(|world| async move {
        let next = world.page("next.html");
        let line = format!("goto {next} | url | click '#none' --timeout 100 | js 1 + 1");
        let wanted_head =
            format!("[goto] Navigated to {next} (200)\n\n[url] {next}\n\n[click] ERROR: #none did not appear");
        let text = world.run("chain", &[&line]).await;
        assert!(text.starts_with(&wanted_head) && text.ends_with("\n\n[js] 2"), "{text}");
        let json = format!(r#"[["goto", "{next}"], ["text", "h1"]]"#);
        let text = world.run("chain", &[&json]).await;
        assert!(text.contains("[text] [UNTRUSTED TEXT"), "{text}");
        assert_eq!(world.fault("chain", &["url | chain url"]).await.code, FaultCode::BadRequest);
        assert_eq!(world.fault("chain", &["nonsense"]).await.code, FaultCode::Unknown);

        // A chain that is pinned to a tab continues in the tab that it opens.
        let pinned = Context {
            tab: Some(world.context.tab().await.unwrap().id()),
            on_tab_switch: TabSwitch::Ignored,
            ..world.context.clone()
        };
        let call = Call::parse("chain", &[format!("newtab {} | url", world.page("reading.html"))]).unwrap();
        let output = gstack_command::registry::run_cancellable(&pinned, &call).await.unwrap();
        assert!(output.text.ends_with(&format!("[url] {}", world.page("reading.html"))), "{}", output.text);
        assert_eq!(world.run("url", &[]).await, next);
        world
    });
}

#[test]
fn a_command_runs_in_every_tab() {
    with_world(|world| async move {
        world.run("goto", &[&world.page("next.html")]).await;
        world.open_hidden("reading.html").await;
        let results = world.output("tab-each", &["js", "--timeout", "3000", "location.pathname"]).await.unwrap();
        let data = results.data.unwrap();
        let outputs: Vec<&str> = data.as_array().unwrap().iter().map(|tab| tab["output"].as_str().unwrap()).collect();
        assert_eq!(outputs, ["/next.html", "/reading.html"]);
        let failed = world.output("tab-each", &["click", "#none", "--timeout", "50"]).await.unwrap().data.unwrap();
        assert!(failed[0]["ok"] == false && failed[1]["error"].as_str().unwrap().contains("#none"), "{failed}");
        world
    });
}

#[test]
fn inside_a_frame_selectors_mean_the_frame() {
    with_world(|world| async move {
        world.open_hidden("frames.html").await;
        world.run("wait", &["--load"]).await;
        for (how, part) in [(vec!["[title=Near]"], "near"), (vec!["--url", "inner\\.html\\?far$"], "far")] {
            let switched = world.run("frame", &how).await;
            assert!(switched.starts_with("Switched to frame: http://") && switched.ends_with(part), "{switched}");
            let url = switched.trim_start_matches("Switched to frame: ").to_owned();
            world.run("click", &["#go"]).await;
            world.run("fill", &["#field", "mine"]).await;
            assert!(world.output("text", &[]).await.unwrap().text.contains("clicked true"));
            assert_eq!(world.run("js", &["location.search.slice(1) + field.value"]).await, format!("{part}mine"));
            let snapshot = world.output("snapshot", &[]).await.unwrap().text;
            assert!(snapshot.starts_with(&format!("[Context: iframe src=\"{url}\"]\n@e")), "{snapshot}");
            assert!(!snapshot.contains("Frames"), "{snapshot}");
            for refused in ["back", "forward", "reload"] {
                assert_eq!(world.fault(refused, &[]).await.code, FaultCode::Conflict, "{refused}");
            }
            assert_eq!(world.fault("goto", &[&world.page("next.html")]).await.code, FaultCode::Conflict);
            assert_eq!(world.run("frame", &["main"]).await, "Switched to main frame");
            assert_eq!(world.output("text", &["h1"]).await.unwrap().text, "Frames");
        }
        world.run("js", &["document.querySelector('iframe').name = 'near'; document.querySelector('iframe').src = '/inner.html?named'"]).await;
        world.run("wait", &["--networkidle"]).await;
        assert!(world.run("frame", &["--name", "near"]).await.ends_with("?named"));
        world.run("frame", &["main"]).await;
        world.run("frame", &["[title=Near]"]).await;
        let gone = world.fault("js", &["parent.document.querySelector('iframe').remove()"]).await;
        assert_eq!(gone.code, FaultCode::OutcomeUnknown, "the script ended its own document");
        assert_eq!(world.fault("text", &[]).await.code, FaultCode::TabGone);
        assert!(world.output("text", &[]).await.unwrap().text.starts_with("Frames"));
        for wrong in [vec!["h1"], vec!["--name", "none"], vec!["--url", "none"]] {
            assert_eq!(world.fault("frame", &wrong).await.code, FaultCode::Element, "{wrong:?}");
        }
        assert_eq!(world.fault("frame", &["--url", "("]).await.code, FaultCode::BadRequest);
        assert_eq!(world.fault("frame", &[]).await.code, FaultCode::BadRequest);
        world
    });
}

#[test]
fn a_saved_state_brings_cookies_pages_and_storage_back() {
    with_world(|world| async move {
        let page = world.page("contents.html");
        world.run("goto", &[&page]).await;
        world.run("cookie", &["kept=yes"]).await;
        world.run("storage", &["set", "theme", "dark"]).await;
        let path = world.context.state_folder.join("mine.json");
        let saved = world.run("state", &["save", "mine"]).await;
        assert!(saved.starts_with(&format!("State saved: {} (1 cookies, 1 pages)\n", path.display())), "{saved}");
        assert!(saved.contains("Cookies stored in plaintext, ") && saved.contains("mode 0600"), "{saved}");
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        world.run("js", &["localStorage.clear(); document.cookie = 'kept=; max-age=0'"]).await;
        assert_eq!(world.run("cookies", &[]).await, "[]");
        world.run("goto", &["about:blank"]).await;
        assert_eq!(world.run("state", &["load", "mine"]).await, "State loaded: 1 cookies, 1 pages");
        assert_eq!(world.run("url", &[]).await, page);
        assert_eq!(world.run("js", &["document.cookie + localStorage.theme"]).await, "kept=yesdark");
        assert_eq!(world.fault("state", &["load", "none"]).await.code, FaultCode::NotFound);
        for wrong in [["save", "../x"], ["save", "a b"], ["drop", "x"]] {
            assert_eq!(world.fault("state", &wrong).await.code, FaultCode::BadRequest, "{wrong:?}");
        }
        assert!(world.fault("state", &["save", "../x"]).await.message.contains("alphanumeric"));
        world
    });
}

#[test]
fn devtools_are_asked_only_what_is_allowed() {
    with_world(|world| async move {
        world.open_hidden("next.html").await;
        let metrics = world.output("cdp", &["Page.getLayoutMetrics"]).await.unwrap().data.unwrap();
        assert!(metrics["cssContentSize"]["width"].is_number(), "{metrics}");
        let version = world.output("cdp", &["Browser.getVersion"]).await.unwrap().data.unwrap();
        assert!(version["product"].is_string());
        let refused = world.fault("cdp", &["Runtime.evaluate", "{\"expression\": \"1\"}"]).await;
        assert_eq!(
            (refused.code, refused.hint.as_deref()),
            (FaultCode::Forbidden, Some("Allowed: Runtime.getHeapUsage"))
        );
        assert_eq!(world.fault("cdp", &["Page.getLayoutMetrics", "[]"]).await.code, FaultCode::BadRequest);
        assert_eq!(world.fault("cdp", &["DOM.getAttributes"]).await.code, FaultCode::BadRequest);
        let memory = world.run("memory", &[]).await;
        assert!(memory.starts_with("gstack ") && memory.contains("browser (pid "), "{memory}");
        assert!(memory.contains(": JS heap ") && memory.contains("/50000, requests "), "{memory}");
        let focused = world.run("focus", &[]).await;
        assert!(focused.starts_with("Focused tab "), "{focused}");
        let heading = world.find("[heading]").await;
        assert!(world.run("focus", &[&heading]).await.ends_with(&format!(", {heading} in view")));
        assert!(world.run("tabs", &[]).await.lines().all(|line| !line.ends_with("(in view)")));
        world
    });
}

#[test]
fn a_watch_sees_what_a_person_does() {
    with_world(|world| async move {
        world.open_hidden("next.html").await;
        assert_eq!(world.fault("watch", &["stop"]).await.code, FaultCode::Conflict);
        let begun = world.run("watch", &[]).await;
        assert!(begun.starts_with("WATCHING tab "), "{begun}");
        assert_eq!(world.fault("watch", &[]).await.code, FaultCode::Conflict);
        let mut told = world.context.browser.cdp().subscribe(Filter::all().methods(&["Runtime.bindingCalled"]));
        world
            .run(
                "js",
                &["document.body.append(Object.assign(document.createElement('p'), {textContent: 'Came later'}))"],
            )
            .await;
        // The page itself reports when it rests: nothing here polls.
        assert!(told.next().await.is_some());
        world.run("goto", &[&world.page("reading.html")]).await;
        let stopped = world.output("watch", &["stop"]).await.unwrap();
        let snapshots = stopped.data.unwrap()["snapshots"].as_u64().unwrap();
        assert!(snapshots >= 2, "{snapshots}");
        let head = stopped.head.unwrap_or_default();
        assert!(head.starts_with("WATCH STOPPED (") && head.contains(&format!("s, {snapshots} snapshots)")), "{head}");
        assert!(stopped.text.contains("Reading matters"), "{}", stopped.text);
        assert_eq!(world.fault("watch", &["stop"]).await.code, FaultCode::Conflict);
        assert_eq!(world.fault("watch", &["twice"]).await.code, FaultCode::BadRequest);
        world
    });
}

#[test]
fn a_selector_is_looked_for_in_all_frames() {
    with_world(|world| async move {
        world.open_hidden("frames.html").await;
        world.run("wait", &["--load"]).await;
        let several = world.fault("click", &["#go"]).await;
        assert_eq!(several.message, "#go: 2 elements match, in 2 frames");
        // One of them remains, in its own process.
        world.run("js", &["document.querySelector('[title=Near]').remove()"]).await;
        world.run("click", &["role=button[name=\"Inner button\"]"]).await;
        world.run("fill", &["#field", "found"]).await;
        assert_eq!(world.output("text", &["#log"]).await.unwrap().text, "clicked true");
        assert_eq!(world.run("is", &["visible", "#field"]).await, "true");
        assert_eq!(world.run("is", &["hidden", "#none"]).await, "true");
        assert_eq!(world.output("text", &["h1"]).await.unwrap().text, "Frames");
        // A frame that appears while the command waits for it.
        let late = "document.querySelector('iframe').remove(); setTimeout(() => { const frame = document.createElement('iframe'); \
            frame.src = '/inner.html?late'; document.body.append(frame); })";
        world.run("js", &[late]).await;
        world.run("wait", &["#go"]).await;
        world.run("click", &["#go"]).await;
        assert_eq!(world.output("text", &["#log"]).await.unwrap().text, "clicked true");
        assert_eq!(
            world.fault("click", &["#never", "--timeout", "200"]).await.message,
            "#never did not appear within 0.2 s"
        );
        assert_eq!(world.fault("click", &["div["]).await.code, FaultCode::BadRequest);
        world
    });
}
