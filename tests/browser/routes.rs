//! Requests that are fulfilled, aborted, delayed and modified, and headers for a single site.

use crate::world::{World, with_world};
use axum::Router;
use axum::extract::RawQuery;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{any, get};
use gstack_protocol::fault::FaultCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// This test's own site: its port, and the number of requests for `/data`.
struct Site {
    port: u16,
    asked: Arc<AtomicUsize>,
}

impl Site {
    async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked: Arc<AtomicUsize> = Arc::default();
        let counted = asked.clone();
        let data = move || async move {
            counted.fetch_add(1, Ordering::SeqCst);
            "of the server"
        };
        let go = |query: RawQuery| async move { Redirect::to(query.0.unwrap_or_default().trim_start_matches("to=")) };
        let router = Router::new()
            .route("/", get(|| async { Html("<title>Routed</title><p id=p>page</p>") }))
            .route("/data", any(data))
            .route("/go", get(go))
            .route("/app.js", get(|| async { ([(header::CONTENT_TYPE, "text/javascript")], "window.app = 'own'") }))
            .route("/with-script", get(|| async { Html("<script src=/app.js></script>") }))
            .route("/headers", get(headers))
            .route("/private", get(private));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { port, asked }
    }
    fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }
    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

async fn headers(headers: HeaderMap) -> Response {
    let lines = headers.iter().map(|(name, value)| format!("{name}: {}", value.to_str().unwrap_or_default()));
    let open = [(header::ACCESS_CONTROL_ALLOW_ORIGIN, "*")];
    (open, lines.collect::<Vec<_>>().join("\n")).into_response()
}

/// `ada:hunter2`
async fn private(headers: HeaderMap) -> Response {
    match headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()) {
        Some("Basic YWRhOmh1bnRlcjI=") => "inside".into_response(),
        _ => (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Basic realm=\"x\"")], "outside").into_response(),
    }
}

/// Returns the page's result of fetching a URL: the text, or `failed`.
async fn fetched(world: &World, address: &str) -> String {
    let script =
        format!("fetch('{address}').then(async (a) => `${{a.status}} ${{await a.text()}}`).catch(() => 'failed')");
    world.run("js", &[&script]).await
}

#[test]
fn requests_are_answered_stopped_and_delayed_until_the_route_is_taken_away() {
    with_world(|world| async move {
        let site = Site::start().await;
        world.run("newtab", &[&site.url("/")]).await;
        assert_eq!(fetched(&world, "/data").await, "200 of the server");
        let routed = world.run("route", &["**/data", "--status", "503", "--body", "{\"busy\":true}"]).await;
        assert_eq!(routed, "Routed **/data → 503 (13 bytes)");
        assert_eq!(fetched(&world, "/data").await, "503 {\"busy\":true}");
        let kind = "fetch('/data').then((a) => a.headers.get('content-type'))";
        assert_eq!(world.run("js", &[kind]).await, "application/json");
        world.run("goto", &[&site.url("/with-script")]).await;
        assert_eq!(fetched(&world, "/data").await, "503 {\"busy\":true}", "after navigation");
        let worker = "new Promise((done) => { new Worker(URL.createObjectURL(new Blob([`fetch('URL').then((a) => postMessage(a.status))`]))).onmessage = ({ data }) => done(data); })";
        assert_eq!(
            world.run("js", &[&worker.replace("URL')", &format!("{}')", site.url("/data")))]).await,
            "503",
            "in a worker"
        );
        assert_eq!(site.asked(), 1, "the server was not asked");
        let cwd = world.context.cwd.clone().unwrap();
        std::fs::write(cwd.join("app.js"), "window.app = 'ours'").unwrap();
        world.run("route", &["**/app.js", "--fulfill", "app.js"]).await;
        world.run("reload", &[]).await;
        assert_eq!(world.run("js", &["window.app"]).await, "ours");
        world.run("route", &["**/data", "--abort", "--delay", "20"]).await;
        assert_eq!(fetched(&world, "/data").await, "failed");
        let list = world.output("route", &["list"]).await.unwrap();
        assert_eq!(list.text, "**/data → aborted after 20 ms (1 request)\n**/app.js → 200 (19 bytes) (1 request)");
        assert_eq!(list.data.unwrap()[1]["act"], "answer");
        let overrides = world.context.browser.overrides();
        assert_eq!(overrides[0].1, ["2 routes (2 requests)"]);
        let tabs = world.context.browser.tabs().len();
        world.run("js", &[&format!("void open('{}')", site.url("/with-script"))]).await;
        world.opened_up_to(tabs + 1).await;
        let popup = world.in_tab(world.context.browser.tabs().last().unwrap().id);
        popup.run("wait", &["--load"]).await;
        assert_eq!(popup.run("js", &["window.app"]).await, "ours", "in a popup, from its first request on");
        assert_eq!(world.run("unroute", &["**/data"]).await, "Removed 1 route");
        assert_eq!(fetched(&world, "/data").await, "200 of the server");
        assert_eq!(world.run("unroute", &[]).await, "Removed 1 route");
        assert_eq!(world.run("route", &["list"]).await, "(no routes)");
        assert_eq!(world.fault("unroute", &["**/data"]).await.code, FaultCode::NotFound);
        for wrong in [
            &["**"][..],
            &["**", "--status", "99"],
            &["**", "--abort", "--body", "x"],
            &["**", "--body", "x", "--header", "no"],
        ] {
            assert_eq!(world.fault("route", wrong).await.code, FaultCode::BadRequest, "{wrong:?}");
        }
        assert_eq!(world.fault("route", &["**", "--fulfill", "/etc/passwd"]).await.code, FaultCode::PathRefused);
        world
    });
}

