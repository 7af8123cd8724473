//! A page's content: media, data, storage, cookies, files in and out, and screenshots in other sizes.

use crate::world::with_world;
use gstack_protocol::fault::FaultCode;

#[test]
fn structured_data_media_and_the_accessibility_tree_are_read() {
    with_world(|world| async move {
        world.open_hidden("contents.html").await;
        let data = world.output("data", &[]).await.unwrap().data.unwrap();
        assert_eq!(data["jsonLd"][0]["headline"], "News");
        assert!(data["jsonLd"][1]["error"].is_string());
        assert_eq!(data["openGraph"]["title"], "Shared title");
        assert_eq!(data["openGraph"]["image"][1], "/b.png");
        assert_eq!(
            (&data["twitter"]["card"], &data["meta"]["description"]),
            (&"summary".into(), &"A page with things in it".into())
        );
        let media = world.output("media", &[]).await.unwrap().data.unwrap();
        assert_eq!((&media["images"][0]["alt"], &media["images"][0]["naturalWidth"]), (&"A dot".into(), &1.into()));
        let tree = world.run("accessibility", &[]).await;
        assert!(tree.starts_with("[UNTRUSTED TEXT]"), "{tree}");
        assert!(tree.contains("heading \"Contents\" [level=1]") && tree.contains("image \"A dot\""), "{tree}");
        let perf = world.run("perf", &[]).await;
        let names: Vec<&str> = perf.lines().filter_map(|line| line.split_whitespace().next()).collect();
        assert_eq!(names, ["dns", "tcp", "ssl", "ttfb", "download", "domParse", "domReady", "load", "total"]);
        assert!(perf.lines().all(|line| line.ends_with("ms") && line.as_bytes()[12] == b' '), "{perf}");

        world.open_hidden("frames.html").await;
        world.run("wait", &["--load"]).await;
        let tree = world.run("accessibility", &[]).await;
        assert_eq!(tree.matches("button \"Inner button\"").count(), 2, "{tree}");
        world
    });
}

