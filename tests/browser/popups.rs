//! Settings that also apply to later tabs, frames and workers: headers, user agent, console and requests, from the
//! first request on.

use crate::world::{World, with_world};

/// Returns the headers that `/headers` received from a worker of the page.
const FROM_WORKER: &str = "await new Promise((done) => {
  const source = `fetch('ORIGIN/headers').then((answer) => answer.text()).then(postMessage)`;
  new Worker(URL.createObjectURL(new Blob([source]))).onmessage = (event) => done(event.data);
})";

/// Clicks a button or link that opens a tab, and switches to it.
async fn follow_popup(world: &World, selector: &str) {
    let before = world.context.browser.tabs().len();
    world.run("click", &[selector]).await;
    world.opened_up_to(before + 1).await;
    let popup = world.context.browser.tabs().last().unwrap().id;
    world.run("tab", &[&popup.to_string()]).await;
    world.run("wait", &["--load"]).await;
}

fn assert_ours(text: &str, place: &str) {
    assert!(text.contains("x-debug: on") && text.contains("x-more: yes"), "{place}: {text}");
    assert!(text.contains("user-agent: Test Browser/1"), "{place}: {text}");
}

#[test]
fn headers_and_user_agent_hold_in_frames_workers_and_popups_that_come_later() {
    with_world(|world| async move {
        let headers = world.page("headers");
        let origin = format!("http://127.0.0.1:{}", world.port);
        world.open_hidden("next.html").await;
        world.run("header", &["X-Debug: on"]).await;
        world.run("useragent", &["Test", "Browser/1"]).await;
        world.run("header", &["X-More: yes"]).await;
        let own_site = headers.replace("127.0.0.1", "localhost");
        let page = format!(
            "document.body.innerHTML = `<iframe id=f src='{own_site}'></iframe>
             <button id=open onclick=\"window.open('{headers}')\">open</button>
             <a id=alone href='{headers}' target=_blank rel=noopener>alone</a>`"
        );
        world.run("js", &[&page]).await;
        world.run("wait", &["--networkidle"]).await;
        world.run("frame", &["#f"]).await;
        assert_ours(&world.run("text", &[]).await, "a frame of another process");
        world.run("frame", &["main"]).await;
        assert_ours(&world.run("js", &[&FROM_WORKER.replace("ORIGIN", &origin)]).await, "a worker");
        let first = world.context.tab().await.unwrap().id().to_string();
        follow_popup(&world, "#open").await;
        assert_ours(&world.run("text", &[]).await, "a popup");
        assert_ours(&world.run("js", &[&FROM_WORKER.replace("ORIGIN", &origin)]).await, "a worker of a popup");
        world.run("tab", &[&first]).await;
        follow_popup(&world, "#alone").await;
        assert_ours(&world.run("text", &[]).await, "a popup without an opener");
        // A tab that none of these opened has none of the settings.
        world.run("newtab", &[&headers]).await;
        assert!(!world.run("text", &[]).await.contains("x-debug"));
        world
    });
}

#[test]
fn console_and_network_are_kept_from_the_first_script_of_a_tab_and_of_its_popups() {
    with_world(|world| async move {
        let early = world.page("early");
        world.run("newtab", &[&early]).await;
        world.run("wait", &["--networkidle"]).await;
        let everything = |console: String, network: String, place: &str| {
            assert!(console.contains("[log] first words"), "{place}: {console}");
            assert!(network.contains(&format!("GET {early} → 200")), "{place}: {network}");
            assert!(network.contains("/echo?first → 200"), "{place}: {network}");
        };
        everything(world.run("console", &[]).await, world.run("network", &[]).await, "a new tab");
        world
            .run(
                "js",
                &[&format!(
                    "document.body.innerHTML = `<button id=open onclick=\"window.open('{early}')\">o</button>`"
                )],
            )
            .await;
        follow_popup(&world, "#open").await;
        world.run("wait", &["--networkidle"]).await;
        everything(world.run("console", &[]).await, world.run("network", &[]).await, "a popup");
        world
    });
}
