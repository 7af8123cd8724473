//! A test's browser, its pages on loopback, and helpers to run commands.
//!
//! A browser is used by one test after the other, as by one daemon after the other, because starting one takes longer than
//! most tests. Each test gets one empty tab and no cookies.

use crate::patience::Patience;
use axum::Router;
use axum::body::Body;
use axum::extract::Path as UrlPath;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::get;
use gstack_base::home::Home;
use gstack_base::site::SiteOrPage;
use gstack_browser::browser::{AttachOptions, Browser};
use gstack_browser::dialogs::DialogPolicy;
use gstack_browser::downloads::DownloadFolders;
use gstack_browser::effects::Effects;
use gstack_browser::error::BrowserError;
use gstack_browser::keeper_link::{self, KeeperLink, LinkError};
use gstack_browser::launch::{LaunchOptions, start, stop};
use gstack_browser::page::video::Recordings;
use gstack_browser::page::{Pages, script};
use gstack_command::{Call, Context, Output, Progress, RecordingLog, Steps, TabSwitch, registry};
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::TabId;
use serde_json::json;
use std::collections::BTreeMap;
use std::future::Future;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, Semaphore};
use tokio_util::sync::CancellationToken;

/// Two browsers at once would only slow each other down.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

const QUIET: [&str; 6] = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
    "--site-per-process",
];

/// Plays a cloud's metadata service: a loopback address, so that no test contacts the real one.
pub const REFUSED_ADDRESS: &str = "127.0.0.66";
/// Host names that resolve to it.
const RULES: &str = "--host-resolver-rules=MAP *.refused.test 127.0.0.66";

/// A hanging test must not keep its browser running.
const POLL: Duration = Duration::from_millis(10);
const TEST_LIMIT: Duration = Duration::from_secs(180);

/// Headed if the tests have a display: a tab behind another one behaves differently there.
fn headless() -> bool {
    std::env::var_os("GSTACK_TEST_HEADED").is_none()
}

/// The browser of the last test that passed, for the next one.
static KEPT: Mutex<Option<Arc<Started>>> = Mutex::new(None);

/// A browser. Ends with the last test that uses it, in any case.
struct Started {
    home: Home,
    /// Reads standard input until this program ends, however it does, and then ends the browser and
    /// removes its folder.
    ender: Mutex<Child>,
}

impl Drop for Started {
    fn drop(&mut self) {
        let mut ender = self.ender.lock().unwrap_or_else(PoisonError::into_inner);
        drop(ender.stdin.take());
        assert!(ender.wait().is_ok_and(|ended| ended.success()) || std::thread::panicking());
    }
}

impl Started {
    async fn now(display: Option<&str>, headless: bool) -> (Self, KeeperLink) {
        let folder = tempfile::tempdir().unwrap().keep();
        let home = Home::at(folder.join("home")).unwrap();
        let options = LaunchOptions {
            headless: Some(headless),
            environment: display.map(environment_with),
            extra_args: QUIET.iter().chain([&RULES]).map(|argument| (*argument).to_owned()).collect(),
            keeper_program: Some(PathBuf::from(env!("CARGO_BIN_EXE_gstack"))),
            ..LaunchOptions::default()
        };
        let ender = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "world::ends_the_browser_of_a_program_that_has_ended", "--ignored"])
            .env("GSTACK_TEST_ENDS", &folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let started = start(&home, &options).await.unwrap();
        (Self { home, ender: Mutex::new(ender) }, started.link)
    }

    /// Connects again. The keeper notices a little later that the last test has left.
    async fn again(&self) -> KeeperLink {
        let patience = Patience::of(Duration::from_secs(5));
        loop {
            match keeper_link::connect(&self.home).await {
                Err(LinkError::Busy) if patience.left().is_some() => tokio::time::sleep(POLL).await,
                link => return link.unwrap(),
            }
        }
    }
}

/// Not a test: the process that [`Started`] begins.
#[test]
#[ignore = "waits for the end of the program that started it"]
fn ends_the_browser_of_a_program_that_has_ended() {
    let Some(folder) = std::env::var_os("GSTACK_TEST_ENDS").map(PathBuf::from) else { return };
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
    let home = Home::at(folder.join("home")).unwrap();
    tokio::runtime::Runtime::new().unwrap().block_on(stop(&home)).unwrap();
    std::fs::remove_dir_all(folder).ok();
}

