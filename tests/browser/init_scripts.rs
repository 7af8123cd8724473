//! Scripts that run before a page's own, also in frames and popups, until they are removed.

use crate::world::{World, with_world};
use gstack_protocol::fault::FaultCode;

/// Reads what the script left in the page.
const SEEN: &str = "window.early ?? 'none'";

async fn seen(world: &World) -> String {
    world.run("js", &[SEEN]).await
}

#[test]
fn a_script_runs_first_in_every_page_frame_and_popup_until_it_is_taken_away() {
    with_world(|world| async move {
        let next = world.page("next.html");
        world.open_hidden("next.html").await;
        let script = "window.early = `${document.documentElement ? document.scripts.length : 0} scripts`";
        assert_eq!(world.run("init-script", &["add", script]).await, "Added script 1");
        assert_eq!(seen(&world).await, "none", "not in the present document");
        let other_site = next.replace("127.0.0.1", "localhost");
        for address in [&next, &other_site] {
            world.run("goto", &[address]).await;
            assert_eq!(seen(&world).await, "0 scripts", "{address}");
        }
        let frame = format!(
            "new Promise((done) => {{ const f = document.createElement('iframe'); f.id = 'f'; f.src = '{next}'; f.onload = () => done(1); document.body.append(f); }})"
        );
        world.run("js", &[&frame]).await;
        world.run("frame", &["#f"]).await;
        assert_eq!(seen(&world).await, "0 scripts", "a frame of another process");
        world.run("frame", &["main"]).await;
        let tabs = world.context.browser.tabs().len();
        world.run("js", &[&format!("void open('{next}')")]).await;
        world.opened_up_to(tabs + 1).await;
        let popup = world.in_tab(world.context.browser.tabs().last().unwrap().id);
        popup.run("wait", &["--load"]).await;
        assert_eq!(seen(&popup).await, "0 scripts", "a popup");
        let cwd = world.context.cwd.clone().unwrap();
        std::fs::write(cwd.join("second.js"), "window.second = 2;\n// the end").unwrap();
        assert_eq!(world.run("init-script", &["add", "--file", "second.js"]).await, "Added script 2");
        world.run("reload", &[]).await;
        assert_eq!(world.run("js", &["window.second"]).await, "2");
        let list = world.output("init-script", &["list"]).await.unwrap();
        assert!(
            list.text.starts_with("1: window.early") && list.text.contains("\n2: window.second = 2; // the end"),
            "{}",
            list.text
        );
        assert_eq!(list.data.unwrap()[0]["source"], script);
        assert!(world.context.browser.overrides()[0].1.contains(&"2 init scripts".to_owned()));
        assert_eq!(world.run("init-script", &["remove", "1"]).await, "Removed 1 script");
        world.run("reload", &[]).await;
        assert_eq!((seen(&world).await.as_str(), world.run("js", &["window.second"]).await.as_str()), ("none", "2"));
        assert_eq!(world.run("init-script", &["remove"]).await, "Removed 1 script");
        world.run("goto", &[&next]).await;
        assert_eq!(world.run("js", &["window.second ?? 'none'"]).await, "none");
        // The popup has its own copy.
        popup.run("reload", &[]).await;
        assert_eq!(seen(&popup).await, "0 scripts");
        let fault = world.fault("init-script", &["add", "let = ;"]).await;
        assert!(fault.code == FaultCode::Script && fault.message.contains("SyntaxError"), "{fault:?}");
        assert_eq!(world.fault("init-script", &["remove", "9"]).await.code, FaultCode::NotFound);
        for wrong in [
            &["add"][..],
            &["say", "x"],
            &["list", "x"],
            &["add", "1", "--file", "second.js"],
            &["remove", "--file", "x"],
        ] {
            assert_eq!(world.fault("init-script", wrong).await.code, FaultCode::BadRequest, "{wrong:?}");
        }
        assert_eq!(world.fault("init-script", &["add", "--file", "/etc/passwd"]).await.code, FaultCode::PathRefused);
        world
    });
}

#[test]
fn a_models_script_runs_in_pages_of_its_site_alone_and_can_not_break_out() {
    with_world(|world| async move {
        let here = world.page("next.html");
        let bank = here.replace("127.0.0.1", "localhost");
        world.run("newtab", &[&here]).await;
        let model = world.for_model();
        let added = model.run("init-script", &["add", "window.early = 'theirs' // end"]).await;
        assert!(added.ends_with(&format!(", for pages of 127.0.0.1:{}", world.port)), "{added}");
        // Not a complete script: it would end the block that limits it to its site.
        let fault = model.fault("init-script", &["add", "} window.early = 'out'; if (true) {"]).await;
        assert_eq!(fault.code, FaultCode::Script);
        for script in
            ["window.early = 'theirs' /*", "window.early = `theirs", "-->", "<!-- x\n} window.early = 'out'; {"]
        {
            if model.output("init-script", &["add", script]).await.is_ok() {
                model.run("goto", &[&bank]).await;
                assert_eq!(seen(&world).await, "none", "{script}");
            }
            world.run("goto", &[&here]).await;
        }
        world.run("goto", &[&bank]).await;
        assert_eq!(seen(&world).await, "none", "in a page of another site");
        let frame = format!(
            "new Promise((done) => {{ const f = document.createElement('iframe'); f.id = 'f'; f.src = '{bank}?f'; f.onload = () => done(1); document.body.append(f); }})"
        );
        world.run("goto", &[&here]).await;
        assert_eq!(seen(&world).await, "theirs");
        world.run("js", &[&frame]).await;
        world.run("frame", &["#f"]).await;
        assert_eq!(seen(&world).await, "none", "in a frame of another site");
        world.run("frame", &["main"]).await;
        // A model can neither see nor remove a person's scripts.
        world.run("init-script", &["add", "window.secret = 'of the person'"]).await;
        assert!(!model.run("init-script", &["list"]).await.contains("of the person"));
        model.run("init-script", &["remove"]).await;
        assert!(world.run("init-script", &["list"]).await.contains("of the person"));
        world.run("newtab", &["about:blank"]).await;
        assert_eq!(model.fault("init-script", &["add", "1"]).await.code, FaultCode::Forbidden);
        world
    });
}
