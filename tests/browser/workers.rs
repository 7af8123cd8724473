//! Service workers: those of the page's origin are listed and stopped, and a tab does without them.

use crate::world::{World, with_world};
use axum::Router;
use axum::http::header;
use axum::response::Html;
use axum::routing::get;
use gstack_protocol::fault::FaultCode;
use serde_json::Value;

/// It answers two addresses itself. What it keeps in memory is gone once it was stopped.
const WORKER: &str = "const started = crypto.randomUUID();\
    addEventListener('install', () => skipWaiting()); addEventListener('activate', (event) => event.waitUntil(clients.claim()));\
    addEventListener('fetch', (event) => {\
      const { pathname } = new URL(event.request.url);\
      if (pathname === '/who') event.respondWith(new Response('the worker'));\
      if (pathname === '/started') event.respondWith(new Response(started));\
    });";
const REGISTER: &str = "navigator.serviceWorker.register('/sw.js?token=secret-of-ada').then(() => new Promise((done) => {\
    const look = () => navigator.serviceWorker.controller && done('controlled');\
    navigator.serviceWorker.addEventListener('controllerchange', look); look(); }))";
const WHO: &str = "fetch('/who').then((answer) => answer.text())";
const STARTED: &str = "fetch('/started').then((answer) => answer.text())";

async fn serve() -> u16 {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let router = Router::new()
        .route("/", get(|| async { Html("<title>Worked</title><link rel=icon href=data:,>") }))
        .route("/who", get(|| async { "the server" }))
        .route("/started", get(|| async { "the server" }))
        .route("/sw.js", get(|| async { ([(header::CONTENT_TYPE, "text/javascript")], WORKER) }));
    tokio::spawn(async move { axum::serve(listener, router).await });
    port
}

async fn workers(world: &World) -> Vec<Value> {
    let listed = world.output("workers", &[]).await.unwrap();
    listed.data.unwrap()["workers"].as_array().unwrap().clone()
}

#[test]
fn workers_of_the_origin_are_listed_and_stopped_and_no_others() {
    with_world(|world| async move {
        let port = serve().await;
        world.run("newtab", &[&format!("http://127.0.0.1:{port}/")]).await;
        assert_eq!(world.run("workers", &[]).await, "(no service workers)");
        assert_eq!(world.run("workers", &["stop"]).await, "No service worker was running");
        assert_eq!(world.run("js", &[REGISTER]).await, "controlled");
        let text = world.run("workers", &["list"]).await;
        let line = format!(
            "http://127.0.0.1:{port}/sw.js?token=[redacted]  activated, running, 1 client, scope http://127.0.0.1:{port}/"
        );
        assert!(text.contains(&line), "{text}");
        let number = workers(&world).await[0]["number"].as_str().unwrap().to_owned();
        let first = world.run("js", &[STARTED]).await;
        assert_eq!(world.run("js", &[STARTED]).await, first, "it goes on");
        assert_eq!(world.run("workers", &["stop", &number]).await, "Stopped 1 service worker");
        assert_eq!(workers(&world).await[0]["running"], "stopped");
        let second = world.run("js", &[STARTED]).await;
        assert_ne!(second, first, "it was started again");
        // Another origin, a page without one, and a number that is none.
        let elsewhere = format!("http://localhost:{port}/");
        for other in [elsewhere.as_str(), "about:blank"] {
            world.run("newtab", &[other]).await;
            assert_eq!(world.run("workers", &[]).await, "(no service workers)", "{other}");
            assert_eq!(world.run("workers", &["stop"]).await, "No service worker was running");
            assert_eq!(world.fault("workers", &["stop", &number]).await.code, FaultCode::NotFound);
        }
        assert_eq!(world.fault("workers-stop", &["all"]).await.code, FaultCode::BadRequest);
        world.run("newtab", &[&format!("http://127.0.0.1:{port}/")]).await;
        assert_eq!(world.run("js", &[STARTED]).await, second, "nobody there has stopped it");
        assert_eq!(world.run("workers", &["stop"]).await, "Stopped 1 service worker");
        assert_ne!(world.run("js", &[STARTED]).await, second);
        assert!(world.for_model().run("workers", &[]).await.contains("UNTRUSTED TEXT"));
        world
    });
}

#[test]
fn a_tab_goes_past_its_workers_to_the_server_until_it_is_told_otherwise() {
    with_world(|world| async move {
        let port = serve().await;
        world.run("newtab", &[&format!("http://127.0.0.1:{port}/")]).await;
        world.run("js", &[REGISTER]).await;
        assert_eq!(world.run("js", &[WHO]).await, "the worker");
        assert_eq!(world.run("workers", &["bypass", "on"]).await, "Bypassing service workers on");
        assert_eq!(world.context.browser.overrides()[0].1, ["no service workers"]);
        assert_eq!(world.run("js", &[WHO]).await, "the server");
        world.run("reload", &[]).await;
        assert_eq!(world.run("js", &[WHO]).await, "the server");
        assert_eq!(world.run("workers", &["bypass", "off"]).await, "Bypassing service workers off");
        assert!(world.context.browser.overrides().is_empty());
        world.run("reload", &[]).await;
        assert_eq!(world.run("js", &[WHO]).await, "the worker");
        assert_eq!(world.fault("workers", &["bypass", "perhaps"]).await.code, FaultCode::BadRequest);
        assert_eq!(world.fault("workers-bypass", &[]).await.code, FaultCode::BadRequest);
        world
    });
}
