//! Actions with a wrong result in the past: on rewritten documents, invisible controls and stale refs, after closed
//! tabs, and in scripts.

use crate::world::with_world;
use gstack_protocol::fault::FaultCode;

#[test]
fn on_a_document_that_writes_itself_anew_a_click_and_a_fill_are_seen_to_arrive() {
    with_world(|world| async move {
        world.open_hidden("rewritten.html").await;
        world.run("wait", &["#go"]).await;
        assert!(world.run("click", &["#go"]).await.starts_with("Clicked #go"));
        assert_eq!(world.run("fill", &["#name", "Ann"]).await, "Filled #name");
        let state = "document.querySelector('#go').textContent + document.querySelector('#name').value";
        assert_eq!(world.run("js", &[state]).await, "goneAnn");
        // The same from a file.
        let file = world.context.cwd.clone().unwrap().join("page.html");
        std::fs::write(&file, "<button id=b onclick=\"this.id = 'hit'\">B</button><input id=i>").unwrap();
        world.run("load-html", &["page.html"]).await;
        assert!(world.run("click", &["#b"]).await.starts_with("Clicked #b"));
        assert_eq!(world.run("fill", &["#i", "x"]).await, "Filled #i");
        assert_eq!(world.run("js", &["document.querySelectorAll('#hit').length"]).await, "1");
        // An element that covers the target still blocks the action.
        world
            .run(
                "js",
                &["document.body.insertAdjacentHTML('beforeend', '<div style=\"position:fixed;inset:0\"></div>'); 0"],
            )
            .await;
        let covered = world.fault("click", &["#i", "--timeout", "300"]).await;
        assert!(covered.message.contains("covered"), "{covered:?}");
        world
    });
}

#[test]
fn a_checkbox_that_a_style_has_made_invisible_is_clicked_by_its_label() {
    with_world(|world| async move {
        world.open_hidden("styled.html").await;
        let snapshot = world.run("snapshot", &["-i"]).await;
        for name in ["Zero", "Inside", "Cut"] {
            let line = snapshot.lines().find(|line| line.contains(&format!("\"{name}\""))).expect(name);
            let listed = line.split_whitespace().next().unwrap();
            world.run("click", &[listed]).await;
            assert!(
                world
                    .run("snapshot", &["-i"])
                    .await
                    .lines()
                    .any(|line| line.starts_with(listed) && line.contains("checked")),
                "{name}"
            );
        }
        // This one has no substitute.
        let alone = world.fault("click", &["#alone", "--timeout", "200"]).await;
        assert!(alone.message.contains("not visible"), "{alone:?}");
        world
    });
}

#[test]
fn what_is_clickable_outside_of_aria_is_among_the_interactive() {
    with_world(|world| async move {
        world.open_hidden("styled.html").await;
        let snapshot = world.run("snapshot", &["-i"]).await;
        assert!(snapshot.contains("[cursor:pointer, onclick] \"Whole row\""), "{snapshot}");
        assert!(snapshot.contains("\"One\"") && snapshot.contains("[popover-child] \"Two\""), "{snapshot}");
        let row = snapshot.lines().find(|line| line.contains("Whole row")).unwrap().split(' ').next().unwrap();
        world.run("click", &[row]).await;
        assert_eq!(world.run("js", &["document.querySelector('.row').dataset.hit"]).await, "yes");
        world.run("js", &["document.querySelector('#alone').remove()"]).await;
        let changes = world.run("snapshot", &["-D", "-i"]).await;
        assert!(changes.contains("── changes since the snapshot before"), "{changes}");
        let written = world.run("snapshot", &["-i", "-o", "page.txt"]).await;
        assert!(written.ends_with("page.txt") && written.contains("\nSnapshot saved: "), "{written}");
        world
    });
}

#[test]
fn a_stale_ref_says_what_it_was() {
    with_world(|world| async move {
        world.open_hidden("rewritten.html").await;
        world.run("wait", &["#go"]).await;
        let button = world.find("\"Go\"").await;
        world.run("js", &["document.querySelector('#go').remove()"]).await;
        let fault = world.fault("click", &[&button]).await;
        let expected = format!(
            "Ref {button} (button \"Go\") is stale: its element left the page. Run 'snapshot' to get fresh refs."
        );
        assert_eq!(fault.message, expected);
        let field = world.find("\"Name\"").await;
        world.run("goto", &[&world.page("next.html")]).await;
        world.run("snapshot", &[]).await;
        let fault = world.fault("fill", &[&field, "x"]).await;
        assert!(fault.message.starts_with(&format!("Ref {field} (textbox \"Name\") is stale")), "{fault:?}");
        assert_eq!(fault.code, FaultCode::Element);
        world
    });
}

#[test]
fn statements_with_a_return_are_the_body_of_an_async_function() {
    with_world(|world| async move {
        world.open_hidden("next.html").await;
        for (source, value) in [
            ("const a = await Promise.resolve(2); return a + 1", "3"),
            ("if (document.title) { return 'titled' }\nreturn 'bare' // end", "titled"),
            ("const b = 1; const c = 2", ""),
            ("1 + 1", "2"),
            ("({a: 1}).a", "1"),
            ("let n = 0; for (const x of [1, 2]) n += x; n", "3"),
        ] {
            assert_eq!(world.run("js", &[source]).await, value, "{source}");
        }
        // A script that has run is not run again.
        let twice = "globalThis.runs = (globalThis.runs ?? 0) + 1; eval('return 1')";
        assert_eq!(world.fault("js", &[twice]).await.code, FaultCode::Script);
        assert_eq!(world.run("js", &["runs"]).await, "1");
        let typed = world.fault("type", &["@e2", "hello"]).await;
        assert_eq!(typed.code, FaultCode::Element, "a ref before the text is the element: {typed:?}");
        world
    });
}

#[test]
fn closing_a_tab_ends_with_it_closed_and_names_the_current_one() {
    with_world(|world| async move {
        world.run("newtab", &[&world.page("effects.html")]).await;
        let opener = world.context.browser.current_known().unwrap();
        world.run("newtab", &[&world.page("next.html")]).await;
        world.run("tab", &[&opener.to_string()]).await;
        world.run("click", &["#popup"]).await;
        let popup = world.context.browser.tabs().last().unwrap().id;
        world.run("tab", &[&popup.to_string()]).await;
        let said = world.run("closetab", &[]).await;
        assert_eq!(said, format!("Closed tab {popup}; the current tab is {opener}"));
        assert!(world.context.browser.tab(popup).is_err(), "it is closed when the command ends");
        // A popup that closes itself.
        world.run("click", &["#popup"]).await;
        let popup = world.context.browser.tabs().last().unwrap().id;
        world.run("tab", &[&popup.to_string()]).await;
        world.run("wait", &["--domcontentloaded"]).await;
        world.run("js", &["document.body.innerHTML = '<button id=x onclick=\"window.close()\">x</button>'; 0"]).await;
        let closed = world.run("click", &["#x"]).await;
        assert!(
            closed.contains("closed the tab") && closed.contains(&format!("the current tab is {opener}")),
            "{closed}"
        );
        world
    });
}
