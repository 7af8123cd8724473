//! Disruptive pages: they navigate all the time, close themselves, never stop loading.

use crate::world::with_world;
use gstack_protocol::fault::FaultCode;
use std::time::Duration;

#[test]
fn a_page_that_goes_elsewhere_all_the_time_is_read_pictured_and_left() {
    with_world(|world| async move {
        let next = world.page("next.html");
        for _ in 0..3 {
            world.open_hidden("restless.html").await;
            assert!(world.run("text", &[]).await.contains("Restless"));
            assert!(world.run("snapshot", &["-i"]).await.contains("[button] \"Press\""));
            world.run("click", &["#press"]).await;
            world.run("screenshot", &["restless.png"]).await;
            // A navigation that the page started may still win at the last moment. It is reported, and the next attempt
            // differs.
            let restless = format!("Navigated to {}?", world.page("restless.html"));
            let mut tries = 0;
            loop {
                match world.output("goto", &[&next]).await {
                    // The browser does not always report the response status in time.
                    Ok(arrived) if arrived.text == format!("Navigated to {next} (200)") => break,
                    Ok(arrived) if arrived.text == format!("Navigated to {next}") => break,
                    Ok(arrived) => assert!(arrived.text.starts_with(&restless), "{}", arrived.text),
                    Err(fault) => assert_eq!(fault.code, FaultCode::Navigation, "{fault:?}"),
                }
                tries += 1;
                assert!(tries < 20, "the page can't be left");
            }
        }
        world
    });
}

#[test]
fn a_page_that_closes_its_tab_at_a_click_was_clicked() {
    with_world(|world| async move {
        world.open_hidden("next.html").await;
        for button in ["#down", "#closer"] {
            let before = world.context.browser.tabs().len();
            world.run("js", &[&format!("window.open('{}'); 1", world.page("selfish.html"))]).await;
            world.opened_up_to(before + 1).await;
            let popup = world.context.browser.tabs().last().unwrap().id;
            let pinned = world.in_tab(popup);
            pinned.run("wait", &["--load"]).await;
            // The browser may close the tab a moment after it acknowledged the click.
            let clicked = pinned.run("click", &[button]).await;
            assert!(clicked.starts_with(&format!("Clicked {button} → ")), "{clicked}");
            world.closed_down_to(before).await;
            assert_eq!(pinned.fault("text", &[]).await.code, FaultCode::TabGone);
        }
        world
    });
}

#[test]
fn a_click_that_is_followed_by_many_dialogs_has_arrived() {
    with_world(|world| async move {
        world.open_hidden("selfish.html").await;
        assert!(world.run("click", &["#chatter"]).await.starts_with("Clicked #chatter"));
        let dialogs = world.output("dialog", &[]).await.unwrap().text;
        assert_eq!(dialogs.lines().count(), 80);
        world
    });
}

#[test]
fn a_value_that_a_field_refuses_leaves_what_was_there() {
    with_world(|world| async move {
        world.open_hidden("selfish.html").await;
        for (field, value, kept) in
            [("#date", "6.5.2024", "2024-05-06"), ("#range", "99", "4"), ("#color", "red", "#112233")]
        {
            assert_eq!(world.fault("fill", &[field, value]).await.code, FaultCode::Element);
            assert_eq!(world.run("js", &[&format!("document.querySelector('{field}').value")]).await, kept);
        }
        std::fs::write(world.context.cwd.clone().unwrap().join("a.txt"), "a").unwrap();
        let fault = world.fault("upload", &["#folder", "a.txt"]).await;
        assert!(fault.message.contains("it takes a folder"), "{fault:?}");
        assert_eq!(world.run("js", &["changes.join()"]).await, "");
        world
    });
}

#[test]
fn a_filled_field_tells_of_its_change_once() {
    with_world(|world| async move {
        world.open_hidden("selfish.html").await;
        world.run("fill", &["#name", "Jane"]).await;
        assert_eq!(world.run("js", &["changes.join()"]).await, "name=Jane");
        world.run("fill", &["#other", "x"]).await;
        world.run("click", &["#name"]).await;
        assert_eq!(world.run("js", &["changes.join()"]).await, "name=Jane,other=x");
        // Typing more text is a separate change.
        world.run("press", &["End"]).await;
        world.run("type", &["!"]).await;
        world.run("click", &["#other"]).await;
        assert_eq!(world.run("js", &["changes.join()"]).await, "name=Jane,other=x,name=Jane!");
        world
    });
}

