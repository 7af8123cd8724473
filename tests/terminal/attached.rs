//! `connect --attach`: a browser that someone else started is driven, guarded and left running.

use crate::stage::{Site, Stage, foreign_browser, foreign_browser_with, page};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

#[test]
fn an_attached_browser_is_driven_and_left_running() {
    let stage = Stage::new();
    let (mut browser, address) = foreign_browser(&stage.folder.path().join("profile"));
    let port = address.split('/').nth(2).unwrap();
    let said = stage.run(&["connect", "--attach", &format!("http://{port}")]);
    assert!(said.contains("browser attached") && said.contains("There is no side panel here"), "{said}");
    assert_eq!((&stage.status()["mode"], &stage.status()["browserPid"]), (&"attached".into(), &browser.0.id().into()));
    assert_eq!(stage.run(&["js", "document.title = 'seen'"]), "seen");
    assert!(stage.run(&["connect", "--attach", &address]).contains("browser found"));
    assert!(stage.fails(&["connect", "--attach", "http://192.0.2.1:9222"]).contains("on this machine"));
    let handoff = stage.run(&["handoff"]);
    assert!(handoff.starts_with("HANDED OFF"), "{handoff}");
    assert!(stage.run(&["disconnect"]).contains("stays open without gstack"));
    assert_eq!(stage.status()["mode"], "none");
    assert!(browser.0.try_wait().unwrap().is_none(), "the person's browser was ended");
    assert!(stage.run(&["connect", "--attach", &address]).contains("browser attached"));
    assert_eq!(stage.run(&["js", "document.title"]), "seen");
    stage.run(&["stop"]);
    assert!(browser.0.try_wait().unwrap().is_none(), "the person's browser was ended with the daemon");
}

#[test]
fn what_records_and_measures_a_page_works_in_an_attached_browser() {
    let stage = Stage::new();
    let site =
        Site::start(|_, _| page("<title>Shop</title><style>h1 {color: red} h2 {color: blue}</style><h1>Shop</h1>"));
    let (_browser, address) = foreign_browser(&stage.folder.path().join("profile"));
    stage.run(&["connect", "--attach", &address]);
    stage.run(&["goto", &site.url("/")]);
    for (line, shows) in [
        ("trace start", "Recording a trace"),
        ("trace stop", "Trace saved: "),
        ("vitals", "LCP"),
        ("coverage css start", "Recording which css is used"),
        ("coverage css stop", "unused of"),
        ("coverage js start", "Recording which js is used"),
        ("coverage js stop", ""),
        ("heap usage", "JavaScript: "),
        ("heap snapshot", ""),
        ("video start --size 96x64", "Recording a video"),
        ("video stop", "Video saved: "),
        ("workers", ""),
        ("workers bypass on", "Bypassing service workers on"),
        ("workers bypass off", "Bypassing service workers off"),
        ("audit-a11y", ""),
        ("screenshot before.png --viewport", "Screenshot saved"),
        ("diff-image before.png --viewport", ""),
    ] {
        let said = stage.run(&line.split(' ').collect::<Vec<_>>());
        assert!(said.contains(shows), "{line}: {said}");
    }
    for (line, why) in [("react-tree", "React"), ("react-component h1", "React"), ("webmcp-list", "WebMCP is off")] {
        let said = stage.fails(&line.split(' ').collect::<Vec<_>>());
        assert!(said.contains(why), "{line}: {said}");
    }
    stage.run(&["disconnect"]);
}

/// The requested hosts.
#[derive(Clone, Default)]
struct Asked(Arc<(Mutex<Vec<String>>, Condvar)>);

impl Asked {
    fn note(&self, host: &str) {
        self.0.0.lock().unwrap().push(host.to_owned());
        self.0.1.notify_all();
    }
    fn has(&self, host: &str) -> bool {
        self.0.0.lock().unwrap().iter().any(|seen| seen.contains(host))
    }
    /// Returns false if the request has not arrived after a long time.
    fn comes(&self, host: &str) -> bool {
        let missing = |seen: &mut Vec<String>| !seen.iter().any(|seen| seen.contains(host));
        let all = self.0.0.lock().unwrap();
        !self.0.1.wait_timeout_while(all, Duration::from_secs(60), missing).unwrap().1.timed_out()
    }
}

