//! Recorded requests: the content of the file, and what it must not contain.

use crate::network::{has_finished, number, shown_with};
use crate::world::{REFUSED_ADDRESS, World, with_world};
use axum::Router;
use axum::http::header;
use axum::response::{Html, IntoResponse, Redirect};
use axum::routing::{any, get};
use gstack_protocol::fault::FaultCode;
use serde_json::Value;

/// What no file may contain unless it is requested.
const SECRETS: [&str; 7] =
    ["sid-of-ada", "bearer-of-ada", "token-of-ada", "hunter2", "key-of-ada", "refresh-of-ada", "code-of-ada"];

async fn serve() -> u16 {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let login = || async {
        let cookies = [(header::SET_COOKIE, "sid=sid-of-ada; Path=/; HttpOnly")];
        (cookies, axum::Json(serde_json::json!({ "user": "ada", "refreshToken": "refresh-of-ada" }))).into_response()
    };
    let router = Router::new()
        .route("/", get(|| async { Html("<title>Recorded</title><link rel=icon href=data:,><p>page</p>") }))
        .route("/login", any(login))
        .route("/go", get(|| async { Redirect::to("/data?code=code-of-ada&page=2") }))
        .route("/data", any(|| async { "the data" }))
        .route("/bytes", get(|| async { ([(header::CONTENT_TYPE, "image/png")], vec![0_u8, 159, 146, 150]) }));
    tokio::spawn(async move { axum::serve(listener, router).await });
    port
}

/// Signs in by a form, by JSON and by a header, and requests a URL with a token.
const ASKS: &str = "(async () => {
  await fetch('/login', { method: 'POST', body: new URLSearchParams({ user: 'ada', password: 'hunter2' }) });
  await fetch('/login', { method: 'POST', body: JSON.stringify({ apiKey: 'key-of-ada', page: 3 }), headers: { 'Content-Type': 'application/json' } });
  await fetch('/data?access_token=token-of-ada&page=1', { headers: { Authorization: 'Bearer bearer-of-ada' } });
  await fetch('/go');
  await fetch('/bytes').then((answer) => answer.arrayBuffer());
  await fetch(URL.createObjectURL(new Blob(['own']))).then((answer) => answer.text());
  await fetch('data:,own').then((answer) => answer.text());
  return 'asked';
})()";

async fn recorded(world: &World, flags: &[&str], name: &str) -> (String, Value) {
    world.run("har", &[&["start"], flags].concat()).await;
    world.run("reload", &[]).await;
    assert_eq!(world.run("js", &[ASKS]).await, "asked");
    for part in ["/login", "/data", "/bytes"] {
        has_finished(world, part).await;
    }
    let saved = world.output("har", &["stop", name]).await.unwrap();
    assert!(saved.text.starts_with("HAR saved: "), "{}", saved.text);
    let text = std::fs::read_to_string(&saved.files[0]).unwrap();
    let har = serde_json::from_str(&text).unwrap();
    (text, har)
}

fn entry<'a>(har: &'a Value, end: &str) -> &'a Value {
    let entries = har["log"]["entries"].as_array().unwrap();
    let found = entries.iter().find(|entry| entry["request"]["url"].as_str().unwrap().contains(end));
    found.unwrap_or_else(|| panic!("{end} in {har:#}"))
}