pub struct World {
    started: Arc<Started>,
    /// The files of this test.
    pub folder: Arc<tempfile::TempDir>,
    pub context: Context,
    pub port: u16,
}

impl World {
    /// Starts headed if a display is given, in a browser of its own.
    pub async fn start(display: Option<&str>) -> Self {
        let headless = display.is_none() && headless();
        let kept = if display.is_none() { KEPT.lock().unwrap_or_else(PoisonError::into_inner).take() } else { None };
        let (started, link) = match kept {
            Some(kept) => {
                let link = kept.again().await;
                (kept, link)
            }
            None => {
                let (started, link) = Started::now(display, headless).await;
                (Arc::new(started), link)
            }
        };
        let folder = Arc::new(tempfile::tempdir().unwrap());
        let cwd = folder.path().join("cwd");
        let temp_folder = folder.path().join("temp");
        let incoming = folder.path().join("incoming");
        for made in [&cwd, &temp_folder, &incoming] {
            std::fs::create_dir(made).unwrap();
        }
        let attach = AttachOptions {
            headless,
            downloads: Some(DownloadFolders { incoming, saved: temp_folder.clone() }),
            early_scripts: vec![script::early_script()],
            refuses: Some(|address| address == REFUSED_ADDRESS),
            ..AttachOptions::default()
        };
        let browser = Browser::attach_kept(link, attach).await.unwrap();
        let context = Context {
            leased: std::collections::BTreeMap::new(),
            only_on: None,
            acts_on: None,
            expected: None,
            pointer: None,
            for_model: false,
            reader: None,
            browser,
            pages: Pages::default(),
            recordings: Recordings::default(),
            recording_log: RecordingLog::default(),
            tab: None,
            on_tab_switch: TabSwitch::BrowserCurrent,
            tab_set: None,
            cwd: Some(cwd),
            temp_folder,
            state_folder: folder.path().join("states"),
            is_confined: false,
            gstack_home: folder.path().join("gstack"),
            copies_folder: folder.path().join("copies"),
            progress: Progress::default(),
            steps: Steps::default(),
            effects: Effects::default(),
            dialogs: DialogPolicy::default(),
            sign_ins: Arc::new(crate::signing_in::Saved),
            cancel: CancellationToken::new(),
        };
        Self { started, folder, context, port: serve().await }
    }

    /// Gives the browser to the next test, if it can be left as it was found.
    pub async fn end(self) {
        let is_clean = self.context.browser.is_headless()
            && tokio::time::timeout(Duration::from_secs(10), self.clean()).await.is_ok_and(|cleaned| cleaned.is_ok());
        self.context.browser.detach().await;
        if is_clean {
            *KEPT.lock().unwrap_or_else(PoisonError::into_inner) = Some(self.started);
        }
    }

    /// Ends the browser, as a person does who closes it.
    pub async fn close_browser(self) {
        assert!(stop(&self.started.home).await.unwrap());
    }

    /// Leaves one empty tab, and no cookies.
    async fn clean(&self) -> Result<(), BrowserError> {
        let browser = &self.context.browser;
        let last = browser.new_tab().await?.info()?.id;
        for tab in browser.tabs() {
            if tab.id != last {
                browser.tab(tab.id)?.close().await?;
            }
        }
        self.closed_down_to(1).await;
        browser.root().call_json("Storage.clearCookies", &json!({}), TEST_LIMIT).await?;
        Ok(())
    }

    pub fn page(&self, name: &str) -> String {
        format!("http://127.0.0.1:{}/{name}", self.port)
    }

    pub async fn output(&self, name: &str, args: &[&str]) -> Result<Output, Fault> {
        let args: Vec<String> = args.iter().map(|word| (*word).to_owned()).collect();
        registry::run_cancellable(&self.context, &Call::parse(name, &args)?).await
    }

    /// Returns the output as it is sent.
    pub async fn run(&self, name: &str, args: &[&str]) -> String {
        match self.output(name, args).await {
            Ok(output) => output.into_result().output,
            Err(fault) => panic!("{name} {args:?}: {fault:?}"),
        }
    }