#[test]
fn another_sites_answers_can_be_faked_for_a_person_with_the_browsers_questions_before_them() {
    with_world(|world| async move {
        let (site, other) = (Site::start().await, Site::start().await);
        world.run("newtab", &[&site.url("/")]).await;
        world.run("route", &["**/data", "--body", "made up"]).await;
        let put = format!(
            "fetch('{}', {{ method: 'PUT', headers: {{ 'X-One': '1' }} }}).then((a) => a.text()).catch(() => 'failed')",
            other.url("/data")
        );
        assert_eq!(world.run("js", &[&put]).await, "made up");
        assert_eq!(other.asked(), 0);
        world
    });
}

#[test]
fn a_models_route_is_for_pages_of_its_site_alone_and_leaves_nothing_in_the_browser() {
    with_world(|world| async move {
        let (site, bank) = (Site::start().await, Site::start().await);
        world.run("newtab", &[&site.url("/with-script")]).await;
        let model = world.for_model();
        let routed = model
            .run("route", &["**/app.js", "--body", "window.app = 'theirs'", "--content-type", "text/javascript"])
            .await;
        assert!(routed.ends_with(&format!("for pages of 127.0.0.1:{}", site.port)), "{routed}");
        model
            .run("route", &["**/with-script", "--body", "<title>taken over</title>", "--content-type", "text/html"])
            .await;
        // In a page of another site it has no effect: not on the document, its scripts or a frame.
        world.run("goto", &[&bank.url("/with-script")]).await;
        assert_eq!(world.run("js", &["window.app + document.title"]).await, "own");
        world.run("goto", &[&site.url("/")]).await;
        let frame = format!(
            "new Promise((done) => {{ const f = document.createElement('iframe'); f.src = '{}'; f.onload = () => done('loaded'); document.body.append(f); }})",
            bank.url("/with-script")
        );
        assert_eq!(world.run("js", &[&frame]).await, "loaded");
        let routes = world.output("route", &["list"]).await.unwrap();
        assert!(routes.data.unwrap().as_array().unwrap().iter().all(|route| route["requests"] == 0), "{}", routes.text);
        // On its own site it works.
        world.run("goto", &[&site.url("/with-script")]).await;
        assert_eq!(world.run("js", &["document.title"]).await, "taken over");
        for header in ["Set-Cookie: sid=mine", "Clear-Site-Data: *", "Strict-Transport-Security: max-age=1"] {
            let fault = model.fault("route", &["**", "--body", "x", "--header", header]).await;
            assert_eq!(fault.code, FaultCode::Forbidden, "{header}");
        }
        // Request headers would tell a server what a page must not.
        let fault = model.fault("route", &["**", "--header", "Origin: https://bank.example"]).await;
        assert_eq!(fault.code, FaultCode::Forbidden);
        // A CORS preflight must be answered by the server itself.
        world.run("goto", &[&site.url("/")]).await;
        model.run("route", &["**/data", "--body", "made up"]).await;
        let put =
            format!("fetch('{}', {{ method: 'PUT' }}).then((a) => a.text()).catch(() => 'failed')", bank.url("/data"));
        assert_eq!(world.run("js", &[&put]).await, "failed");
        // A model cannot remove a person's routes.
        world.run("route", &["**/headers", "--abort"]).await;
        assert_eq!(model.run("unroute", &[]).await, "Removed 3 routes");
        assert_eq!(world.run("route", &["list"]).await, "**/headers → aborted (0 requests)");
        world
    });
}

