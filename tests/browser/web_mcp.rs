//! A page's tools (WebMCP): listed as the page describes them, called, cancelled, and told from those of its frames.

use crate::world::{World, with_world};
use axum::Router;
use axum::response::{Html, Redirect};
use axum::routing::get;
use gstack_browser::devtools::page::NavigateParams;
use gstack_protocol::fault::FaultCode;
use serde_json::Value;
use tokio::sync::Notify;

const PAGE: &str = "<title>Offers</title><link rel=icon href=data:,>
    <form id=f toolname=subscribe tooldescription='Subscribes to news'><input name=email required><button>Go</button></form>
    <form id=g toolname=search tooldescription=Searches toolautosubmit action='/found'><input name=q></form>
    <script>
      window.called = [];
      const offer = (name, more, execute) => document.modelContext.registerTool({ name, description: 'Does ' + name,
        inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } }, execute, ...more });
      offer('add', { annotations: { readOnlyHint: true } }, async (input) => {
        called.push(input);
        return { content: [{ type: 'text', text: String(input.a + input.b) }] };
      });
      offer('fail', {}, async () => { throw new RangeError('too much'); });
      offer('hang', {}, (input) => new Promise(() => {}));
      offer('plain', {}, async () => ({ sum: 3 }));
    </script>";

const SHOP: &str = "<title>Shop</title><link rel=icon href=data:,>
    <form toolname=pay tooldescription=Pays toolautosubmit action='/pay'><input name=card required></form>
    <script>
      const execute = () => {
        location.href = '/found?led';
        return new Promise(() => {});
      };
      document.modelContext.registerTool({ name: 'lead', description: 'Leads away', execute });
    </script>";

/// Its tools never answer, and tell the server that they run. `vanish` is one of a frame that is removed meanwhile.
const SLOW: &str = "<title>Slow</title><link rel=icon href=data:,>
    <form toolname=ask tooldescription=Asks toolautosubmit action='/found'><input name=q></form>
    <iframe id=frame allow=tools src='http://localhost:PORT/vanishing'></iframe>
    <script>
      addEventListener('message', () => frame.remove());
      const never = () => { fetch('/begun'); return new Promise(() => {}); };
      document.modelContext.registerTool({ name: 'wait', description: 'Waits', execute: never });
      document.forms[0].addEventListener('submit', (event) => { event.preventDefault(); event.respondWith(never()); });
    </script>";
const VANISHING: &str = "<script>document.modelContext.registerTool({ name: 'vanish', description: 'Vanishes',
    execute: () => { parent.postMessage('', '*'); return new Promise(() => {}); } });</script>";
const FOUND: &str =
    "<title>Found</title><script type='application/ld+json'>{ \"name\": \"of the next page\" }</script>";

static BEGUN: Notify = Notify::const_new();

async fn serve() -> u16 {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let around =
        format!("<title>Around</title>{PAGE}<iframe allow=tools src='http://localhost:{port}/inner'></iframe>");
    let inner = "<script>document.modelContext.registerTool({ name: 'add', description: 'Another one', execute: async () => 'inner' });</script>";
    let slow = SLOW.replace("PORT", &port.to_string());
    let router = Router::new()
        .route("/", get(|| async { Html(PAGE) }))
        .route("/none", get(|| async { Html("<title>None</title>") }))
        .route("/found", get(|| async { Html(FOUND) }))
        .route("/slow", get(move || async move { Html(slow) }))
        .route("/vanishing", get(|| async { Html(VANISHING) }))
        .route("/begun", get(|| async { BEGUN.notify_one() }))
        .route("/shop", get(|| async { Html(SHOP) }))
        .route("/pay", get(move || async move { Redirect::to(&format!("http://localhost:{port}/found?paid")) }))
        .route("/around", get(move || async move { Html(around) }))
        .route("/inner", get(move || async move { Html(inner) }));
    tokio::spawn(async move { axum::serve(listener, router).await });
    port
}