    pub async fn fault(&self, name: &str, args: &[&str]) -> Fault {
        match self.output(name, args).await {
            Ok(output) => panic!("{name} {args:?} gave {:?}", output.text),
            Err(fault) => fault,
        }
    }

    /// Waits until only this many tabs are left.
    pub async fn closed_down_to(&self, tabs: usize) {
        let mut events = self.context.browser.events();
        while self.context.browser.tabs().len() > tabs {
            events.recv().await.unwrap();
        }
    }

    /// Waits until there are this many tabs.
    pub async fn opened_up_to(&self, tabs: usize) {
        let mut events = self.context.browser.events();
        while self.context.browser.tabs().len() < tabs {
            events.recv().await.unwrap();
        }
    }

    /// Returns the same world for commands of one tab.
    pub fn in_tab(&self, tab: TabId) -> Self {
        let context = Context { tab: Some(tab), on_tab_switch: TabSwitch::Ignored, ..self.context.clone() };
        Self { started: Arc::clone(&self.started), folder: Arc::clone(&self.folder), context, port: self.port }
    }

    /// Returns the same world with the permissions for the page of this URL.
    pub fn allowed_on(&self, url: &str) -> Self {
        let context = Context { only_on: Some(SiteOrPage::of(url)), ..self.context.clone() };
        Self { started: Arc::clone(&self.started), folder: Arc::clone(&self.folder), context, port: self.port }
    }

    /// Returns the same world for a model.
    pub fn for_model(&self) -> Self {
        let context = Context { for_model: true, reader: Some("agent".to_owned()), ..self.context.clone() };
        Self { started: Arc::clone(&self.started), folder: Arc::clone(&self.folder), context, port: self.port }
    }

    /// Opens a page in a tab behind the first one, which stays in view.
    pub async fn open_hidden(&self, name: &str) {
        let opened = self.run("newtab", &[&self.page(name)]).await;
        assert!(opened.starts_with("Opened tab "), "{opened}");
    }

    /// Returns the ref of the first snapshot line that contains these words.
    pub async fn find(&self, words: &str) -> String {
        let snapshot = self.run("snapshot", &[]).await;
        let line =
            snapshot.lines().find(|line| line.contains(words)).unwrap_or_else(|| panic!("{words} in {snapshot}"));
        line.split_whitespace().next().unwrap().to_owned()
    }

    pub async fn log(&self) -> String {
        self.run("js", &["document.getElementById('log').textContent"]).await
    }
}

/// Runs a test in its own runtime.
pub fn with_world<F: Future<Output = World>>(test: impl FnOnce(World) -> F) {
    with_world_on(None, TEST_LIMIT, test);
}

/// Does the same headed, on the test's own display; skipped without Xvfb.
pub fn with_headed_world<F: Future<Output = World>>(test: impl FnOnce(World) -> F) {
    let mut command = Command::new("Xvfb");
    command.args(["-displayfd", "1", "-screen", "0", "1280x800x24", "-nolisten", "tcp"]);
    let Ok(server) = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn() else { return };
    let mut server = Server(server);
    let mut number = String::new();
    BufReader::new(server.0.stdout.take().unwrap()).read_line(&mut number).unwrap();
    with_world_on(Some(&format!(":{}", number.trim())), 3 * TEST_LIMIT, test);
    drop(server);
}

/// Ends with the test in any case.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        self.0.kill().and_then(|()| self.0.wait()).ok();
    }
}

fn environment_with(display: &str) -> BTreeMap<String, String> {
    let own = std::env::vars().filter(|(name, _)| name != "WAYLAND_DISPLAY");
    own.chain([("DISPLAY".to_owned(), display.to_owned())]).collect()
}

fn with_world_on<F: Future<Output = World>>(display: Option<&str>, limit: Duration, test: impl FnOnce(World) -> F) {
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let world = runtime.block_on(World::start(display));
    let limited = async {
        tokio::select! {
            world = test(world) => world,
            () = too_late(limit) => panic!("the test did not end in time"),
        }
    };
    let world = runtime.block_on(limited);
    runtime.block_on(world.end());
}

async fn too_late(limit: Duration) {
    let patience = Patience::of(limit);
    while let Some(left) = patience.left() {
        tokio::time::sleep(left).await;
    }
}

