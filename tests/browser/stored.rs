//! Storage, cookies and the cache: entries are read, set, deleted and saved to a file.

use crate::world::with_world;
use axum::Router;
use axum::http::header;
use axum::routing::get;
use gstack_protocol::fault::FaultCode;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

#[test]
fn entries_of_the_storage_are_read_set_deleted_and_exported() {
    with_world(|world| async move {
        world.open_hidden("next.html").await;
        world.run("storage", &["set", "theme", "very", "dark"]).await;
        assert_eq!(
            world.run("storage", &["set", "step", "two", "--session-storage"]).await,
            "Set sessionStorage[\"step\"]"
        );
        world.run("storage", &["set", "accessToken", "token-of-ada"]).await;
        assert_eq!(world.run("js", &["localStorage.theme + sessionStorage.step"]).await, "very darktwo");
        assert_eq!(world.run("storage", &["get", "theme"]).await, "very dark");
        assert_eq!(world.run("storage", &["get", "step", "--session-storage"]).await, "two");
        assert_eq!(world.run("storage", &["get", "accessToken"]).await, "[REDACTED — 12 chars]");
        assert_eq!(world.run("storage", &["get", "accessToken", "--secrets"]).await, "token-of-ada");
        let file = world.output("storage", &["export", "--output", "kept.json"]).await.unwrap();
        let text = std::fs::read_to_string(&file.files[0]).unwrap();
        assert!(text.contains("very dark") && text.contains("\"two\"") && !text.contains("token-of-ada"), "{text}");
        let file = world.output("storage", &["export", "--secrets"]).await.unwrap();
        assert!(std::fs::read_to_string(&file.files[0]).unwrap().contains("token-of-ada"));
        assert_eq!(world.run("storage", &["delete", "theme"]).await, "Deleted localStorage[\"theme\"]");
        assert_eq!(world.run("js", &["'theme' in localStorage"]).await, "false");
        for missing in [&["get", "theme"][..], &["delete", "theme"], &["get", "accessToken", "--session-storage"]] {
            assert_eq!(world.fault("storage", missing).await.code, FaultCode::NotFound, "{missing:?}");
        }
        world.run("storage", &["clear", "--session-storage"]).await;
        assert_eq!(world.run("js", &["`${sessionStorage.length} ${localStorage.length}`"]).await, "0 1");
        world.run("storage", &["clear"]).await;
        assert_eq!(world.run("js", &["localStorage.length"]).await, "0");
        for wrong in [&["get"][..], &["delete"], &["clear", "x"], &["swap", "a", "b"]] {
            assert_eq!(world.fault("storage", wrong).await.code, FaultCode::BadRequest, "{wrong:?}");
        }
        assert_eq!(world.fault("storage", &["export", "--output", "/etc/x.json"]).await.code, FaultCode::PathRefused);
        world
    });
}

#[test]
fn cookies_are_read_set_deleted_and_exported_one_by_one_or_of_a_site() {
    with_world(|world| async move {
        world.open_hidden("next.html").await;
        let set =
            ["set", "sid=one", "--http-only", "--same-site", "strict", "--expires", "3600", "--path", "/next.html"];
        assert_eq!(world.run("cookies", &set).await, "Cookie set: sid=****");
        let cookies: Value = serde_json::from_str(&world.run("cookies", &["get", "sid"]).await).unwrap();
        assert_eq!((&cookies[0]["value"], &cookies[0]["path"]), (&"one".into(), &"/next.html".into()));
        assert_eq!((&cookies[0]["httpOnly"], &cookies[0]["sameSite"]), (&true.into(), &"Strict".into()));
        assert!(cookies[0]["expires"].as_f64().is_some());
        world.run("cookies", &["set", "theme=dark"]).await;
        assert_eq!(world.run("js", &["document.cookie"]).await, "theme=dark");
        world.run("cookies", &["set", "other=1", "--domain", "localhost"]).await;
        let file = world.output("cookies", &["export", "--output", "jar.json"]).await.unwrap();
        assert!(std::fs::read_to_string(&file.files[0]).unwrap().contains("\"other\""));
        assert_eq!(world.run("cookies", &["delete", "theme"]).await, "Deleted 1 cookie");
        assert_eq!(world.run("js", &["document.cookie"]).await, "");
        assert_eq!(world.run("cookies", &["clear"]).await, "Deleted 1 cookie", "those of the page's site");
        assert!(world.run("cookies", &[]).await.contains("other"));
        assert_eq!(world.run("cookies", &["clear", "--all"]).await, "Deleted 1 cookie");
        assert_eq!(world.run("cookies", &[]).await, "[]");
        assert_eq!(world.run("cookie-import", &["jar.json"]).await, "Loaded 3 cookies from jar.json");
        assert_eq!(world.run("js", &["document.cookie"]).await, "theme=dark");
        // The browser takes the first one without an error and does not keep it.
        let insecure = r#"[{"name": "lost", "value": "1", "domain": "a.test", "path": "/", "sameSite": "no_restriction"},
            {"name": "kept", "value": "2", "domain": "a.test", "path": "/"}]"#;
        std::fs::write(world.context.cwd.clone().unwrap().join("insecure.json"), insecure).unwrap();
        let fault = world.fault("cookie-import", &["insecure.json"]).await;
        assert_eq!(fault.message, "the browser did not keep lost of a.test");
        assert!(world.run("cookies", &["get", "kept"]).await.contains("\"2\""));
        for missing in [["get", "no"], ["delete", "no"]] {
            assert_eq!(world.fault("cookies", &missing).await.code, FaultCode::NotFound, "{missing:?}");
        }
        for wrong in [&["set", "x"][..], &["get"], &["eat", "a"], &["set", "a=b", "--same-site", "odd"]] {
            assert_eq!(world.fault("cookies", wrong).await.code, FaultCode::BadRequest, "{wrong:?}");
        }
        world
    });
}