async fn tools(world: &World) -> Vec<Value> {
    let listed = world.output("webmcp", &["list"]).await.unwrap();
    listed.data.unwrap()["tools"].as_array().unwrap().clone()
}

#[test]
fn a_pages_tools_are_listed_and_called() {
    with_world(|world| async move {
        let port = serve().await;
        world.run("newtab", &[&format!("http://127.0.0.1:{port}/")]).await;
        let listed = world.run("webmcp", &["list"]).await;
        assert!(
            listed.contains("add  Does add\n  input: {") && listed.contains("the page claims: it only reads"),
            "{listed}"
        );
        assert!(
            listed.contains("subscribe  Subscribes to news") && listed.contains("which a person submits"),
            "{listed}"
        );
        assert!(listed.contains("[UNTRUSTED TEXT"), "{listed}");
        let names: Vec<String> =
            tools(&world).await.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect();
        for name in ["add", "fail", "hang", "plain", "subscribe", "search"] {
            assert!(names.iter().any(|known| known == name), "{name} of {names:?}");
        }
        assert!(world.run("webmcp", &["call", "add", r#"{"a": 1, "b": 2}"#]).await.contains("\n3\n"));
        assert_eq!(world.run("js", &["JSON.stringify(called)"]).await, r#"[{"a":1,"b":2}]"#);
        let plain = world.output("webmcp-call", &["plain"]).await.unwrap();
        assert_eq!((plain.text.as_str(), &plain.data.unwrap()["output"]["sum"]), ("{\"sum\":3}", &Value::from(3)));
        let failed = world.fault("webmcp-call", &["fail"]).await;
        assert_eq!(
            (failed.code, failed.message.contains("RangeError: too much")),
            (FaultCode::Script, true),
            "{failed:?}"
        );
        let unknown = world.fault("webmcp-call", &["nothing"]).await;
        assert_eq!(unknown.code, FaultCode::NotFound);
        for wrong in ["[1]", "{", "text"] {
            assert_eq!(world.fault("webmcp-call", &["add", wrong]).await.code, FaultCode::BadRequest, "{wrong}");
        }
        let late = world.fault("webmcp-call", &["hang", "--timeout", "300"]).await;
        assert_eq!(late.code, FaultCode::OutcomeUnknown, "{late:?}");
        assert!(
            world.run("webmcp", &["call", "add", r#"{"a": 2, "b": 2}"#]).await.contains("\n4\n"),
            "the others go on"
        );
        world
    });
}

#[test]
fn a_form_is_filled_in_and_submitted_only_where_the_page_says_so() {
    with_world(|world| async move {
        let port = serve().await;
        world.run("newtab", &[&format!("http://127.0.0.1:{port}/")]).await;
        let said = world.run("webmcp", &["call", "subscribe", r#"{"email": "ada@a.example"}"#]).await;
        assert!(said.starts_with("Filled in the form of subscribe."), "{said}");
        assert_eq!(world.run("js", &["document.querySelector('[name=email]').value"]).await, "ada@a.example");
        assert_eq!(world.run("js", &["location.pathname"]).await, "/", "it was not submitted");
        let sent = world.output("webmcp-call", &["search", r#"{"q": "lamp"}"#]).await.unwrap();
        assert!(sent.text.starts_with("Submitted the form of search"), "{}", sent.text);
        assert_eq!(sent.data.unwrap()["submitted"], true, "what the next page says is not the answer");
        world.run("wait", &["--url", "**/found?q=lamp"]).await;
        world
    });
}

#[test]
fn calls_whose_page_leaves_do_not_claim_an_answer() {
    with_world(|world| async move {
        let port = serve().await;
        world.run("newtab", &[&format!("http://127.0.0.1:{port}/shop")]).await;
        let unsent = world.fault("webmcp-call", &["pay"]).await;
        assert_eq!(unsent.code, FaultCode::BadRequest, "{unsent:?}");
        assert!(unsent.message.contains("input.card is missing"), "what its form requires: {unsent:?}");
        let led = world.fault("webmcp-call", &["lead"]).await;
        assert_eq!(
            (led.code, led.message.contains("was left before it answered")),
            (FaultCode::OutcomeUnknown, true),
            "{led:?}"
        );
        world.run("wait", &["--url", "**/found?led"]).await;
        world.run("back", &[]).await;
        let sent = world.run("webmcp-call", &["pay", r#"{"card": "1"}"#]).await;
        assert!(sent.starts_with("Submitted the form of pay"), "{sent}");
        world.run("wait", &["--url", &format!("http://localhost:{port}/found?paid")]).await;
        world
    });
}

#[test]
fn calls_end_when_the_person_leaves_the_page_or_it_removes_the_frame() {
    with_world(|world| async move {
        let port = serve().await;
        for (tool, to) in [
            ("wait", format!("http://127.0.0.1:{port}/found")),
            ("wait", format!("http://localhost:{port}/found")),
            // What the next page says is not the form's answer.
            ("ask", format!("http://127.0.0.1:{port}/found")),
        ] {
            world.run("newtab", &[&format!("http://127.0.0.1:{port}/slow")]).await;
            let tab = world.context.browser.current().await.unwrap();
            let leaves = async {
                BEGUN.notified().await;
                tab.page().unwrap().call(NavigateParams::new(to.clone())).await.unwrap();
            };
            let given = [tool];
            let (left, ()) = tokio::join!(world.fault("webmcp-call", &given), leaves);
            assert_eq!(
                (left.code, left.message.contains("was left before it answered")),
                (FaultCode::OutcomeUnknown, true),
                "{tool} {to}: {left:?}"
            );
        }
        world.run("newtab", &[&format!("http://127.0.0.1:{port}/slow")]).await;
        world.run("wait", &["--load"]).await;
        let gone = world.fault("webmcp-call", &["vanish"]).await;
        assert!(gone.message.contains("was left before it answered"), "{gone:?}");
        world
    });
}

#[test]
fn tools_of_frames_are_told_apart_by_their_sites() {
    with_world(|world| async move {
        let port = serve().await;
        world.run("newtab", &[&format!("http://127.0.0.1:{port}/around")]).await;
        world.run("wait", &["--load"]).await;
        let of_add: Vec<String> = tools(&world)
            .await
            .iter()
            .filter(|tool| tool["name"] == "add")
            .map(|tool| tool["site"].as_str().unwrap().to_owned())
            .collect();
        let (outer, inner) = (format!("127.0.0.1:{port}"), format!("localhost:{port}"));
        assert_eq!(of_add.len(), 2, "{of_add:?}");
        let several = world.fault("webmcp-call", &["add"]).await;
        assert!(several.code == FaultCode::Conflict && several.hint.unwrap().contains(&inner));
        assert!(world.run("webmcp", &["call", "add", "--site", &inner]).await.contains("\ninner\n"));
        assert!(world.run("webmcp", &["call", "add", r#"{"a":1,"b":1}"#, "--site", &outer]).await.contains("\n2\n"));
        world
    });
}

#[test]
fn pages_without_tools_and_pages_that_may_offer_none_say_so() {
    with_world(|world| async move {
        let port = serve().await;
        world.run("newtab", &[&format!("http://127.0.0.1:{port}/none")]).await;
        assert_eq!(world.run("webmcp", &["list"]).await, "(the page offers no tools)");
        assert_eq!(world.fault("webmcp-call", &["add"]).await.code, FaultCode::NotFound);
        // Neither https nor this machine.
        world.run("newtab", &["about:blank"]).await;
        let tab = world.context.browser.current().await.unwrap();
        let url = "data:text/html,<title>x</title>".to_owned();
        tab.page().unwrap().call(NavigateParams::new(url)).await.unwrap();
        world.run("wait", &["--load"]).await;
        assert!(world.run("webmcp", &["list"]).await.starts_with("(the page offers no tools)"));
        world
    });
}