#[test]
fn a_file_has_the_requests_with_their_bodies_and_no_secret_in_any_place() {
    with_world(|world| async move {
        let port = serve().await;
        world.run("newtab", &[&format!("http://127.0.0.1:{port}/")]).await;
        let (text, har) = recorded(&world, &["--bodies"], "all.har").await;
        for secret in SECRETS {
            assert!(!text.contains(secret), "{secret}: {text}");
        }
        assert_eq!((&har["log"]["version"], &har["log"]["creator"]["name"]), (&"1.2".into(), &"gstack".into()));
        let addresses = har["log"]["entries"].as_array().unwrap().iter().map(|entry| entry["request"]["url"].as_str());
        let all: Vec<&str> = addresses.flatten().collect();
        assert!(all.iter().all(|url| url.starts_with("http://")), "other programs refuse the file: {all:?}");
        let page = entry(&har, "/");
        assert_eq!(page["response"]["status"], 200);
        assert!(page["response"]["content"]["text"].as_str().unwrap().contains("<p>page</p>"), "{page}");
        let form = entry(&har, "/login");
        assert_eq!(form["request"]["postData"]["text"], "user=ada&password=[redacted]");
        assert_eq!(form["request"]["postData"]["params"][1]["value"], "[redacted]");
        assert_eq!(form["response"]["cookies"][0]["name"], "sid");
        assert_eq!(form["response"]["cookies"][0]["value"], "[redacted]");
        let query = &entry(&har, "/data?access_token")["request"]["queryString"];
        assert_eq!((&query[0]["value"], &query[1]["value"]), (&"[redacted]".into(), &"1".into()));
        assert_eq!(entry(&har, "/go")["response"]["redirectURL"], "/data?code=[redacted]&page=2");
        let bytes = &entry(&har, "/bytes")["response"]["content"];
        assert_eq!((&bytes["encoding"], &bytes["text"]), (&"base64".into(), &"AJ+Slg==".into()));
        assert_eq!(world.fault("har", &["stop", "x.har"]).await.code, FaultCode::NotFound);
        // All of it, if it is requested.
        let (text, har) = recorded(&world, &["--secrets"], "secrets.har").await;
        for secret in SECRETS.iter().filter(|secret| **secret != "refresh-of-ada") {
            assert!(text.contains(secret), "{secret}");
        }
        assert!(entry(&har, "/data")["response"]["content"]["text"].is_null(), "bodies only where they are asked for");
        for wrong in [&["begin"][..], &["start", "x.har"], &["stop", "--bodies"]] {
            assert_eq!(world.fault("har", wrong).await.code, FaultCode::BadRequest, "{wrong:?}");
        }
        world.run("har", &["start"]).await;
        assert_eq!(world.fault("har", &["start"]).await.code, FaultCode::Conflict);
        assert_eq!(world.fault("har", &["stop", "/etc/x.har"]).await.code, FaultCode::PathRefused);
        world
    });
}

#[test]
fn bodies_of_documents_that_were_left_are_in_it_and_a_hidden_tab_is_recorded_too() {
    with_world(|world| async move {
        let port = serve().await;
        world.run("newtab", &[&format!("http://127.0.0.1:{port}/")]).await;
        world.run("newtab", &[&world.page("next.html")]).await;
        let hidden = world.context.browser.tabs()[1].id;
        let world_of_tab = world.in_tab(hidden);
        world_of_tab.run("har", &["start", "--bodies"]).await;
        for place in ["data?one", "data?two", ""] {
            world_of_tab.run("goto", &[&format!("http://127.0.0.1:{port}/{place}")]).await;
        }
        // The browser keeps them while it records: a body that is asked for late is there too.
        let left = number(&world_of_tab, "data?one").await;
        shown_with(&world_of_tab, &left, "the data").await;
        let saved = world_of_tab.output("har", &["stop"]).await.unwrap();
        let har: Value = serde_json::from_str(&std::fs::read_to_string(&saved.files[0]).unwrap()).unwrap();
        for place in ["data?one", "data?two"] {
            let text = entry(&har, place)["response"]["content"]["text"].as_str().unwrap_or_default();
            assert!(text.contains("the data"), "{place}: {har:#}");
        }
        assert!(saved.data.unwrap()["requests"].as_u64().unwrap() >= 3);
        world
    });
}

#[test]
fn a_models_file_is_of_this_sites_pages_and_nobodys_has_refused_addresses() {
    with_world(|world| async move {
        let (port, other) = (serve().await, serve().await);
        let here = format!("http://127.0.0.1:{port}/");
        world.run("newtab", &[&here]).await;
        let model = world.for_model();
        assert_eq!(model.fault("har", &["start", "--secrets"]).await.code, FaultCode::Forbidden);
        model.run("har", &["start", "--bodies"]).await;
        world.run("goto", &[&format!("http://127.0.0.1:{other}/data?elsewhere")]).await;
        world.run("goto", &[&here]).await;
        let asks = format!(
            "Promise.allSettled([fetch('http://127.0.0.1:{other}/data?cross', {{ mode: 'no-cors' }}), fetch('http://{REFUSED_ADDRESS}:{port}/data?metadata', {{ mode: 'no-cors' }}), fetch('/data?own').then((own) => own.text())]).then(() => 'asked')"
        );
        assert_eq!(world.run("js", &[&asks]).await, "asked");
        has_finished(&world, "?own").await;
        let saved = model.output("har", &["stop", "model.har"]).await.unwrap();
        let text = std::fs::read_to_string(&saved.files[0]).unwrap();
        let har: Value = serde_json::from_str(&text).unwrap();
        assert!(entry(&har, "?own")["response"]["content"]["text"] == "the data");
        assert!(entry(&har, "?cross")["response"]["content"]["text"].is_null(), "another site's answer");
        assert!(!text.contains("elsewhere") && !text.contains("?metadata"), "{text}");
        // A model cannot end a person's recording.
        world.run("har", &["start"]).await;
        assert_eq!(model.fault("har", &["stop"]).await.code, FaultCode::Forbidden);
        world
    });
}
