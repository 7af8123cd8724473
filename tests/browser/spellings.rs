//! What scripts that were written for other tools use: a value into a file, an element by a flag, other names of a
//! command, and words that they look for in an answer.

use crate::world::with_world;
use gstack_protocol::fault::FaultCode;

#[test]
fn a_value_is_written_to_a_file_as_it_is_or_decoded() {
    with_world(|world| async move {
        world.open_hidden("contents.html").await;
        let folder = world.context.cwd.clone().unwrap();
        let file = |name: &str| std::fs::read(folder.join(name)).unwrap();
        let said = world.run("js", &["'y'.repeat(2000000)", "--out", "long.txt"]).await;
        assert!(said.starts_with("JS result written: ") && said.ends_with("long.txt (2000000 bytes)"), "{said}");
        assert_eq!(file("long.txt").len(), 2_000_000);

        let url = "'data:text/plain;base64,aGVsbG8='";
        world.run("js", &[url, "--out=decoded.txt"]).await;
        assert_eq!(file("decoded.txt"), b"hello");
        world.run("js", &["--out", "raw.txt", "--raw", url]).await;
        assert_eq!(file("raw.txt"), b"data:text/plain;base64,aGVsbG8=");

        std::fs::write(folder.join("value.js"), "({a: null})").unwrap();
        let said = world.run("eval", &["value.js", "--out", "value.json"]).await;
        assert!(said.starts_with("Eval result written: "), "{said}");
        assert_eq!(file("value.json"), b"{\n  \"a\": null\n}");

        let broken = world.fault("js", &["'data:image/png;base64,?'", "--out", "broken.png"]).await;
        assert!(broken.message.contains("malformed base64") && !folder.join("broken.png").exists(), "{broken:?}");
        let outside = world.fault("js", &["1", "--out", "/etc/gstack.txt"]).await;
        assert_eq!(outside.code, FaultCode::PathRefused);
        assert!(outside.message.contains("Path must be within: "), "{outside:?}");
        assert_eq!(world.fault("js", &["1", "--raw"]).await.code, FaultCode::BadRequest);
        world
    });
}

#[test]
fn null_is_a_value_and_undefined_is_none() {
    with_world(|world| async move {
        world.open_hidden("contents.html").await;
        for (script, shown) in [("null", "null"), ("undefined", ""), ("'null'", "null"), ("[null]", "[\n  null\n]")] {
            assert_eq!(world.run("js", &[script]).await, shown, "{script}");
        }
        assert!(world.output("js", &["null"]).await.unwrap().data.unwrap().is_null());
        world
    });
}

#[test]
fn an_element_is_named_by_a_flag_or_by_a_word() {
    with_world(|world| async move {
        world.open_hidden("contents.html").await;
        for words in [&["--selector", "h1", "h1.png"][..], &["--element", "h1", "h1.png"], &["h1", "h1.png"]] {
            let said = world.run("screenshot", words).await;
            assert!(said.starts_with("Screenshot saved (element): "), "{words:?}: {said}");
        }
        for (words, wrong) in [
            (&["--selector", "h1", ".other"][..], "--selector conflicts with positional selector"),
            (&["--selector", "h1", "--clip", "0,0,9,9"], "Cannot use --clip with a selector/ref"),
            (&["h1", "--clip", "0,0,9,9"], "Cannot use --clip with a selector/ref"),
            (&["--viewport", "--clip", "0,0,9,9"], "Cannot use --viewport with --clip"),
            (&["--clip", "abc"], "all must be numbers"),
        ] {
            let fault = world.fault("screenshot", words).await;
            assert!(fault.message.contains(wrong), "{words:?}: {fault:?}");
        }
        world
    });
}

#[test]
fn a_scale_alone_keeps_the_size() {
    with_world(|world| async move {
        world.open_hidden("contents.html").await;
        world.run("viewport", &["800x600"]).await;
        assert_eq!(world.run("viewport", &["--scale", "2"]).await, "Viewport set to 800x600 at scale 2");
        assert_eq!(world.run("js", &["`${innerWidth}x${innerHeight}@${devicePixelRatio}`"]).await, "800x600@2");
        assert!(world.fault("viewport", &["--scale", "abc"]).await.message.contains("not a finite number"));
        assert!(world.fault("viewport", &[]).await.hint.unwrap().starts_with("Usage: "));
        world
    });
}

#[test]
fn a_file_of_html_has_three_names_and_is_waited_for() {
    with_world(|world| async move {
        world.open_hidden("contents.html").await;
        std::fs::write(world.context.cwd.clone().unwrap().join("own.html"), "<p id=own>of a file</p>").unwrap();
        for words in [
            &["load-html", "own.html", "--wait-until", "networkidle"][..],
            &["setcontent", "own.html"],
            &["set-content", "own.html", "--wait-until", "domcontentloaded"],
        ] {
            let said = world.run(words[0], &words[1..]).await;
            assert!(said.starts_with("Loaded HTML: own.html"), "{words:?}: {said}");
            assert_eq!(world.run("js", &["document.body.innerText"]).await, "of a file", "{words:?}");
            world.run("js", &["document.body.innerText = ''; 1"]).await;
        }
        let wrong = world.fault("load-html", &["own.html", "--wait-until", "soon"]).await;
        assert!(wrong.message.starts_with("invalid --wait-until"), "{wrong:?}");
        world
    });
}

#[test]
fn errors_of_the_console_include_warnings() {
    with_world(|world| async move {
        world.open_hidden("contents.html").await;
        world.run("console", &["--clear"]).await;
        assert_eq!(world.run("console", &["--errors"]).await, "(no console errors or warnings)");
        world.run("js", &["console.log('a note'), console.warn('a warning'), console.error('an error'), 1"]).await;
        let said = world.run("console", &["--errors"]).await;
        assert!(said.contains("a warning") && said.contains("an error") && !said.contains("a note"), "{said}");
        world
    });
}
