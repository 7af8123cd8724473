//! What pages see of the device, the location and the person's preferences.

use crate::world::{World, with_world};
use gstack_protocol::fault::FaultCode;
use gstack_protocol::ids::TabId;
use serde_json::{Value, json};

/// Returns what the page sees.
async fn told(world: &World) -> Value {
    serde_json::from_str(&world.run("js", &["JSON.stringify(told())"]).await).unwrap()
}

/// Opens another URL from the page; returns the world of that tab.
async fn popup(world: &World, url: &str) -> World {
    let tabs = world.context.browser.tabs().len();
    world.run("js", &[&format!("void open('{url}')")]).await;
    world.opened_up_to(tabs + 1).await;
    let popup = world.in_tab(world.context.browser.tabs().last().unwrap().id);
    popup.run("wait", &["--load"]).await;
    popup
}

fn set_for(world: &World, tab: TabId) -> Vec<String> {
    let all = world.context.browser.overrides();
    all.into_iter().find(|(known, _)| *known == tab).map(|(_, words)| words).unwrap_or_default()
}

#[test]
fn a_device_is_a_screen_with_touch_and_a_user_agent_with_its_hints_in_popups_too() {
    with_world(|world| async move {
        world.open_hidden("surroundings.html").await;
        let before = told(&world).await;
        let set = world.run("emulate", &["device", "pixel", "7"]).await;
        assert!(set.starts_with("device: Pixel 7, 412x839 at scale 2.625"), "{set}");
        world.run("reload", &[]).await;
        let now = told(&world).await;
        assert_eq!((&now["size"], &now["touch"]), (&json!("412x839@2.625"), &json!(true)));
        assert_eq!((&now["screen"], &now["platform"]), (&json!("412x915"), &json!("Linux armv81")));
        assert!(now["agent"].as_str().unwrap().contains("Android 14; Pixel 7"), "{now}");
        let sent = world.run("js", &["fetch('/headers').then((a) => a.text())"]).await;
        assert!(sent.contains("sec-ch-ua-mobile: ?1") && sent.contains("sec-ch-ua-platform: \"Android\""), "{sent}");
        let opened = popup(&world, &world.page("surroundings.html")).await;
        assert_eq!(told(&opened).await["size"], "412x839@2.625");
        assert!(told(&opened).await["agent"].as_str().unwrap().contains("Pixel 7"));
        let list = world.output("emulate", &["list"]).await.unwrap();
        assert_eq!(list.text, "a mobile viewport of 412x839 at scale 2.625\ntouch\na user agent");
        assert_eq!(list.data.unwrap()["viewport"]["mobile"], true);
        world.run("emulate", &["device", "iPhone 15"]).await;
        world.run("reload", &[]).await;
        let sent = world.run("js", &["fetch('/headers').then((a) => a.text())"]).await;
        assert!(sent.contains("iPhone OS") && !sent.contains("sec-ch-ua"), "Safari sends no hints: {sent}");
        world.run("emulate", &["reset"]).await;
        world.run("reload", &[]).await;
        assert_eq!(told(&world).await, before);
        assert_eq!(world.run("emulate", &["list"]).await, "(nothing is emulated)");
        let fault = world.fault("emulate", &["device", "Pixl 7"]).await;
        assert!(fault.hint.unwrap().contains("Pixel 7"));
        assert!(world.run("emulate", &["devices", "galaxy", "land"]).await.lines().count() > 2);
        world
    });
}

