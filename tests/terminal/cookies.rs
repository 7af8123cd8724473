//! Cookies of an installed browser, written by that browser itself.

use crate::stage::{Site, Stage, foreign_browser, page};
use gstack_browser::browser::{AttachOptions, Browser};
use gstack_browser::devtools::browser::CloseParams;
use gstack_browser::websocket;
use gstack_protocol::ids::BrowserRun;

fn greet(_: &str, _: u16) -> String {
    page("<h1>Hello</h1>")
}

/// It writes its cookies only when it is closed cleanly, not on a signal.
fn close(address: &str) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let transport = websocket::connect(address).await.unwrap();
        let run = BrowserRun::random();
        let browser = Browser::attach(transport, None, 1, run, AttachOptions::default()).await.unwrap();
        browser.root().post(CloseParams {});
        browser.gone().cancelled().await;
    });
}

#[test]
fn a_partitioned_cookie_stays_in_its_partition() {
    let stage = Stage::new();
    let data = if cfg!(target_os = "macos") { "Library/Application Support/Chromium" } else { ".config/chromium" };
    let (mut browser, address) = foreign_browser(&stage.person().join(data));
    stage.run(&["connect", "--attach", &address]);
    let key = r#"{"topLevelSite": "https://top.example", "hasCrossSiteAncestor": true}"#;
    let cookie = format!(
        r#"[{{"name": "in", "value": "1", "domain": "inner.example", "path": "/", "secure": true, "sameSite": "None",
            "expires": 4000000000, "partitionKey": {key}}}]"#
    );
    std::fs::write(stage.work().join("c.json"), cookie).unwrap();
    assert_eq!(stage.run(&["cookie-import", "c.json"]), "Loaded 1 cookies from c.json");
    stage.run(&["disconnect"]);
    close(&address);
    browser.0.wait().unwrap();

    let imported = stage.run(&["cookie-import-browser", "chromium"]);
    assert_eq!(imported, "Imported 1 cookies for 1 domains from Chromium");
    let held = || {
        let cookies: serde_json::Value = serde_json::from_str(&stage.run(&["cookies"])).unwrap();
        (cookies[0]["name"].clone(), cookies[0]["partitionKey"].clone())
    };
    let expected: serde_json::Value = serde_json::from_str(key).unwrap();
    assert_eq!(held(), ("in".into(), expected.clone()));
    // A saved state also keeps the cookie in its partition.
    stage.run(&["state", "save", "with-partition"]);
    stage.run(&["state", "load", "with-partition"]);
    assert_eq!(held(), ("in".into(), expected));
}

#[test]
fn cookies_of_an_installed_browser_come_over_and_their_values_are_never_printed() {
    let stage = Stage::new();
    let empty = stage.run(&["cookie-import-browser"]);
    assert_eq!(empty, "(no Chromium-family browser with cookies was found)");
    let site = Site::start(greet);
    let data = if cfg!(target_os = "macos") { "Library/Application Support/Chromium" } else { ".config/chromium" };
    let (mut browser, address) = foreign_browser(&stage.person().join(data));
    stage.run(&["connect", "--attach", &address]);
    stage.run(&["goto", &site.url("/")]);
    stage.run(&["js", "document.cookie = 'login=s3cret; max-age=8640000'; document.cookie = 'passing=1'"]);
    stage.run(&["disconnect"]);
    close(&address);
    browser.0.wait().unwrap();

    let listed = stage.run(&["cookie-import-browser"]);
    let expected = "Chromium, profile Default (";
    assert!(
        listed.starts_with(expected) && listed.contains("): 2 cookies of 1 domains\n      2  127.0.0.1\n"),
        "{listed}"
    );
    let imported = stage.said(&["cookie-import-browser", "chromium", "--domain", "127.0.0.1"]);
    assert_eq!(imported.out, "Imported 2 cookies for 127.0.0.1 from Chromium\n", "{imported:?}");
    assert!(stage.run(&["cookies"]).contains("\"value\": \"s3cret\""));
    assert!(stage.fails(&["cookie-import-browser", "chrome"]).contains("browsers that have: Chromium"));
    assert!(
        stage
            .fails(&["cookie-import-browser", "chromium", "--domain", "b.example"])
            .contains("no cookies for b.example")
    );
    let log = std::fs::read_to_string(stage.folder.path().join("g/daemon.log")).unwrap_or_default();
    assert!(!log.contains("s3cret") && !listed.contains("s3cret"));
}
