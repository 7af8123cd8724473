//! A browser that someone else started with an open CDP port.

use crate::stage::{LIMIT, tab, work};
use gstack_browser::browser::{AttachOptions, Browser};
use gstack_browser::devtools::browser::CloseParams;
use gstack_browser::launch::find::{Named, Places, find};
use gstack_browser::websocket;
use gstack_protocol::ids::BrowserRun;
use std::process::Stdio;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// Ends when it is dropped.
pub struct Foreign {
    pub process: Child,
    /// `ws://127.0.0.1:PORT/devtools/browser/ID`
    pub address: String,
    _profile: TempDir,
}

impl Foreign {
    pub async fn start() -> Self {
        let path = std::env::var("PATH").unwrap();
        let program = find(&Named::default(), &Places::of_machine(&path)).unwrap().path;
        let profile = tempfile::tempdir().unwrap();
        let mut command = Command::new(program);
        command
            .args(["--headless=new", "--remote-debugging-port=0", "--no-first-run", "--disable-background-networking"])
            .args(["--disable-component-update", "--disable-sync", "--disable-quic", "about:blank"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        if rustix::process::geteuid().is_root() {
            command.arg("--no-sandbox");
        }
        let mut process = command.spawn().unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let address = loop {
            let line = lines.next_line().await.unwrap().expect("the browser tells its address");
            if let Some((_, address)) = line.split_once("DevTools listening on ") {
                break address.trim().to_owned();
            }
        };
        Self { process, address, _profile: profile }
    }
}

#[tokio::test]
async fn a_foreign_browser_is_attached_to_and_left_running() {
    let Foreign { mut process, address, _profile } = Foreign::start().await;

    let transport = websocket::connect(&address).await.unwrap();
    let browser = Browser::attach(transport, None, 1, BrowserRun::random(), AttachOptions::default()).await.unwrap();
    let tab = tab(&browser).await;
    let arrival = work(&tab).await.goto("data:text/html,<title>far</title>", LIMIT).await.unwrap();
    assert!(arrival.url.starts_with("data:"));
    browser.detach().await;
    assert!(process.try_wait().unwrap().is_none(), "the browser ended with its client");

    let again = websocket::connect(&address).await.unwrap();
    let browser = Browser::attach(again, None, 1, BrowserRun::random(), AttachOptions::default()).await.unwrap();
    assert!(browser.tabs().iter().any(|tab| tab.title == "far"));
    browser.root().post(CloseParams {});
    process.wait().await.unwrap();
}