/// Listens in place of every host except the test's own; returns its port.
fn catch_all(asked: &Asked) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let asked = asked.clone();
    // Ends with the test's process.
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let asked = asked.clone();
            std::thread::spawn(move || {
                let mut reader = BufReader::new(stream);
                let mut line = String::new();
                while reader.read_line(&mut line).is_ok_and(|length| length > 2) {
                    if let Some(host) = line.strip_prefix("Host: ") {
                        asked.note(host.trim());
                    }
                    line.clear();
                }
                // A client that has disconnected needs no answer.
                reader.into_inner().write_all(page("<title>caught</title>").as_bytes()).ok()
            });
        }
    });
    port
}

fn lures(path: &str, _: u16) -> String {
    match path.split_once("?to=") {
        Some((_, to)) => format!(
            "HTTP/1.1 302 Found\r\nlocation: {to}\r\naccess-control-allow-origin: *\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        ),
        None => page("<title>Lures</title><h1>Lures</h1>"),
    }
}

/// Each way in which a page can request a URL, as a script that ends when the request was answered or refused.
const WAYS: [(&str, &str); 6] = [
    ("a request", "await fetch(ADDRESS, {mode: 'no-cors'}).catch(() => 0)"),
    ("a redirected request", "await fetch('/?to=' + ADDRESS, {mode: 'no-cors'}).catch(() => 0)"),
    (
        "a picture",
        "await new Promise(done => { const one = new Image(); one.onload = one.onerror = done; one.src = ADDRESS })",
    ),
    (
        "a frame",
        "await new Promise(done => { const one = document.createElement('iframe'); one.onload = done; one.src = ADDRESS; document.body.append(one) })",
    ),
    (
        "a frame's redirect",
        "await new Promise(done => { const one = document.createElement('iframe'); one.onload = done; one.src = '/?to=' + ADDRESS; document.body.append(one) })",
    ),
    (
        "a worker",
        "await new Promise(done => { const text = `fetch('${ADDRESS}', {mode: 'no-cors'}).then(() => postMessage(1), () => postMessage(0))`; new Worker(URL.createObjectURL(new Blob([text]))).onmessage = done })",
    ),
];
const REFUSED: [&str; 4] = [
    "http://169.254.169.254/latest/",
    "http://metadata.google.internal/",
    "http://[fd00:ec2::254]/",
    "http://metadata/",
];

#[test]
fn pages_of_an_attached_browser_never_reach_a_metadata_service() {
    let site = Site::start(lures);
    let asked = Asked::default();
    let caught = catch_all(&asked);
    let stage = Stage::new();
    let rules = format!("--host-resolver-rules=MAP * 127.0.0.1:{caught}, EXCLUDE 127.0.0.1");
    let (_browser, address) = foreign_browser_with(&stage.folder.path().join("profile"), &[&rules]);
    stage.run(&["connect", "--attach", &address]);
    let lure = |address: &str, script: &str| {
        stage.run(&["goto", &site.url("/")]);
        stage.run(&["js", &format!("{}; 1", script.replace("ADDRESS", &format!("'{address}'")))]);
    };
    for (number, (way, script)) in WAYS.iter().enumerate() {
        // The page is able to do it.
        lure(&format!("http://plain{number}.test/"), script);
        assert!(asked.comes(&format!("plain{number}.test")), "{way} asks for nothing");
        for address in REFUSED {
            lure(address, script);
        }
    }
    // By links, including those that open a tab, which is guarded from its start.
    for target in ["_self", "_blank"] {
        for address in REFUSED.iter().chain([&"http://plain-link.test/"]) {
            stage.run(&["goto", &site.url("/")]);
            let link = format!("document.body.innerHTML = `<a id=go target={target} href='{address}'>go</a>`; 1");
            stage.run(&["js", &link]);
            stage.run(&["click", "#go"]);
        }
    }
    assert!(asked.comes("plain-link.test"));
    // A URL that only looks like one is allowed.
    lure("http://similar.test/?u=http://169.254.169.254/", WAYS[0].1);
    assert!(asked.comes("similar.test"));
    for refused in ["169.254", "metadata", "fd00"] {
        assert!(!asked.has(refused), "{refused}");
    }
}
