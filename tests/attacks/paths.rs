//! Files: a model must state every path that it chooses, overwrites nothing but pictures, and can neither read nor
//! write hidden or credential files.

use crate::mcp_client::McpClient;
use crate::stage::{Site, Stage, page};
use serde_json::json;
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

const SOURCE: &str = "fn main() { println!(\"precious\"); }\n";
const FORM: &str = "<title>Form</title><h1>Form</h1><input type=file id=f><div class=big>x</div>";

fn site(_: &str, _: u16) -> String {
    page(FORM)
}

/// Creates a work folder like a repository, with files that a model must not touch.
fn repository(stage: &Stage) {
    let work = stage.work();
    for folder in ["src", ".git", ".config/gcloud", "keys/.ssh"] {
        fs::create_dir_all(work.join(folder)).unwrap();
    }
    for file in ["src/main.rs", ".git/config", ".config/gcloud/token", "keys/.ssh/id", ".env", "notes.png.txt"] {
        fs::write(work.join(file), SOURCE).unwrap();
    }
}

#[test]
fn a_lone_selector_of_a_model_is_never_a_file() {
    let site = Site::start(site);
    let stage = Stage::new();
    repository(&stage);
    stage.run(&["goto", &site.url("/")]);
    for profile in [&[][..], &["--profile", "all"]] {
        let mut client = McpClient::start(&stage, profile);
        let absolute = stage.work().join("src/main.rs").display().to_string();
        for selector in ["./src/main.rs", ".git/config", "../work/src/main.rs", &absolute, "./.env"] {
            client.call("screenshot", &json!({ "selector": selector }));
        }
        if !profile.is_empty() {
            for words in [json!(["./src/main.rs"]), json!(["h1", "./src/main.rs"])] {
                client.call("prettyscreenshot", &json!({ "path": words }));
            }
        }
        for file in ["src/main.rs", ".git/config", ".env"] {
            assert_eq!(fs::read_to_string(stage.work().join(file)).unwrap(), SOURCE, "{file}");
        }
        assert!(!client.call("screenshot", &json!({ "selector": "h1" })).failed, "a selector still is one");
    }
    // The person's own paths keep their meaning.
    stage.run(&["screenshot", "./shot.png"]);
    assert!(stage.work().join("shot.png").exists());
}

#[test]
fn a_tool_that_can_write_a_file_is_not_read_only() {
    let stage = Stage::new();
    for profile in [&[][..], &["--profile", "all"], &["--profile", "all", "--secrets"]] {
        let mut client = McpClient::start(&stage, profile);
        for tool in client.tools() {
            let properties = tool["inputSchema"]["properties"].as_object().unwrap();
            let writes = properties.contains_key("output")
                || properties.contains_key("path")
                || properties.contains_key("prefix");
            let reads = tool["annotations"]["readOnlyHint"] == true;
            assert!(!(writes && reads), "{} is listed as read-only", tool["name"]);
        }
    }
    let mut client = McpClient::start(&stage, &[]);
    let snapshot = client.tools().into_iter().find(|tool| tool["name"] == "snapshot").unwrap();
    assert_eq!(snapshot["annotations"]["readOnlyHint"], true, "without a path it only looks");
    assert!(client.call("snapshot", &json!({ "output": "x.txt" })).failed);
}

#[test]
fn hidden_credential_and_own_files_are_closed_to_a_model_in_both_directions() {
    let site = Site::start(site);
    let stage = Stage::new();
    repository(&stage);
    let work = stage.work();
    stage.run(&["goto", &site.url("/")]);
    let own = stage.folder.path().join("g");
    // Two bypasses: a link, and another name of the same file.
    std::os::unix::fs::symlink(work.join(".git/config"), work.join("plain.html")).unwrap();
    fs::hard_link(work.join(".config/gcloud/token"), work.join("hard.html")).unwrap();
    fs::hard_link(work.join("keys/.ssh/id"), work.join("hard.png")).unwrap();
    std::os::unix::fs::symlink(&own, work.join("home")).unwrap();
    let mut client = McpClient::start(&stage, &["--profile", "all", "--secrets"]);
    let mut refused = |tool: &str, arguments: serde_json::Value| {
        let answer = client.call(tool, &arguments);
        assert!(answer.failed && !answer.text.contains("precious"), "{tool} {arguments}: {answer:?}");
    };
    for path in
        [".git/config", ".env", "keys/.ssh/id", ".config/gcloud/token", "plain.html", "hard.html", "home/browse.json"]
    {
        refused("upload", json!({ "selector": "#f", "file": [path] }));
        refused("load-html", json!({ "file": path }));
        refused("eval", json!({ "file": path }));
        refused("cookie-import", json!({ "json": path }));
    }
    let address = site.url("/file");
    for path in [
        ".bashrc",
        ".git/hooks",
        "keys/.ssh/authorized_keys",
        "home/policy.json",
        "src/main.rs",
        "hard.png",
        "plain.html",
    ] {
        refused("download", json!({ "url": address, "path": path }));
        refused("snapshot", json!({ "output": path }));
        refused("pdf", json!({ "path": path }));
        refused("screenshot", json!({ "selector": "h1", "path": path }));
    }
    refused("responsive", json!({ "prefix": ".git/x" }));
    for file in ["src/main.rs", ".git/config", ".env", "keys/.ssh/id", "hard.png"] {
        assert_eq!(fs::read_to_string(work.join(file)).unwrap(), SOURCE, "{file}");
    }
    assert!(!work.join(".bashrc").exists() && !own.join("policy.json").exists());
    // Everything else remains possible.
    assert!(!client.call("pdf", &json!({ "path": "page.pdf" })).failed);
    assert!(!client.call("upload", &json!({ "selector": "#f", "file": ["page.pdf"] })).failed);
}

