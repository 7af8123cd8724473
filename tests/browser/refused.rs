//! Content from an address that gstack refuses to read, however it got into the page.
//!
//! 127.0.0.66 plays the refused address, under a host name that the earlier guards do not know.

use crate::world::{REFUSED_ADDRESS, World, with_world};
use axum::Router;
use axum::http::header;
use axum::response::Html;
use gstack_protocol::fault::FaultCode;
use std::time::Duration;

pub const SECRET: &str = "credentials of this machine";

/// Listens on the refused address; returns the host name for the page.
pub async fn serve_secret() -> String {
    let listener = tokio::net::TcpListener::bind((REFUSED_ADDRESS, 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let page = || async {
        let allowed = [(header::ACCESS_CONTROL_ALLOW_ORIGIN, "*")];
        (allowed, Html(format!("<title>{SECRET}</title><h1 id=h>{SECRET}</h1><a href=/x>{SECRET}</a>")))
    };
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(page)).await });
    format!("http://inner.refused.test:{port}/")
}

const READERS: [&[&str]; 20] = [
    &["text"],
    &["html"],
    &["links"],
    &["forms"],
    &["snapshot"],
    &["accessibility"],
    &["media"],
    &["data"],
    &["js", "document.body.innerText"],
    &["attrs", "#h"],
    &["css", "#h", "color"],
    &["is", "visible", "#h"],
    &["screenshot", "secret.png"],
    &["pdf", "secret.pdf"],
    &["inspect", "#h"],
    &["storage"],
    &["perf"],
    &["console"],
    &["network"],
    &["click", "#h"],
];

async fn nothing_is_read(world: &World, way: &str) {
    for reader in READERS {
        let fault = world.fault(reader[0], &reader[1..]).await;
        assert_eq!(fault.code, FaultCode::UrlRefused, "{way}: {reader:?}: {fault:?}");
        assert!(!format!("{fault:?}").contains(SECRET), "{way}: {fault:?}");
    }
    let written = std::fs::read_dir(world.context.cwd.clone().unwrap()).unwrap().count();
    assert_eq!(written, 0, "{way}: files");
}

#[test]
fn nothing_of_a_refused_address_is_read_however_it_came_into_the_page() {
    with_world(|world| async move {
        let secret = serve_secret().await;
        let start = world.page("next.html");
        // Entered as a URL: the page is left immediately.
        world.run("newtab", &[&start]).await;
        assert_eq!(world.fault("goto", &[&secret]).await.code, FaultCode::UrlRefused);
        assert_eq!(world.run("url", &[]).await, "about:blank");
        assert!(!world.run("text", &[]).await.contains(SECRET));
        // It was never shown, so the previous attempt does not block the tab.
        world.run("goto", &[&start]).await;
        world.run("text", &[]).await;

        for (way, script) in [
            ("a link", "document.body.innerHTML = `<a id=go href='URL'>go</a>`"),
            ("a redirect", "document.body.innerHTML = `<a id=go href='/redirect?to=URL'>go</a>`"),
            ("a form", "document.body.innerHTML = `<form action='URL' method=post><button id=go>go</button></form>`"),
            (
                "a frame",
                "document.body.innerHTML = `<button id=go onclick=\"f.src='URL'\">go</button><iframe id=f></iframe>`",
            ),
            (
                "a frame's redirect",
                "document.body.innerHTML = `<button id=go onclick=\"f.src='/redirect?to=URL'\">go</button><iframe id=f></iframe>`",
            ),
            (
                "a request",
                "document.body.innerHTML = `<button id=go>go</button><p id=p>`; go.onclick = async () => { p.textContent = await (await fetch('URL')).text() }",
            ),
        ] {
            world.run("goto", &[&start]).await;
            world.run("js", &[&script.replace("URL", &secret)]).await;
            let fault = world.fault("click", &["#go"]).await;
            assert_eq!(fault.code, FaultCode::UrlRefused, "{way}: {fault:?}");
            nothing_is_read(&world, way).await;
            // Its tab can be left, listed and closed.
            assert!(world.run("tabs", &[]).await.contains("→"));
        }
        world.run("goto", &[&start]).await;
        assert!(world.run("text", &[]).await.contains("Next"));

        // Back in its history.
        let away = world.output("js", &[&format!("location.href = '{secret}'")]).await;
        let mut refused = away.is_err_and(|fault| fault.code == FaultCode::UrlRefused);
        for _ in 0..50 {
            refused |= world.output("text", &[]).await.is_err_and(|fault| fault.code == FaultCode::UrlRefused);
            if refused {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert!(refused, "the page's own navigation");
        world.run("goto", &[&start]).await;
        assert_eq!(world.fault("back", &[]).await.code, FaultCode::UrlRefused);
        nothing_is_read(&world, "back").await;

        // Two compared pages.
        assert_eq!(world.fault("diff", &[&start, &secret]).await.code, FaultCode::UrlRefused);
        world.run("goto", &[&start]).await;
        world
    });
}
#[test]
fn a_popup_to_a_refused_address_is_not_read() {
    with_world(|world| async move {
        let secret = serve_secret().await;
        world.open_hidden("next.html").await;
        world
            .run(
                "js",
                &[&format!(
                    "document.body.innerHTML = `<button id=go onclick=\"window.open('{secret}')\">go</button>`"
                )],
            )
            .await;
        let before = world.context.browser.tabs().len();
        world.run("click", &["#go"]).await;
        world.opened_up_to(before + 1).await;
        let popup = world.context.browser.tabs().last().unwrap().id;
        world.run("tab", &[&popup.to_string()]).await;
        let text = world.fault("text", &[]).await;
        assert_eq!(text.code, FaultCode::UrlRefused, "{text:?}");
        nothing_is_read(&world, "a popup").await;
        world
    });
}