#[test]
fn cookies_are_those_of_the_tabs_own_browser_context() {
    with_world(|world| async move {
        world.open_hidden("next.html").await;
        world.run("cookies", &["set", "of=default"]).await;
        let browser = &world.context.browser;
        let context = browser.new_context().await.unwrap();
        let other = world.in_tab(browser.new_tab_in(Some(&context)).await.unwrap().id());
        other.run("goto", &[&other.page("next.html")]).await;
        assert_eq!(other.run("cookies", &[]).await, "[]");
        other.run("cookies", &["set", "of=other"]).await;
        assert_eq!(other.run("js", &["document.cookie"]).await, "of=other");
        assert_eq!(world.run("js", &["document.cookie"]).await, "of=default");
        let saved = other.run("state", &["save", "other"]).await;
        assert!(saved.contains("(1 cookies, 1 pages)"), "no page of the default context: {saved}");
        other.run("cookies", &["clear", "--all"]).await;
        assert_eq!(other.run("js", &["document.cookie"]).await, "");
        assert!(world.run("cookies", &[]).await.contains("\"default\""));
        other.run("state", &["load", "other"]).await;
        let restored = other.run("cookies", &[]).await;
        assert!(restored.contains("\"other\"") && !restored.contains("\"default\""), "{restored}");
        browser.dispose_context(&context).await.unwrap();
        world
    });
}

#[test]
fn cookies_of_a_credentialless_frame_are_not_those_of_the_site() {
    with_world(|world| async move {
        world.open_hidden("next.html").await;
        world.run("cookies", &["set", "kept=1"]).await;
        let inside = "const frame = Object.assign(document.createElement('iframe'), { credentialless: true, src: location.href });
            document.body.append(frame);
            await new Promise((loaded) => { frame.onload = loaded; });
            frame.contentDocument.cookie = 'anonymous=1';
            return frame.contentDocument.cookie";
        assert_eq!(world.run("js", &[inside]).await, "anonymous=1");
        let cookies = world.run("cookies", &[]).await;
        assert!(cookies.contains("\"kept\"") && !cookies.contains("anonymous"), "{cookies}");
        world.run("state", &["save", "mine"]).await;
        world.run("cookies", &["clear", "--all"]).await;
        world.run("state", &["load", "mine"]).await;
        assert_eq!(world.run("js", &["document.cookie"]).await, "kept=1");
        world
    });
}

#[test]
fn what_is_cached_is_asked_for_again_after_the_cache_was_cleared_or_turned_off() {
    with_world(|world| async move {
        let asked: Arc<AtomicUsize> = Arc::default();
        let counted = asked.clone();
        let kept = move || async move {
            counted.fetch_add(1, Ordering::SeqCst);
            ([(header::CACHE_CONTROL, "max-age=3600")], "kept")
        };
        let router = Router::new().route("/", get(|| async { "page" })).route("/kept", get(kept));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://127.0.0.1:{}/", listener.local_addr().unwrap().port());
        tokio::spawn(async move { axum::serve(listener, router).await });
        world.run("newtab", &[&url]).await;
        let ask = "fetch('/kept').then((a) => a.text())";
        for (before, times) in
            [(None, 1), (None, 1), (Some("clear"), 2), (None, 2), (Some("off"), 3), (None, 4), (Some("on"), 4)]
        {
            if let Some(act) = before {
                world.run("cache", &[act]).await;
            }
            assert_eq!(world.run("js", &[ask]).await, "kept");
            assert_eq!(asked.load(Ordering::SeqCst), times, "{before:?}");
        }
        world.run("cache", &["off"]).await;
        assert_eq!(world.context.browser.overrides()[0].1, ["no cache"]);
        world.run("cache", &["on"]).await;
        assert!(world.context.browser.overrides().is_empty());
        assert_eq!(world.fault("cache", &["fill"]).await.code, FaultCode::BadRequest);
        world
    });
}