#[test]
fn language_time_zone_colours_and_media_are_those_that_were_set_in_every_frame() {
    with_world(|world| async move {
        let page = world.page("surroundings.html");
        world.open_hidden("surroundings.html").await;
        let before = told(&world).await;
        for (what, value) in [
            ("locale", "de-DE"),
            ("timezone", "Asia/Tokyo"),
            ("color-scheme", "dark"),
            ("reduced-motion", "reduce"),
            ("forced-colors", "active"),
            ("contrast", "more"),
            ("media", "print"),
        ] {
            assert_eq!(world.run("emulate", &[what, value]).await, format!("{what}: {value}"));
        }
        let as_set = |told: &Value| {
            assert_eq!((&told["language"], &told["number"]), (&json!("de-DE"), &json!("1.234,5")), "{told}");
            assert_eq!(told["zone"], "Asia/Tokyo");
            assert!(told["dark"] == true && told["still"] == true && told["print"] == true, "{told}");
            assert!(told["forced"] == true && told["contrast"] == true, "{told}");
        };
        as_set(&told(&world).await);
        let sent = world.run("js", &["fetch('/headers').then((a) => a.text())"]).await;
        assert!(sent.contains("accept-language: de-DE"), "{sent}");
        let worker = "new Promise((done) => { const words = '[navigator.language, Intl.NumberFormat().resolvedOptions().locale]'; \
            const url = URL.createObjectURL(new Blob([`postMessage(${words} + '')`])); \
            new Worker(url).onmessage = ({ data }) => done(data); })";
        assert_eq!(world.run("js", &[worker]).await, "de-DE,de-DE");
        let other_site = page.replace("127.0.0.1", "localhost");
        world.run("goto", &[&other_site]).await;
        as_set(&told(&world).await);
        let frame = format!(
            "new Promise((done) => {{ const f = document.createElement('iframe'); f.id = 'f'; f.src = '{page}'; f.onload = () => done(1); document.body.append(f); }})"
        );
        world.run("js", &[&frame]).await;
        world.run("frame", &["#f"]).await;
        as_set(&told(&world).await);
        world.run("frame", &["main"]).await;
        as_set(&told(&popup(&world, &page).await).await);
        let tab = world.context.tab().await.unwrap().id();
        let words = set_for(&world, tab);
        for word in ["the locale de-DE", "the time zone Asia/Tokyo", "print media", "prefers-color-scheme dark"] {
            assert!(words.iter().any(|known| known == word), "{word}: {words:?}");
        }
        assert_eq!(world.run("emulate", &["colour-scheme", "dark"]).await, "colour-scheme: dark", "the older name");
        world.run("emulate", &["media", "off"]).await;
        assert_eq!(told(&world).await["print"], false);
        assert_eq!(told(&world).await["dark"], true, "the others stay");
        world.run("emulate", &["reset"]).await;
        world.run("goto", &[&page]).await;
        assert_eq!(told(&world).await["language"], before["language"]);
        assert_eq!(told(&world).await["dark"], before["dark"]);
        for wrong in [
            &["locale", "de_DE!"][..],
            &["color-scheme", "green"],
            &["contrast", "much"],
            &["media", "tv"],
            &["smell", "x"],
            &["media"],
        ] {
            assert_eq!(world.fault("emulate", wrong).await.code, FaultCode::BadRequest, "{wrong:?}");
        }
        let fault = world.fault("emulate", &["timezone", "Mars/Base"]).await;
        assert!(fault.code == FaultCode::BadRequest && fault.message.contains("Mars/Base"), "{fault:?}");
        world
    });
}

#[test]
fn a_popup_whose_time_zone_is_its_openers_says_so_and_keeps_it_when_the_opener_leaves() {
    with_world(|world| async move {
        let page = world.page("surroundings.html");
        world.open_hidden("surroundings.html").await;
        let before = told(&world).await["zone"].clone();
        let opener = world.context.tab().await.unwrap().id();
        for (what, first, second) in [("timezone", "Asia/Tokyo", "Europe/Paris"), ("locale", "de-DE", "fr-FR")] {
            let seen = |told: Value| if what == "timezone" { told["zone"].clone() } else { told["number"].clone() };
            world.run("emulate", &[what, first]).await;
            let opened = popup(&world, &page).await;
            assert_eq!(seen(told(&opened).await), seen(told(&world).await), "{what}");
            for value in [second, "off"] {
                let fault = opened.fault("emulate", &[what, value]).await;
                let names = format!("tab {opener} has the {}", if what == "timezone" { "time zone" } else { "locale" });
                assert!(fault.message.starts_with(&format!("{names} {first}, ")), "{fault:?}");
                assert_eq!(
                    fault.hint.unwrap(),
                    format!("Turn it off there first: `emulate {what} off` in tab {opener}.")
                );
            }
            assert_eq!(opened.run("emulate", &[what, first]).await, format!("{what}: {first}"), "the same");
            world.run("emulate", &[what, "off"]).await;
            assert_eq!(set_for(&opened, opened.context.tab().await.unwrap().id()), Vec::<String>::new(), "{what}");
            opened.run("emulate", &[what, second]).await;
            assert!(world.fault("emulate", &[what, first]).await.message.contains(second), "now the popup has it");
            opened.run("emulate", &[what, "off"]).await;
            opened.run("closetab", &[]).await;
        }
        let kept = "new Promise((done) => { const look = () => \
            told().zone === 'Asia/Tokyo' ? done('kept') : setTimeout(look, 20); look(); })";
        world.run("emulate", &["timezone", "Asia/Tokyo"]).await;
        let opened = popup(&world, &page).await;
        world.run("goto", &[&page.replace("127.0.0.1", "localhost")]).await;
        assert_eq!(opened.run("js", &[kept]).await, "kept", "the opener shows a page of another process");
        world.run("closetab", &[]).await;
        assert_eq!(opened.run("js", &[kept]).await, "kept", "the opener has closed");
        assert_ne!(before, "Asia/Tokyo");
        opened
    });
}

