//! audit-a11y: known violations are found where they are, and no page hides them.

use crate::world::{World, with_world};
use axum::Router;
use axum::http::header;
use axum::response::Html;
use axum::routing::get;
use gstack_protocol::fault::FaultCode;
use serde_json::Value;

/// Three pictures without a text, a field without a label and words that can hardly be seen.
const BROKEN: &str = "<!doctype html><html lang=en><title>Broken</title><main><h1>Broken</h1><img id=logo src=data:,><img id=chart src=data:,>\
    <p id=pale style='color:#ccc;background:#fff'>Pale words</p><input id=email type=text><section id=part><img id=inside src=data:,></section></main>";
const CLEAN: &str = "<!doctype html><html lang=en><title>Clean</title><main><h1>Clean</h1><img alt='A lamp' src=data:,>\
    <p>Words</p><label>Email <input type=text></label></main>";
/// What the page's own scripts have made of everything that an audit in their world would use.
const HOSTILE: &str = "<!doctype html><html lang=en><title>Hostile</title><main><h1>Hostile</h1><img id=logo src=data:,>\
    <x-part><img id=chart src=data:,></x-part></main><div id=axe></div><img name=documentElement alt=x src=data:,><img name=querySelectorAll alt=x src=data:,><div id=_elementInternals></div><div id=define></div>\
    <form id=module><input name=exports aria-label=x><input name=id aria-label=y></form><script>\
    for (const kind of [Array, NodeList, Map, Set, Promise, Object]) for (const name of Object.getOwnPropertyNames(kind.prototype)) {\
      if (name !== 'constructor') try { kind.prototype[name] = () => []; } catch {}\
    }\
    window.axe = { version: '4.14.1', run: async () => [], getRules: () => [], _audit: { rules: [], checks: {} } };\
    Element.prototype.getAttribute = () => 'a lamp'; document.querySelectorAll = () => [];\
    addEventListener('message', (event) => event.stopImmediatePropagation(), true);</script>";
/// Behind these names scripts of any world lose what a form holds.
const HIDING: [(&str, &str); 2] = [
    ("childNodes", "<form><input name=childNodes aria-label=x><img src=data:,></form>"),
    // The form goes on to know it by its former name.
    (
        "childNodes",
        "<form><input name=childNodes aria-label=x><img src=data:,></form><script>document.forms[0].childNodes; document.forms[0].elements[0].name = 'harmless';</script>",
    ),
];

async fn serve() -> (u16, String) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let policy = [(header::CONTENT_SECURITY_POLICY, "script-src 'none'; require-trusted-types-for 'script'")];
    let around = format!(
        "<!doctype html><html lang=en><title>Around</title><main><h1>Around</h1><iframe title=Near src=/broken width=600 height=400></iframe>\
         <iframe title=Far src=http://localhost:{port}/broken width=600 height=400></iframe><iframe title=Unseen src=/broken hidden></iframe></main>"
    );
    let many = "<p style='color:#ccc'>words <b>and</b> <img src=data:,> <span>more</span></p>".repeat(2_500);
    let huge = format!("<!doctype html><html lang=en><title>Huge</title><main><h1>Huge</h1>{many}</main>");
    let mut router = Router::new()
        .route("/broken", get(move || async move { (policy, Html(BROKEN)) }))
        .route("/clean", get(|| async { Html(CLEAN) }))
        .route("/hostile", get(|| async { Html(HOSTILE) }))
        .route("/around", get(move || async move { Html(around) }))
        .route("/huge", get(move || async move { Html(huge) }));
    for (at, (_, markup)) in HIDING.into_iter().enumerate() {
        let page = format!("<!doctype html><html lang=en><title>Hiding</title>{markup}");
        router = router.route(&format!("/hiding{at}"), get(move || async move { Html(page) }));
    }
    tokio::spawn(async move { axum::serve(listener, router).await });
    (port, format!("http://127.0.0.1:{port}"))
}

async fn audited(world: &World, arguments: &[&str]) -> Value {
    world.output("audit-a11y", arguments).await.unwrap().data.unwrap()
}

/// The rules that are broken, each with how many elements break it.
fn broken(data: &Value) -> Vec<(&str, u64)> {
    let rules = data["violations"].as_array().unwrap().iter();
    rules.map(|rule| (rule["rule"].as_str().unwrap(), rule["count"].as_u64().unwrap())).collect()
}

fn rule<'a>(data: &'a Value, name: &str) -> &'a Value {
    let rules = data["violations"].as_array().unwrap();
    rules.iter().find(|rule| rule["rule"] == name).unwrap_or_else(|| panic!("{name}: {data:#}"))
}