#[test]
fn headers_and_sign_ins_go_to_their_site_and_to_no_other() {
    with_world(|world| async move {
        let (site, other) = (Site::start().await, Site::start().await);
        let host = format!("127.0.0.1:{}", site.port);
        world.run("newtab", &[&site.url("/")]).await;
        let set = world.run("headers", &["set", "--site", &host, "X-Key: key-of-ada"]).await;
        assert_eq!(set, format!("Headers for {host}: X-Key"));
        assert!(fetched(&world, "/headers").await.contains("x-key: key-of-ada"));
        assert!(!fetched(&world, &other.url("/headers")).await.contains("key-of-ada"));
        let to_other = format!("/go?to={}", other.url("/headers"));
        let followed = fetched(&world, &to_other).await;
        assert!(
            followed.contains("host: 127.0.0.1") && !followed.contains("key-of-ada"),
            "over a redirect: {followed}"
        );
        world.run("goto", &[&site.url("/headers")]).await;
        assert!(world.run("text", &[]).await.contains("key-of-ada"), "of a document");
        assert!(!world.run("headers", &["list"]).await.contains("key-of-ada"));
        world.run("credentials", &["set", "--site", &host, "ada:wrong"]).await;
        assert_eq!(fetched(&world, "/private").await, "401 outside", "it is not tried again and again");
        let said = world.output("credentials", &["set", "--site", &host, "ada:hunter2"]).await.unwrap();
        assert!(!format!("{said:?}").contains("hunter2"));
        assert_eq!(fetched(&world, "/private").await, "200 inside");
        let words = world.context.browser.overrides()[0].1.join(", ");
        assert_eq!(words, format!("headers for {host}, a sign-in for {host}"));
        assert_eq!(world.fault("headers", &["set", "X-Key: 1"]).await.code, FaultCode::BadRequest);
        assert_eq!(world.fault("headers", &["set", "--site", &host, "Host: b"]).await.code, FaultCode::BadRequest);
        world.run("headers", &["clear"]).await;
        assert!(!fetched(&world, "/headers").await.contains("key-of-ada"));
        world
    });
}

#[test]
fn a_tab_is_taken_off_the_network_and_slowed_down_and_brought_back() {
    with_world(|world| async move {
        let site = Site::start().await;
        world.run("newtab", &[&site.url("/")]).await;
        assert_eq!(world.run("offline", &["on"]).await, "Offline on");
        assert_eq!(fetched(&world, "/data").await, "failed");
        assert_eq!(world.run("js", &["navigator.onLine"]).await, "false");
        assert_eq!(world.fault("goto", &[&site.url("/headers")]).await.code, FaultCode::Navigation);
        world.run("offline", &["off"]).await;
        world.run("goto", &[&site.url("/")]).await;
        world.run("throttle", &["3g"]).await;
        world.run("throttle", &["cpu", "4"]).await;
        assert_eq!(world.context.browser.overrides()[0].1, ["a slow network", "a CPU 4 times slower"]);
        let took = "(async () => { const from = performance.now(); await fetch('/data'); return performance.now() - from > 400; })()";
        assert_eq!(world.run("js", &[took]).await, "true", "the latency is added");
        assert_eq!(world.run("throttle", &["off"]).await, "Throttling off");
        assert!(world.context.browser.overrides().is_empty());
        assert_eq!(fetched(&world, "/data").await, "200 of the server");
        for wrong in [&["fast"][..], &["cpu"], &["cpu", "99"], &["3g", "4"]] {
            assert_eq!(world.fault("throttle", wrong).await.code, FaultCode::BadRequest, "{wrong:?}");
        }
        world
    });
}

#[test]
fn requests_that_wait_for_a_route_are_let_go_when_it_is_taken_away() {
    with_world(|world| async move {
        let site = Site::start().await;
        world.run("newtab", &[&site.url("/")]).await;
        world.run("route", &["**/data", "--delay", "60000"]).await;
        world.run("js", &["window.told = 'waits'; fetch('/data').then((a) => a.text()).then((t) => { window.told = t; }, () => { window.told = 'failed'; }); 1"]).await;
        world.run("unroute", &[]).await;
        world.run("wait", &["--fn", "window.told !== 'waits'"]).await;
        assert_eq!(world.run("js", &["window.told"]).await, "of the server");
        world
    });
}

