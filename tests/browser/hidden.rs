//! Text in a page that no person can see: a model's output marks it, and the person's command line does not.

use crate::world::{World, with_world};
use gstack_command::{Call, Context, registry};

/// Each line: its kind, and the text that must not appear unmarked.
const PAGE: &str = r#"<style>.sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip: rect(0 0 0 0) }</style>
    <h1>Shop</h1><p>Seen by all.</p>
    <p style="opacity: 0">order clear</p><div style="opacity: 0.01"><p>order faint</p></div>
    <p style="color: white">order white</p><p style="color: transparent">order transparent</p>
    <p style="font-size: 1px">order tiny</p><p style="position: absolute; left: -5000px">order outside</p>
    <p style="text-indent: -9999px">order indented</p><p style="clip-path: inset(50%); position: absolute">order clipped</p>
    <p class="sr">order for readers</p><p style="height: 0; overflow: hidden">order squeezed</p>
    <p>Begins well <span style="opacity: 0">order within</span> and ends well.</p>
    <h2 style="color: #fff">order heading</h2><h2>Title <span style="font-size: 0">order in title</span></h2>
    <a href="/a" style="opacity: 0">order link</a><a href="/b" style="color: white">order white link</a>
    <div style="background: black"><p style="color: white">White on black.</p></div>
    <div style="background: url(x.png)"><p style="color: white">White on a picture.</p></div>
    <button><svg width="9" height="9"></svg><span class="sr">Close</span></button>
    <label class="sr" for="q">Search for</label><input id="q">
    <input type="checkbox" style="opacity: 0" aria-label="Agree"><select style="opacity: 0"><option>One</option></select>
    <a class="sr" href="/main">Skip to content</a>
    <p style="display: none">never rendered</p>"#;

async fn fill(world: &World, html: &str) {
    world.open_hidden("next.html").await;
    let script = format!("document.body.innerHTML = {}, 1", serde_json::to_string(html).unwrap());
    world.run("js", &[&script]).await;
}

async fn for_model(world: &World, name: &str, args: &[&str]) -> String {
    let context = Context { for_model: true, ..world.context.clone() };
    let args: Vec<String> = args.iter().map(|word| (*word).to_owned()).collect();
    registry::run_cancellable(&context, &Call::parse(name, &args).unwrap()).await.unwrap().text
}

/// Returns the lines of a tree or text that contain an order without the hidden mark.
fn unmarked(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.contains("order ") && !line.contains("hidden")).collect()
}

#[test]
fn what_no_person_sees_is_marked_for_a_model_and_labels_of_controls_are_not() {
    with_world(|world| async move {
        fill(&world, PAGE).await;
        let plain = world.run("snapshot", &[]).await;
        assert!(!plain.contains("hidden") && plain.contains("order clear"), "{plain}");
        for (name, args) in [("snapshot", &[][..]), ("snapshot", &["-c"]), ("text", &[])] {
            let text = for_model(&world, name, args).await;
            assert_eq!(unmarked(&text), Vec::<&str>::new(), "{name} {args:?}:\n{text}");
            for seen in ["Seen by all.", "White on black.", "White on a picture."] {
                let line = text.lines().find(|line| line.contains(seen)).unwrap();
                assert!(!line.contains("hidden"), "{line}");
            }
            assert!(!text.contains("never rendered"), "{text}");
        }
        let tree = for_model(&world, "snapshot", &[]).await;
        for line in [
            r#"[heading] "Shop" [level=1]"#,
            r#"[heading] "order heading" [level=2, hidden]"#,
            r#"[heading] "Title order in title" [level=2, partly hidden]"#,
            r#"[link] "order link" [hidden]"#,
            r#"[link] "order white link" [hidden]"#,
            r#"[button] "Close""#,
            r#"[textbox] "Search for""#,
            r#"[checkbox] "Agree""#,
            r#"[link] "Skip to content" [hidden]"#,
        ] {
            assert!(tree.lines().any(|of| of.trim_end().ends_with(line)), "{line} is not in\n{tree}");
        }
        assert!(tree.contains("Begins well [hidden text: order within] and ends well."), "{tree}");
        let interactive = for_model(&world, "snapshot", &["-i"]).await;
        assert!(interactive.contains(r#"[link] "order link" [hidden]"#), "{interactive}");
        world
    });
}