#[test]
fn storage_and_cookies_are_set_and_read_and_secrets_stay_hidden() {
    with_world(|world| async move {
        world.open_hidden("contents.html").await;
        assert_eq!(world.run("storage", &["set", "theme", "very", "dark"]).await, "Set localStorage[\"theme\"]");
        world.run("storage", &["set", "accessToken", "abcdef"]).await;
        world.run("js", &["sessionStorage.setItem('x', 'eyJhbGciOiJIUzI1NiJ9.e30.abc')"]).await;
        let storage = world.output("storage", &[]).await.unwrap().data.unwrap();
        assert_eq!(storage["localStorage"]["theme"], "very dark");
        assert_eq!(storage["localStorage"]["accessToken"], "[REDACTED — 6 chars]");
        assert_eq!(storage["sessionStorage"]["x"], "[REDACTED — 28 chars]");
        assert_eq!(world.fault("storage", &["set", "x"]).await.code, FaultCode::BadRequest);

        assert_eq!(world.run("cookie", &["flavour=oat"]).await, "Cookie set: flavour=****");
        assert_eq!(world.run("js", &["document.cookie"]).await, "flavour=oat");
        let cookies = world.output("cookies", &[]).await.unwrap();
        let cookie = &cookies.data.unwrap()[0];
        assert_eq!(
            (&cookie["name"], &cookie["value"], &cookie["path"]),
            (&"flavour".into(), &"oat".into(), &"/".into())
        );
        assert_eq!(world.fault("cookie", &["nothing"]).await.code, FaultCode::BadRequest);

        let file = world.context.cwd.clone().unwrap().join("cookies.json");
        std::fs::write(&file, r#"[{"name": "a", "value": "1"}, {"name": "b", "value": "2", "httpOnly": true}]"#)
            .unwrap();
        assert_eq!(world.run("cookie-import", &["cookies.json"]).await, "Loaded 2 cookies from cookies.json");
        assert!(world.run("js", &["document.cookie"]).await.contains("a=1"));
        assert!(world.run("cookies", &[]).await.contains("\"b\""));
        assert_eq!(world.fault("cookie-import", &["/etc/passwd"]).await.code, FaultCode::PathRefused);
        assert_eq!(world.fault("cookie-import", &["none.json"]).await.code, FaultCode::NotFound);
        world
    });
}

#[test]
fn headers_and_the_user_agent_go_with_the_next_request() {
    with_world(|world| async move {
        world.open_hidden("next.html").await;
        assert_eq!(world.run("header", &["X-Debug:", "on"]).await, "Header set: X-Debug: on");
        assert_eq!(world.run("header", &["Authorization: Basic abc"]).await, "Header set: Authorization: ****");
        assert_eq!(world.run("useragent", &["Test", "Browser/1"]).await, "User agent set: Test Browser/1");
        world.run("goto", &[&world.page("headers")]).await;
        let text = world.output("text", &[]).await.unwrap().text;
        assert!(text.contains("x-debug: on") && text.contains("authorization: Basic abc"), "{text}");
        assert!(text.contains("user-agent: Test Browser/1"), "{text}");
        assert_eq!(world.fault("header", &["no colon"]).await.code, FaultCode::BadRequest);
        world
    });
}

#[test]
fn files_go_into_the_page_and_come_out_of_it() {
    with_world(|world| async move {
        world.open_hidden("contents.html").await;
        let cwd = world.context.cwd.clone().unwrap().canonicalize().unwrap();
        std::fs::write(cwd.join("a.txt"), "hello").unwrap();
        std::fs::write(cwd.join("b.txt"), "you").unwrap();
        assert_eq!(world.run("upload", &["#many", "a.txt", "b.txt"]).await, "Uploaded: a.txt (5B), b.txt (3B)");
        assert_eq!(world.run("upload", &["#choose", "a.txt"]).await, "Uploaded: a.txt (5B)");
        world.run("wait", &["text=hello;"]).await;
        assert_eq!(world.log().await, "a.txt:5,b.txt:3;hello;");
        assert_eq!(world.fault("upload", &["#many", "missing.txt"]).await.code, FaultCode::NotFound);
        assert_eq!(world.fault("upload", &["#many", "/etc/passwd"]).await.code, FaultCode::PathRefused);
        assert_eq!(world.fault("upload", &["h1", "a.txt"]).await.code, FaultCode::Element);
        world.run("js", &["document.querySelector('#many').disabled = true"]).await;
        let off = world.fault("upload", &["#many", "a.txt"]).await;
        assert!(off.message.contains("it is disabled"), "{off:?}");
        world.run("js", &["document.querySelector('#many').disabled = false"]).await;
        assert_eq!(world.fault("upload", &["#choose", "a.txt", "b.txt"]).await.code, FaultCode::Element);

        let saved = world.run("download", &[&world.page("file.bin"), "out.bin"]).await;
        assert_eq!(saved, format!("Downloaded: {} (1500000B)", cwd.join("out.bin").display()));
        assert!(std::fs::read(cwd.join("out.bin")).unwrap().iter().all(|byte| *byte == 7));
        let link = world.find("[link] \"The file\"").await;
        let saved = world.output("download", &[&link]).await.unwrap();
        assert!(saved.files[0].starts_with(&world.context.temp_folder), "{saved:?}");
        assert!(saved.text.contains("-file.bin (1500000B)"), "{}", saved.text);
        let picture = world.find("[img]").await;
        assert!(world.run("download", &[&picture, "dot.gif"]).await.ends_with("dot.gif (37B)"));
        assert_eq!(world.fault("download", &["http://169.254.169.254/"]).await.code, FaultCode::UrlRefused);
        let followed = world.run("download", &[&world.page("to-file"), "followed.bin"]).await;
        assert!(followed.ends_with("followed.bin (1500000B)"), "{followed}");
        // A redirect is judged before it is requested.
        let led = world.fault("download", &[&world.page("to-metadata"), "led"]).await;
        assert!(led.code == FaultCode::UrlRefused && led.message.contains("169.254.169.254/latest"), "{led:?}");
        let missing = world.fault("download", &[&world.page("missing"), "x"]).await;
        assert!(missing.message.contains("404"), "{missing:?}");
        let left: Vec<_> = std::fs::read_dir(&cwd).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left.len(), 5, "{left:?}");

        std::fs::write(cwd.join("page.html"), "<title>Mine</title><h1>From a file</h1>").unwrap();
        assert_eq!(world.run("load-html", &["page.html"]).await, "Loaded HTML: page.html (39 bytes)");
        assert_eq!(world.output("text", &[]).await.unwrap().text, "From a file");
        // A policy of the page would block the file's scripts.
        let policy = "<meta http-equiv=Content-Security-Policy content=\"script-src 'none'\">";
        world.run("js", &[&format!("document.head.innerHTML = `{policy}`; 0")]).await;
        std::fs::write(
            cwd.join("runs.html"),
            "<p>still</p><script>document.querySelector('p').textContent = 'ran'</script>",
        )
        .unwrap();
        let loaded = world.run("load-html", &["runs.html"]).await;
        assert!(loaded.ends_with("into about:blank: the page's Content Security Policy blocks scripts"), "{loaded}");
        assert_eq!(world.output("text", &[]).await.unwrap().text, "ran");
        std::fs::write(cwd.join("script.js"), "const a = 20;\n({ a: a + 1 })").unwrap();
        assert_eq!(world.run("eval", &["script.js"]).await, "{\n  \"a\": 21\n}");
        assert_eq!(world.fault("eval", &["/etc/passwd"]).await.code, FaultCode::PathRefused);
        world
    });
}