/// Writes a recording with these entries, as a stranger would, and plays it in the tab.
async fn replays(world: &World, entries: &str) -> Result<String, String> {
    std::fs::write(world.context.cwd.clone().unwrap().join("theirs.har"), entries).unwrap();
    let routed = world.output("route", &["**", "--har", "theirs.har"]).await;
    routed.map(|routed| routed.text).map_err(|fault| fault.message)
}

#[test]
fn a_strangers_recording_reaches_no_file_and_no_address_that_is_refused() {
    with_world(|world| async move {
        let site = Site::start().await;
        world.run("newtab", &[&site.url("/")]).await;
        let answer = |path: &str, response: &str| {
            format!(
                r#"{{"request":{{"method":"GET","url":"{}"}},"response":{{"content":{{"size":0}},{response}}}}}"#,
                site.url(path)
            )
        };
        let to = |path: &str, address: &str| {
            answer(path, &format!(r#""status":302,"headers":[{{"name":"Location","value":"{address}"}}]"#))
        };
        let places = [
            "file:///etc/passwd",
            "chrome://version/",
            "data:text/html,root:",
            "javascript:1",
            "http://169.254.169.254/",
        ];
        let mut entries: Vec<String> =
            places.iter().enumerate().map(|(number, address)| to(&format!("/to{number}"), address)).collect();
        // A header that ends the line, or is none, a file beside the recording, and statuses that do not exist.
        let text = r#""status":200,"content":{"text":"replayed"}"#;
        entries
            .push(answer("/lines", r#""status":204,"headers":[{"name":"X-A","value":"1\r\nSet-Cookie: stolen=1"}]"#));
        entries.push(answer("/name", r#""status":204,"headers":[{"name":"a b:\r\n","value":"1"}]"#));
        entries.push(answer("/beside", r#""status":200,"content":{"_file":"../../../etc/passwd"}"#));
        entries.push(answer("/status", r#""status":99999"#));
        entries.push(answer("/good", text));
        let entries: Vec<String> = entries
            .into_iter()
            .map(|entry| {
                entry.replacen(
                    r#""content":{"size":0},"#,
                    "",
                    usize::from(entry.contains("_file") || entry.contains("replayed")),
                )
            })
            .collect();
        let har = |entries: &str| format!(r#"{{"log":{{"entries":[{entries}]}}}}"#);
        replays(&world, &har(&entries.join(","))).await.unwrap();
        assert_eq!(fetched(&world, "/good").await, "200 replayed");
        for path in ["/to0", "/to1", "/to2", "/to3", "/to4"] {
            assert_eq!(fetched(&world, path).await, "failed", "{path}");
            world.output("goto", &[&site.url(path)]).await.unwrap_err();
            let shown = world.output("text", &[]).await.map(|shown| shown.text).unwrap_or_default();
            assert!(!shown.contains("root:"), "{path}: {shown}");
            world.run("goto", &[&site.url("/")]).await;
        }
        for path in ["/lines", "/name"] {
            fetched(&world, path).await;
        }
        assert_eq!(world.run("js", &["document.cookie"]).await, "", "a header's value added a header");
        assert_eq!(fetched(&world, "/beside").await, "404 ", "left to the server");
        world.run("unroute", &[]).await;
        let deep = format!(r#"{{"log":{{"x":{},"entries":[{}]}}}}"#, "[".repeat(300_000), answer("/good", text));
        let huge = format!(r#"{{"log":{{"entries":[]}},"x":"{}"}}"#, "x".repeat(80 << 20));
        for (bad, why) in [
            (har(""), "no answers"),
            (har(&answer("/status", r#""status":99999"#)), "no answers"),
            (deep, "is no HAR file"),
            (huge, "larger than"),
        ] {
            let refused = replays(&world, &bad).await.unwrap_err();
            assert!(refused.contains(why), "{refused}");
        }
        for path in ["/etc/passwd", "../theirs.har", "file:///etc/passwd"] {
            world.fault("route", &["**", "--har", path]).await;
        }
        assert_eq!(world.run("route", &["list"]).await, "(no routes)");
        world
    });
}