#[test]
fn what_is_broken_is_listed_with_refs_and_a_clean_page_has_none() {
    with_world(|world| async move {
        let (_, site) = serve().await;
        world.run("newtab", &[&format!("{site}/broken")]).await;
        let markup = world.run("js", &["document.documentElement.outerHTML"]).await;
        let output = world.output("audit-a11y", &[]).await.unwrap();
        let data = output.data.clone().unwrap();
        assert_eq!(broken(&data), [("image-alt", 3), ("label", 1), ("color-contrast", 1)], "{}", output.text);
        assert_eq!(rule(&data, "image-alt")["impact"], "critical");
        assert!(
            output.text.starts_with("critical  image-alt  Images must have alternative text (3 elements)\n  @e"),
            "{}",
            output.text
        );
        assert!(
            output.text.contains("<img id=\"logo\">: ")
                && output.text.contains("https://dequeuniversity.com/rules/axe/4.14/label")
        );
        let pale = &rule(&data, "color-contrast")["elements"][0];
        assert!(pale["reason"].as_str().unwrap().contains("insufficient color contrast of 1.6"), "{pale}");
        // A ref is one that every command takes, the snapshot's among them.
        let name = rule(&data, "label")["elements"][0]["ref"].as_str().unwrap();
        assert!(world.run("attrs", &[name]).await.contains("\"email\""));
        assert_eq!(world.find("[textbox]").await, name);
        // Nothing is left in the page.
        assert_eq!(world.run("js", &["typeof axe"]).await, "undefined");
        assert_eq!(world.run("js", &["document.documentElement.outerHTML"]).await, markup);
        // A part of the page, some rules, some tags, fewer elements.
        assert_eq!(broken(&audited(&world, &["#part"]).await), [("image-alt", 1)]);
        assert_eq!(broken(&audited(&world, &["--rules", "label, button-name"]).await), [("label", 1)]);
        assert_eq!(broken(&audited(&world, &["--tags", "wcag2aa"]).await), [("color-contrast", 1)]);
        assert_eq!(broken(&audited(&world, &[name, "--tags", "wcag2a"]).await), [("label", 1)]);
        let short = world.output("audit", &["a11y", "--limit", "1"]).await.unwrap();
        assert!(short.text.contains("\n  … 2 more\n"), "{}", short.text);
        assert_eq!(rule(&short.data.unwrap(), "image-alt")["elements"].as_array().unwrap().len(), 1);
        assert!(world.for_model().run("a11y", &[]).await.contains("UNTRUSTED TEXT"));
        for (arguments, code) in [
            (&["--rules", "no-such-rule"][..], FaultCode::BadRequest),
            (&["--tags", "no-such-tag"], FaultCode::BadRequest),
            (&["--rules", "label", "--tags", "wcag2a"], FaultCode::BadRequest),
            (&["--rules", " ,"], FaultCode::BadRequest),
            (&["#none"], FaultCode::Element),
            (&["img"], FaultCode::Element),
            (&["@e9999"], FaultCode::Element),
        ] {
            assert_eq!(world.fault("audit-a11y", arguments).await.code, code, "{arguments:?}");
        }
        world.run("goto", &[&format!("{site}/clean")]).await;
        let clean = world.output("audit-a11y", &[]).await.unwrap();
        assert_eq!(clean.text, "(no violations)");
        let data = clean.data.unwrap();
        assert_eq!((broken(&data), data["unfinished"].as_array().unwrap().len()), (vec![], 0));
        assert!(data["passed"].as_array().unwrap().iter().any(|rule| rule == "image-alt"), "{data:#}");
        world
    });
}

#[test]
fn frames_are_audited_too_each_by_itself() {
    with_world(|world| async move {
        let (_, site) = serve().await;
        world.run("newtab", &[&format!("{site}/around")]).await;
        let data = audited(&world, &["--rules", "image-alt", "--limit", "10"]).await;
        assert_eq!((broken(&data), data["frames"].as_u64()), (vec![("image-alt", 6)], Some(3)), "{data:#}");
        for element in rule(&data, "image-alt")["elements"].as_array().unwrap() {
            let name = element["ref"].as_str().unwrap();
            assert!(world.run("attrs", &[name]).await.contains("data:,"), "{element}");
        }
        world.run("frame", &["iframe[title=Far]"]).await;
        assert_eq!(broken(&audited(&world, &["--rules", "image-alt,html-has-lang"]).await), [("image-alt", 3)]);
        world
    });
}

#[test]
fn a_page_can_neither_change_the_result_nor_hide_from_it() {
    with_world(|world| async move {
        let (_, site) = serve().await;
        world.run("newtab", &[&format!("{site}/hostile")]).await;
        let data = audited(&world, &["--rules", "image-alt,document-title"]).await;
        assert_eq!(
            (broken(&data), data["unfinished"].as_array().unwrap().len()),
            (vec![("image-alt", 2)], 0),
            "{data:#}"
        );
        for (at, (name, _)) in HIDING.into_iter().enumerate() {
            world.run("goto", &[&format!("{site}/hiding{at}")]).await;
            let fault = world.fault("audit-a11y", &[]).await;
            assert_eq!(fault.code, FaultCode::Element, "{fault:?}");
            assert!(fault.message.contains(name), "{}", fault.message);
        }
        world
    });
}

#[test]
fn a_huge_page_is_audited_as_far_as_the_time_allows_and_goes_on() {
    with_world(|world| async move {
        let (_, site) = serve().await;
        world.run("newtab", &[&format!("{site}/huge")]).await;
        let output = world.output("audit-a11y", &["--timeout", "300"]).await.unwrap();
        let data = output.data.unwrap();
        let unfinished = data["unfinished"].as_array().unwrap().len();
        assert!(unfinished > 0, "{data:#}");
        assert!(output.note.unwrap().contains("not finished: "));
        assert_eq!(world.run("js", &["1 + 1"]).await, "2");
        // The next one begins anew.
        let next = audited(&world, &["h1", "--rules", "empty-heading"]).await;
        assert_eq!((broken(&next), next["unfinished"].as_array().unwrap().len()), (vec![], 0), "{next:#}");
        world
    });
}