#[test]
fn a_drawing_that_is_the_whole_document_is_read() {
    with_world(|world| async move {
        world.open_hidden("drawing.svg").await;
        let snapshot = world.run("snapshot", &[]).await;
        assert!(snapshot.contains("[link] \"Details\""), "{snapshot}");
        world
    });
}

#[test]
fn what_was_allowed_on_one_page_does_not_run_on_the_page_that_came_meanwhile() {
    with_world(|world| async move {
        let page = world.page("next.html");
        let elsewhere = page.replace("127.0.0.1", "localhost");
        let script = "document.title = 'done'; 'ran'";
        std::fs::write(world.context.cwd.as_ref().unwrap().join("script.js"), script).unwrap();
        world.open_hidden("next.html").await;
        for allowed_on in [page.as_str(), "about:blank"] {
            let bound = world.allowed_on(allowed_on);
            world.run("goto", &[allowed_on]).await;
            assert_eq!(bound.output("js", &["'ran here'"]).await.unwrap().text, "ran here");
            for shown in [page.as_str(), elsewhere.as_str(), "about:blank"] {
                if shown == allowed_on {
                    continue;
                }
                world.run("goto", &[shown]).await;
                for (command, argument) in [("js", script), ("eval", "script.js"), ("load-html", "script.js")] {
                    let fault = bound.fault(command, &[argument]).await;
                    assert_eq!(fault.code, FaultCode::Denied, "{command} on {shown}: {fault:?}");
                }
                let title = world.run("js", &["document.title"]).await;
                assert!(title != "done", "it ran on {shown}, allowed on {allowed_on}");
            }
        }
        world
    });
}

/// The extension that shows a PDF may list all tabs, so a script in its frame has more rights than one in the page.
#[test]
fn no_script_of_an_agent_runs_in_the_extension_that_shows_a_pdf() {
    with_world(|world| async move {
        let page = world.page("reports");
        world.run("goto", &[&page]).await;
        let agent = world.allowed_on(&page);
        let mut tries = 0;
        while let Err(fault) = agent.output("frame", &["--url", "^chrome-extension:"]).await {
            tries += 1;
            assert!(tries < 300, "{fault:?}");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        for script in ["typeof chrome.tabs", "location.href"] {
            let fault = agent.fault("js", &[script]).await;
            assert!(fault.message.contains("no script of an agent or client runs there"), "{fault:?}");
        }
        // The viewer may still be replacing its document.
        let protocol = loop {
            match world.output("js", &["location.protocol"]).await {
                Err(fault) if fault.code == FaultCode::TabGone && tries < 300 => tries += 1,
                read => break read.unwrap().text,
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        };
        assert_eq!(protocol, "chrome-extension:", "the person may");
        agent.run("frame", &["main"]).await;
        assert_eq!(agent.run("js", &["1 + 1"]).await, "2");
        world
    });
}

#[test]
fn fields_named_like_members_of_the_dom_hide_nothing() {
    with_world(|world| async move {
        world.open_hidden("shadowed.html").await;
        let snapshot = world.run("snapshot", &[]).await;
        for line in ["[form] \"Order\"", "[textbox] \"Amount\"", "[button] \"Send order\""] {
            assert!(snapshot.contains(line), "{line}: {snapshot}");
        }
        assert!(world.run("text", &[]).await.contains("Amount"));
        assert_eq!(
            world.run("fill", &["role=textbox[name=\"Amount\"]", "5"]).await,
            "Filled role=textbox[name=\"Amount\"]"
        );
        assert_eq!(world.run("js", &["new FormData(document.forms[0]).get('amount')"]).await, "5");
        assert!(world.run("click", &["text=\"Send order\""]).await.starts_with("Clicked"));
        assert_eq!(world.run("js", &["document.getElementsByTagName('button')[0].dataset.sent"]).await, "yes");
        assert_eq!(world.run("is", &["visible", "#order"]).await, "true");
        assert!(world.run("scroll", &["#order"]).await.starts_with("Scrolled #order"));
        let forms = world.output("forms", &[]).await.unwrap().data.unwrap();
        assert_eq!(forms[0]["fields"][0]["name"], "amount");
        world
    });
}