async fn serve() -> u16 {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let slow = || async {
        tokio::time::sleep(Duration::from_millis(400)).await;
        "slow answer"
    };
    let gate: &'static Notify = Box::leak(Box::default());
    let asked: &'static Semaphore = Box::leak(Box::new(Semaphore::new(0)));
    let router = Router::new()
        .route("/slow", get(slow))
        .route(
            "/echo",
            get(|request: axum::extract::RawQuery| async move {
                Html(format!("<h1>Echo</h1><p>{}</p>", request.0.unwrap_or_default()))
            }),
        )
        .route(
            "/file.bin",
            get(|| async { ([(header::CONTENT_TYPE, "application/octet-stream")], vec![7_u8; 1_500_000]) }),
        )
        .route(
            "/early",
            get(|| async {
                Html("<title>Early</title><script>console.log('first words'); fetch('/echo?first')</script>")
            }),
        )
        .route("/attachment", get(|| async { attachment("hello".repeat(1000)) }))
        .route("/held.zip", get(move || async move { attachment(held(gate)) }))
        .route("/release", get(move || async move { gate.notify_waiters() }))
        .route(
            "/arrives",
            get(move || async move {
                asked.add_permits(1);
                Html("<title>There</title>")
            }),
        )
        .route("/asked", get(move || until_asked(asked)))
        .route("/report.pdf", get(|| async { ([(header::CONTENT_TYPE, "application/pdf")], REPORT) }))
        .route("/reports", get(|| async { Html("<title>Reports</title><iframe src=/report.pdf></iframe>") }))
        .route("/nothing", get(|| async { StatusCode::NO_CONTENT }))
        .route("/redirect", get(redirect))
        .route("/to-file", get(|| async { Redirect::to("/file.bin") }))
        .route("/to-metadata", get(|| async { Redirect::to("http://169.254.169.254/latest/") }))
        .route("/headers", get(all_headers))
        .route("/missing", get(|| async { (StatusCode::NOT_FOUND, Html("<h1>Not here</h1>")) }))
        .route("/{page}", get(fixture));
    tokio::spawn(async move { axum::serve(listener, router).await });
    port
}

/// One empty page.
const REPORT: &str = "%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj
trailer<</Root 1 0 R>>
%%EOF";

/// Serves an attachment under a name that no file may get.
fn attachment(body: impl Into<Body>) -> Response {
    let named = [(header::CONTENT_DISPOSITION, "attachment; filename=\"../../.evil report.txt\"")];
    (named, body.into()).into_response()
}

/// Responds once `/arrives` was requested, or after a while: the page that waits for this may prevent that request.
async fn until_asked(asked: &'static Semaphore) {
    if let Ok(Ok(permit)) = tokio::time::timeout(Duration::from_secs(2), asked.acquire()).await {
        permit.forget();
    }
}

/// Returns a file whose second half is sent when `/release` is requested.
fn held(gate: &'static Notify) -> Body {
    let parts = futures_util::stream::unfold(0, move |count| async move {
        if count == 1 {
            gate.notified().await;
        }
        (count < 2).then(|| (Ok::<_, std::io::Error>(vec![b'z'; 64 * 1024]), count + 1))
    });
    Body::from_stream(parts)
}

/// `?to=URL`
async fn redirect(query: axum::extract::RawQuery) -> Response {
    let to = query.0.and_then(|query| query.strip_prefix("to=").map(str::to_owned)).unwrap_or_default();
    (StatusCode::FOUND, [(header::LOCATION, to)]).into_response()
}

async fn all_headers(headers: HeaderMap) -> String {
    let lines = headers.iter().map(|(name, value)| format!("{name}: {}", value.to_str().unwrap_or_default()));
    lines.collect::<Vec<_>>().join("\n")
}

async fn fixture(UrlPath(page): UrlPath<String>) -> Response {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/pages").join(&page);
    match tokio::fs::read(path).await {
        Ok(bytes) if page.ends_with(".pdf") => ([(header::CONTENT_TYPE, "application/pdf")], bytes).into_response(),
        Ok(bytes) if page.ends_with(".svg") => ([(header::CONTENT_TYPE, "image/svg+xml")], bytes).into_response(),
        Ok(bytes) => ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], bytes).into_response(),
        Err(_) => StatusCode::NOT_FOUND.into_response(),
    }
}