/// The work folder in which the attacker's server replaces a folder while it responds.
static EXCHANGED: OnceLock<PathBuf> = OnceLock::new();

/// Replaces `drawings`, `note.txt` or `given` by a link to `outside`, or to a file in it, then responds.
fn exchanging(path: &str, _: u16) -> String {
    let work = EXCHANGED.get().unwrap();
    let outside = work.parent().unwrap().join("outside");
    let (name, target) = match path {
        "/exchange" => ("drawings", outside),
        "/exchange-file" => ("note.txt", outside.join("note.txt")),
        "/exchange-folder" => ("given", outside),
        _ => return page(&format!("<title>Key</title><h1>ssh-ed25519 AAAA attacker</h1>{UPLOADS}")),
    };
    if fs::rename(work.join(name), work.join(format!("before-{name}"))).is_ok() {
        std::os::unix::fs::symlink(target, work.join(name)).unwrap();
    }
    page("<title>Key</title><h1>ssh-ed25519 AAAA attacker</h1>")
}

/// Each button lets the server exchange a path before it opens a file chooser; then the page says what it got.
const UPLOADS: &str = "<input type=file id=one hidden><input type=file id=several webkitdirectory hidden>
    <button id=file onclick=\"choose('/exchange-file', one)\">File</button>
    <button id=folder onclick=\"choose('/exchange-folder', several)\">Folder</button>
    <script>
        async function choose(address, field) {
            await fetch(address);
            field.click();
        }
        const words = async (file) => `${file.webkitRelativePath || file.name}: ${await file.text()}`;
        for (const field of [one, several])
            field.onchange = () => { window.got = Promise.all([...field.files].map(words)).then(String, String); };
    </script>";

/// A file, then a folder, is exchanged after it was checked.
fn uploads_what_was_checked(stage: &Stage, client: &mut McpClient, address: &str) {
    let work = stage.work();
    fs::create_dir(work.join("given")).unwrap();
    for (file, text) in [("given/note.txt", "mine"), ("note.txt", "mine"), ("../outside/note.txt", "keys")] {
        fs::write(work.join(file), text).unwrap();
    }
    assert!(!client.call("goto", &json!({ "url": address })).failed);
    assert!(!client.call("focus", &json!({})).failed);
    for (button, path, got) in [("#file", "note.txt", "note.txt: mine"), ("#folder", "given", "given/note.txt: mine")] {
        let answer = client.call("upload", &json!({ "selector": button, "file": [path] }));
        assert!(work.join(path).is_symlink(), "{path} was not exchanged: {answer:?}");
        assert!(!answer.failed, "{answer:?}");
        let read = client.call("js", &json!({ "expression": "got" }));
        assert!(read.text.contains(got), "{read:?}");
    }
    let copies = stage.folder.path().join("g/run/uploads");
    let count = || fs::read_dir(&copies).map_or(0, Iterator::count);
    assert_eq!(count(), 2);
    assert!(!client.call("closetab", &json!({})).failed);
    while count() > 0 {
        std::thread::yield_now();
    }
}

#[test]
fn what_becomes_a_link_while_a_command_runs_leads_no_file_out() {
    let stage = Stage::new();
    let work = stage.work();
    let outside = work.parent().unwrap().join("outside");
    fs::create_dir_all(&outside).unwrap();
    EXCHANGED.set(work.clone()).unwrap();
    let site = Site::start(exchanging);
    stage.run(&["goto", &site.url("/")]);
    let mut client = McpClient::start(&stage, &["--profile", "all"]);
    fs::create_dir(work.join("drawings")).unwrap();
    // The server responds between the path check and the write.
    let wanted = json!({ "url": site.url("/exchange"), "path": "drawings/authorized_keys" });
    let answer = client.call("download", &wanted);
    assert!(work.join("drawings").is_symlink(), "the folder was exchanged");
    assert!(answer.failed, "{answer:?}");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    fs::remove_file(work.join("drawings")).unwrap();
    fs::create_dir(work.join("drawings")).unwrap();
    assert!(!client.call("download", &json!({ "url": site.url("/"), "path": "drawings/file.txt" })).failed);
    assert!(work.join("drawings/file.txt").exists());
    uploads_what_was_checked(&stage, &mut client, &site.url("/"));
}
