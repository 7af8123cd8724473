//! What makes a page slow, said in words after a traced load.

use crate::world::with_world;
use axum::Router;
use axum::http::header;
use axum::response::Html;
use axum::routing::get;
use gstack_protocol::fault::FaultCode;
use std::time::Duration;

const PAGE: &str = "<!doctype html><title>Slow</title><link rel=icon href=data:,><link rel=stylesheet href=/late.css><script src=/busy.js></script>
    <body><div id=before></div><h1 style='font-size:60px'>Words that are the largest of what is painted</h1><p id=moved>More words</p>
    <script>requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => { before.style.height = '300px' }, 100)))</script>";

async fn serve() -> u16 {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let style = || async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        ([(header::CONTENT_TYPE, "text/css")], "h1 { color: red }")
    };
    let script = || async {
        (
            [(header::CONTENT_TYPE, "text/javascript")],
            "const end = performance.now() + 250; while (performance.now() < end);",
        )
    };
    let router = Router::new()
        .route("/", get(|| async { Html(PAGE) }))
        .route("/late.css", get(style))
        .route("/busy.js", get(script));
    tokio::spawn(async move { axum::serve(listener, router).await });
    port
}

#[test]
fn a_traced_load_says_what_delayed_it() {
    with_world(|world| async move {
        let origin = format!("http://127.0.0.1:{}", serve().await);
        world.run("goto", &[&format!("{origin}/")]).await;
        let told = world.output("perf", &["trace", "load.json"]).await.unwrap();
        let (text, data) = (told.text.clone(), told.data.unwrap());
        assert!(text.starts_with("Largest paint (LCP): ") && text.contains("until the server answered"), "{text}");
        assert!(text.contains("Render-blocking: 2 requests delay the first paint"), "{text}");
        assert!(text.contains(&format!("stylesheet {origin}/late.css")), "{text}");
        assert!(text.contains(&format!("script {origin}/busy.js")), "{text}");
        assert!(data["lcp"]["element"].as_str().unwrap().starts_with("<h1"), "{data}");
        let phases: f64 =
            data["lcp"]["phases"].as_array().unwrap().iter().map(|phase| phase["ms"].as_f64().unwrap()).sum();
        assert!((phases - data["lcp"]["ms"].as_f64().unwrap()).abs() < 1.0, "the phases are all of it: {data}");
        assert!(data["lcp"]["ms"].as_f64().unwrap() >= 300.0, "{data}");
        assert!(data["longTasks"]["longest"][0]["ms"].as_f64().unwrap() >= 250.0, "{data}");
        let shift = &data["layoutShift"]["shifts"][0];
        assert!(shift["score"].as_f64().unwrap() > 0.0 && shift["element"].is_string(), "{data}");
        let kept: serde_json::Value = serde_json::from_slice(&std::fs::read(&told.files[0]).unwrap()).unwrap();
        assert!(kept["traceEvents"].as_array().unwrap().len() > 100);
        // The same of a trace that the person ends.
        world.run("trace", &["start"]).await;
        assert_eq!(world.fault("perf-trace", &[]).await.code, FaultCode::Conflict);
        world.run("reload", &[]).await;
        world.run("wait", &["--networkidle"]).await;
        let stopped = world.output("trace", &["stop"]).await.unwrap();
        assert!(stopped.text.contains("Render-blocking: 2 requests"), "{}", stopped.text);
        // Names of elements are the page's words.
        let model = world.for_model().run("perf-trace", &[]).await;
        assert!(model.contains("UNTRUSTED") && model.contains("Largest paint"), "{model}");
        world.run("trace", &["start"]).await;
        assert!(world.run("trace", &["stop"]).await.contains("No page was loaded"), "nothing was loaded meanwhile");
        world
    });
}
