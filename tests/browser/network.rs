//! Requests of pages and their responses, as lists and individually: documents, scripts, workers, sockets, popups.

use crate::refused::{SECRET, serve_secret};
use crate::world::{World, with_world};
use axum::Router;
use axum::body::Bytes;
use axum::http::header;
use axum::response::{Html, IntoResponse};
use axum::routing::{get, post};
use futures_util::{SinkExt, StreamExt};
use gstack_protocol::fault::FaultCode;
use serde_json::Value;
use std::time::Duration;
use tokio_tungstenite::tungstenite::Message;

const PAGE: &str = r#"<title>Traffic</title><script>
async function login() {
  const answer = await fetch('/login?token=abc123&page=2', {
    method: 'POST', headers: { Authorization: 'Bearer secret-of-ada', 'X-Plain': 'visible' },
    body: JSON.stringify({ user: 'ada', password: 'hunter2' }),
  });
  return answer.text();
}
const work = () => new Promise((done) => {
  const source = `fetch(${JSON.stringify(location.origin + '/from-worker')}).then((a) => a.text()).then(postMessage)`;
  const worker = new Worker(URL.createObjectURL(new Blob([source])));
  worker.onmessage = ({ data }) => done(data);
});
const socket = (port) => new Promise((done) => {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/chat`);
  socket.onopen = () => socket.send('hello from the page');
  socket.onmessage = ({ data }) => { socket.close(); socket.onclose = () => done(data); };
});
const events = () => new Promise((done) => {
  const source = new EventSource('/events');
  source.addEventListener('news', ({ data }) => { source.close(); done(data); });
});
</script>"#;

/// Starts this test's own site; returns its port.
async fn site() -> u16 {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let login = |body: Bytes| async move {
        let headers = [(header::SET_COOKIE, "sid=cookie-of-ada; Path=/"), (header::CONTENT_TYPE, "application/json")];
        (headers, format!("{{\"accessToken\":\"token-of-ada\",\"read\":{}}}", body.len()))
    };
    let events = || async { ([(header::CONTENT_TYPE, "text/event-stream")], "event: news\ndata: it rains\n\n") };
    let cross = || async { ([(header::CONTENT_TYPE, "text/plain")], "inbox of ada").into_response() };
    let router = Router::new()
        .route("/", get(|| async { Html(PAGE) }))
        .route("/login", post(login))
        .route("/events", get(events))
        .route("/inbox", get(cross))
        .route("/from-worker", get(|| async { "worked" }))
        .route("/long", get(|| async { "abcdefghij".repeat(1000) }));
    tokio::spawn(async move { axum::serve(listener, router).await });
    port
}

/// Starts a server that echoes each text message; returns its port.
async fn echo_socket() -> u16 {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut socket = tokio_tungstenite::accept_async(stream).await.unwrap();
                while let Some(Ok(message)) = socket.next().await {
                    if message.is_text() {
                        socket.send(Message::text(format!("heard: {message}"))).await.unwrap();
                    }
                }
            });
        }
    });
    port
}

/// Returns the listed requests.
async fn listed(world: &World, args: &[&str]) -> Vec<Value> {
    let args = [&["list"], args].concat();
    world.output("network", &args).await.unwrap().data.unwrap().as_array().unwrap().clone()
}

/// Waits until the newest request to a URL with this part has its complete response: Chrome reports it after the page.
pub async fn has_finished(world: &World, part: &str) {
    let newest = number(world, part).await;
    shown_with(world, &newest, "receive").await;
}

/// Returns the number of the newest request to a URL with this part.
pub async fn number(world: &World, part: &str) -> String {
    let found = listed(world, &["--filter", part]).await;
    found.last().unwrap_or_else(|| panic!("no request to {part}"))["id"].to_string()
}

/// Waits until the command shows the complete response.
pub async fn shown_with(world: &World, number: &str, words: &str) -> (String, Value) {
    let mut last = String::new();
    for _ in 0..200 {
        let output = world.output("network", &["show", number]).await.unwrap();
        if output.text.contains(words) {
            return (output.text, output.data.unwrap());
        }
        last = output.text;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{words} is not in {last}");
}

#[test]
fn a_request_is_shown_with_headers_bodies_and_timing_and_without_its_secrets() {
    with_world(|world| async move {
        let port = site().await;
        let origin = format!("http://127.0.0.1:{port}");
        world.run("newtab", &[&format!("{origin}/")]).await;
        assert!(world.run("js", &["login()"]).await.contains("token-of-ada"));
        let login = number(&world, "/login").await;
        let (text, data) = shown_with(&world, &login, "receive").await;
        for secret in ["abc123", "secret-of-ada", "hunter2", "cookie-of-ada", "token-of-ada"] {
            assert!(!format!("{text}{data}").contains(secret), "{secret}: {text}");
        }
        for told in
            ["POST", "page=2", "X-Plain: visible", "ada", "[fetch]", "→ 200", "Set-Cookie: [redacted]", "\"read\":"]
        {
            assert!(text.to_lowercase().contains(&told.to_lowercase()), "{told}: {text}");
        }
        assert_eq!(data["response"]["address"], "127.0.0.1");
        assert!(data["timing"]["wait"].as_f64().unwrap() >= 0.0 && data["response"]["status"] == 200);
        // The first document, which was requested before any command used the tab.
        let document = listed(&world, &["--type", "document"]).await[0]["id"].to_string();
        let (text, _) = shown_with(&world, &document, "Traffic").await;
        assert!(text.contains("[document]"), "{text}");
        world.run("js", &["fetch('/long').then((a) => a.text())"]).await;
        has_finished(&world, "/long").await;
        let long = number(&world, "/long").await;
        let cut = world.output("network", &["show", &long, "--limit", "25"]).await.unwrap();
        assert!(cut.text.contains("cut: 25 of 10000 characters"), "{}", cut.text);
        assert_eq!(cut.data.unwrap()["response"]["body"]["text"], "abcdefghij".repeat(3)[..25]);
        assert_eq!(world.fault("network", &["show", "9999"]).await.code, FaultCode::NotFound);
        assert_eq!(world.fault("network", &["show"]).await.code, FaultCode::BadRequest);
        world
    });
}

#[test]
fn lists_are_filtered_and_cover_workers_sockets_events_and_popups() {
    with_world(|world| async move {
        let (port, sockets) = (site().await, echo_socket().await);
        let origin = format!("http://127.0.0.1:{port}");
        world.run("newtab", &[&format!("{origin}/")]).await;
        assert_eq!(world.run("js", &["work()"]).await, "worked");
        assert_eq!(world.run("js", &[&format!("socket({sockets})")]).await, "heard: hello from the page");
        assert_eq!(world.run("js", &["events()"]).await, "it rains");
        world.run("js", &["fetch('/missing').then((a) => a.status)"]).await;
        let (text, data) = shown_with(&world, &number(&world, "/chat").await, "heard: hello").await;
        assert!(text.contains("→ text hello from the page") && text.contains("→ 101"), "{text}");
        assert_eq!((&data["type"], &data["messages"][0]["sent"]), (&"websocket".into(), &true.into()));
        shown_with(&world, &number(&world, "/events").await, "← news it rains").await;
        // One that fails: its creation has no time, and the time that the machine has run is not what it took.
        world
            .run(
                "js",
                &["new Promise((done) => { new WebSocket('ws://127.0.0.1:1/closed').onerror = done }).then(() => 1)"],
            )
            .await;
        let (text, data) = shown_with(&world, &number(&world, "/closed").await, "ERR_UNSAFE_PORT").await;
        let took = data["millis"].as_u64().or_else(|| data["took"].as_u64());
        assert!(took.is_none_or(|took| took < 60_000), "{text} {data}");
        let kinds =
            |list: Vec<Value>| list.iter().map(|one| one["type"].as_str().unwrap().to_owned()).collect::<Vec<_>>();
        assert_eq!(
            kinds(listed(&world, &["--type", "document,websocket"]).await),
            ["document", "websocket", "websocket"]
        );
        assert_eq!(listed(&world, &["--filter", "**/from-worker"]).await.len(), 1);
        let missing = listed(&world, &["--status", "4xx"]).await;
        assert!(missing.iter().all(|one| one["status"] == 404) && !missing.is_empty());
        let newest = listed(&world, &["--limit", "1"]).await;
        assert_eq!(newest.len(), 1);
        let after = newest[0]["id"].to_string();
        assert!(listed(&world, &["--since", &after]).await.is_empty());
        assert!(listed(&world, &["--since", "1h"]).await.len() > 4);
        assert_eq!(world.fault("network", &["list", "--since", "soon"]).await.code, FaultCode::BadRequest);
        let tabs = world.context.browser.tabs().len();
        world.run("js", &[&format!("void open('{origin}/long')")]).await;
        world.opened_up_to(tabs + 1).await;
        let popup = world.in_tab(world.context.browser.tabs().last().unwrap().id);
        popup.run("wait", &["--load"]).await;
        let (text, _) = shown_with(&popup, &number(&popup, "/long").await, "abcdefghij").await;
        assert!(text.contains("[document]"), "{text}");
        // The browser's own page about a failure is not what the server sent.
        let closed = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        world.fault("goto", &[&format!("http://{closed}/nobody")]).await;
        let (_, data) = shown_with(&world, &number(&world, "/nobody").await, "ERR_CONNECTION_REFUSED").await;
        assert_eq!(data["bytes"], Value::Null, "{data}");
        world
    });
}

#[test]
fn a_model_reads_no_body_of_another_site_and_nothing_of_a_page_that_was_left() {
    with_world(|world| async move {
        let (port, other) = (site().await, site().await);
        let (page, inbox) = (format!("http://127.0.0.1:{port}/"), format!("http://127.0.0.1:{other}/inbox"));
        world.run("newtab", &[&page]).await;
        let model = world.for_model();
        // A page can send such a request with the person's cookies but cannot read the response.
        world
            .run("js", &[&format!("fetch('{inbox}', {{ mode: 'no-cors', credentials: 'include' }}).then(() => 1)")])
            .await;
        let cross = number(&world, "/inbox").await;
        shown_with(&world, &cross, "inbox of ada").await;
        let told = model.run("network", &["show", &cross]).await;
        assert!(!told.contains("inbox of ada") && told.contains("not shown to agents"), "{told}");
        assert!(told.contains("UNTRUSTED TEXT"), "{told}");
        let first = listed(&world, &["--type", "document"]).await[0]["id"].to_string();
        assert!(model.run("network", &["show", &first]).await.contains("Traffic"));
        world.run("goto", &[&world.page("next.html")]).await;
        assert_eq!(model.fault("network", &["show", &first]).await.code, FaultCode::Forbidden);
        for args in [&[][..], &["list"]] {
            let list = model.run("network", args).await;
            assert!(!list.contains(&port.to_string()) && list.contains("next.html"), "{list}");
            assert!(list.contains("requests of documents of other sites"), "{list}");
        }
        assert!(world.run("network", &[]).await.contains(&page), "a person sees all of them");
        world
    });
}

#[test]
fn an_answer_of_a_refused_address_is_not_shown_after_its_page_was_left() {
    with_world(|world| async move {
        let secret = serve_secret().await;
        world.run("newtab", &[&world.page("next.html")]).await;
        let fetched = format!("fetch('{secret}').then((a) => a.text()).then(() => 1)");
        assert_eq!(world.fault("js", &[&fetched]).await.code, FaultCode::UrlRefused);
        world.run("goto", &[&world.page("actions.html")]).await;
        let number = number(&world, "refused.test").await;
        let fault = world.fault("network", &["show", &number]).await;
        assert_eq!(fault.code, FaultCode::UrlRefused);
        assert!(!format!("{fault:?}").contains(SECRET));
        world
    });
}