#[test]
fn a_page_is_printed_and_pictured_in_three_sizes_and_annotated() {
    with_world(|world| async move {
        world.open_hidden("contents.html").await;
        let cwd = world.context.cwd.clone().unwrap().canonicalize().unwrap();
        assert_eq!(world.run("pdf", &["page.pdf"]).await, format!("PDF saved: {}", cwd.join("page.pdf").display()));
        assert!(std::fs::read(cwd.join("page.pdf")).unwrap().starts_with(b"%PDF"));
        world.run("viewport", &["700x500"]).await;
        let printed = world.run("responsive", &["shots"]).await;
        let wanted: Vec<String> = [("mobile", "375x812"), ("tablet", "768x1024"), ("desktop", "1280x720")]
            .iter()
            .map(|(name, size)| format!("{name} ({size}): {}", cwd.join(format!("shots-{name}.png")).display()))
            .collect();
        assert_eq!(printed, wanted.join("\n"));
        let width = |name: &str| {
            let png = std::fs::read(cwd.join(format!("shots-{name}.png"))).unwrap();
            u32::from_be_bytes(png[16..20].try_into().unwrap())
        };
        assert_eq!((width("mobile"), width("tablet"), width("desktop")), (375, 768, 1280));
        assert_eq!(world.run("js", &["innerWidth + 'x' + innerHeight"]).await, "700x500");

        let snapshot = world.output("snapshot", &["-i", "-a", "-o", "marked.png"]).await.unwrap();
        let marked = cwd.join("marked.png");
        assert!(snapshot.text.contains(&format!("[annotated screenshot: {}]", marked.display())), "{}", snapshot.text);
        let plain = cwd.join("plain.png");
        world.run("screenshot", &["plain.png"]).await;
        assert_ne!(std::fs::read(marked).unwrap(), std::fs::read(plain).unwrap());
        assert_eq!(world.run("js", &["document.querySelectorAll('[data-gstack]').length"]).await, "0");
        world
    });
}

#[test]
fn two_pages_are_compared_in_tabs_of_their_own() {
    with_world(|world| async move {
        world.open_hidden("next.html").await;
        let (first, second) = (world.page("echo?one"), world.page("echo?two"));
        let tabs = world.run("tabs", &[]).await;
        let output = world.output("diff", &[&first, &second]).await.unwrap();
        assert_eq!(output.text, format!("--- {first}\n+++ {second}\n Echo\n-one\n+two"));
        assert_eq!(world.run("url", &[]).await, world.page("next.html"));
        assert_eq!(world.fault("diff", &[&first, "file:///etc/passwd"]).await.code, FaultCode::UrlRefused);
        world.closed_down_to(tabs.lines().count()).await;
        world
    });
}
