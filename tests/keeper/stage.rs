//! The fixtures of this binary's tests: a home, a browser started through its keeper, and a loopback site.

use gstack_base::home::Home;
use gstack_browser::browser::{AttachOptions, Browser};
use gstack_browser::devtools::runtime::Evaluated;
use gstack_browser::launch::{self, LaunchError, LaunchOptions, Started};
use gstack_browser::tab::{Tab, Work};
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// Generous, because the tests share their machine.
pub const LIMIT: Duration = Duration::from_secs(180);

/// Returns a script's result by value; null if it has none.
pub fn value(evaluated: &Evaluated) -> Value {
    let text = evaluated.result.value.as_ref().map_or("null", |value| value.get());
    serde_json::from_str(text).unwrap()
}

/// A home whose browser ends with the test, even if the test fails.
pub struct Stage {
    folder: tempfile::TempDir,
    pub home: Home,
}

impl Stage {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("home")).unwrap();
        Self { folder, home }
    }
    pub fn options(&self) -> LaunchOptions {
        let quiet =
            ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic"];
        LaunchOptions {
            headless: Some(true),
            extra_args: quiet.map(str::to_owned).to_vec(),
            first_url: Some("about:blank".to_owned()),
            keeper_program: Some(PathBuf::from(env!("CARGO_BIN_EXE_gstack"))),
            ..LaunchOptions::default()
        }
    }
    pub async fn start(&self) -> Result<Started, LaunchError> {
        launch::start(&self.home, &self.options()).await
    }
    pub async fn browser(&self) -> Browser {
        let link = self.start().await.unwrap().link;
        let options = AttachOptions { headless: link.headless, ..AttachOptions::default() };
        Browser::attach_kept(link, options).await.unwrap()
    }
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
    /// Ends the browser and leaves nothing of it behind.
    pub async fn end(self) {
        launch::stop(&self.home).await.unwrap();
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // A failed test has not stopped the browser. This runs within a runtime, so another thread does it.
        let home = self.home.clone();
        let stopping = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(launch::stop(&home)).ok();
        });
        stopping.join().ok();
    }
}

/// Opens a new, attached tab.
pub async fn tab(browser: &Browser) -> Tab {
    browser.new_tab().await.unwrap()
}

pub async fn work(tab: &Tab) -> Work {
    tab.work().await.unwrap()
}

/// Returns whether a process is alive (a zombie is not).
pub fn is_alive(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    stat.is_ok_and(|stat| !stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with(['Z', 'X'])))
}

/// A site on loopback: `respond` decides the answer for a path.
pub struct Site {
    pub port: u16,
    server: tokio::task::JoinHandle<()>,
}

impl Site {
    pub async fn start(respond: fn(&str) -> Answer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, respond));
            }
        });
        Self { port, server }
    }
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.server.abort();
    }
}

pub enum Answer {
    Page(u16, String),
    To(String),
    /// The request is accepted and never answered.
    Silence,
}

async fn answer(stream: TcpStream, respond: fn(&str) -> Answer) -> Option<()> {
    let mut stream = BufReader::new(stream);
    let mut first = String::new();
    stream.read_line(&mut first).await.ok()?;
    let mut line = String::new();
    let mut host = String::new();
    while stream.read_line(&mut line).await.ok()? > 2 {
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("host:") {
            host = value.trim().to_owned();
        }
        line.clear();
    }
    let path = first.split_whitespace().nth(1)?.to_owned();
    let text = match respond(&path) {
        Answer::Page(status, body) => {
            let body = body.replace("{port}", host.rsplit(':').next()?);
            format!(
                "HTTP/1.1 {status} X\r\ncontent-type: text/html\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            )
        }
        Answer::To(path) => {
            format!("HTTP/1.1 302 X\r\nlocation: {path}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        }
        Answer::Silence => return std::future::pending().await,
    };
    stream.write_all(text.as_bytes()).await.ok()
}