#[test]
fn a_place_is_told_to_a_site_with_the_permission_and_both_end_with_the_tab() {
    with_world(|world| async move {
        let page = world.page("surroundings.html");
        world.open_hidden("surroundings.html").await;
        world.run("emulate", &["permissions", "deny", "geolocation"]).await;
        world.run("emulate", &["geolocation", "-33.5,151.25", "--accuracy", "20"]).await;
        assert_eq!(world.run("js", &["place()"]).await, "error 1");
        let granted = world.run("emulate", &["permissions", "grant", "geolocation", "notifications"]).await;
        assert!(
            granted.starts_with("permissions: geolocation, notifications granted to http://127.0.0.1:"),
            "{granted}"
        );
        assert_eq!(world.run("js", &["place()"]).await, "-33.5,151.25 20");
        assert_eq!(world.run("js", &["Notification.permission"]).await, "granted");
        assert_eq!(world.run("emulate", &["list"]).await.lines().count(), 3);
        let opened = popup(&world, &page).await;
        assert_eq!(opened.run("js", &["place()"]).await, "-33.5,151.25 20", "in a popup");
        let asks = "navigator.permissions.query({ name: 'geolocation' }).then((p) => p.state)";
        let tab = world.context.tab().await.unwrap().id();
        let second = world.in_tab(opened.context.tab.unwrap());
        world.run("closetab", &[&tab.to_string()]).await;
        second.run("wait", &["--fn", &format!("{asks}.then((state) => state !== 'granted')")]).await;
        let model = second.for_model();
        for wrong in [&["permissions", "grant", "geolocation"][..], &["user-agent", "what I have read"]] {
            assert_eq!(model.fault("emulate", wrong).await.code, FaultCode::Forbidden, "{wrong:?}");
        }
        assert_ne!(second.run("js", &[asks]).await, "granted");
        for wrong in [
            &["geolocation", "91,0"][..],
            &["geolocation", "x"],
            &["permissions", "grant"],
            &["permissions", "grant", "magic"],
            &["timezone", "Asia/Tokyo", "--scale", "2"],
        ] {
            assert_eq!(second.fault("emulate", wrong).await.code, FaultCode::BadRequest, "{wrong:?}");
        }
        world
    });
}

#[test]
fn a_viewport_has_a_scale_and_a_picture_at_another_size_leaves_it() {
    with_world(|world| async move {
        world.open_hidden("surroundings.html").await;
        assert_eq!(world.run("viewport", &["500x400", "--scale", "2"]).await, "Viewport set to 500x400 at scale 2");
        assert_eq!(told(&world).await["size"], "500x400@2");
        world.run("screenshot", &["--viewport"]).await;
        world.run("responsive", &[]).await;
        assert_eq!(told(&world).await["size"], "500x400@2");
        assert_eq!(
            world.run("emulate", &["viewport", "600x300", "--scale", "3"]).await,
            "viewport: 600x300 at scale 3"
        );
        assert_eq!(told(&world).await["size"], "600x300@3");
        world.run("emulate", &["viewport", "off"]).await;
        assert_ne!(told(&world).await["size"], "600x300@3");
        assert_eq!(world.fault("viewport", &["5x5", "--scale", "0"]).await.code, FaultCode::BadRequest);
        world
    });
}
