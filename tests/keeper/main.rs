//! The browser's keeper and the browser layer on a real, headless Chromium.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod headed;
mod pages;
mod protocol;
mod side_panel;
mod stage;
mod websocket;

use gstack_browser::browser::{AttachOptions, Browser};
use gstack_browser::devtools::runtime::EvaluateParams;
use gstack_browser::error::BrowserError;
use gstack_browser::keeper_link::LinkError;
use gstack_browser::launch::{self, LaunchError};
use stage::{Answer, LIMIT, Site, Stage, is_alive, tab, work};
use std::time::Duration;

fn greet(_: &str) -> Answer {
    Answer::Page(200, "<title>kept</title>hello".to_owned())
}

#[tokio::test]
async fn a_browser_outlives_its_client_and_ends_when_told() {
    let stage = Stage::new();
    let site = Site::start(greet).await;
    let started = stage.start().await.unwrap();
    assert!(started.browser.is_some());
    let (pid, run) = (started.link.pid, started.link.run.clone());
    let browser = Browser::attach_kept(started.link, AttachOptions::default()).await.unwrap();
    let tab = tab(&browser).await;
    let arrival = work(&tab).await.goto(&site.url("/"), LIMIT).await.unwrap();
    assert_eq!((arrival.status, arrival.url), (Some(200), site.url("/")));
    // Like a killed daemon: the connection just ends.
    browser.detach().await;

    let again = stage.start().await.unwrap();
    assert!(again.browser.is_none(), "a second browser was started");
    assert_eq!((again.link.pid, &again.link.run), (pid, &run));
    assert!(again.link.first_id > 1, "a late reply to the first client could be taken for the second's");
    let browser = Browser::attach_kept(again.link, AttachOptions::default()).await.unwrap();
    let kept = browser.tabs().into_iter().find(|tab| tab.url == site.url("/")).unwrap();
    assert_eq!(kept.title, "kept");
    assert_eq!(work(&browser.tab(kept.id).unwrap()).await.main_frame().await.unwrap().url, site.url("/"));

    assert!(launch::stop(&stage.home).await.unwrap());
    browser.gone().cancelled().await;
    assert!(!is_alive(pid));
    assert!(!stage.home.browser_socket().exists());
    assert!(!launch::stop(&stage.home).await.unwrap());
}

#[tokio::test]
async fn no_port_listens() {
    let stage = Stage::new();
    let started = stage.start().await.unwrap();
    let listening = listening_sockets_of(started.link.pid);
    assert!(listening.is_empty(), "the browser listens: {listening:?}");
    assert!(!stage.home.browser_profile().join("DevToolsActivePort").exists());
    drop(started);
    stage.end().await;
}

/// Returns the TCP sockets on which a process listens.
fn listening_sockets_of(pid: u32) -> Vec<String> {
    const LISTEN: &str = "0A";
    let folder = format!("/proc/{pid}/fd");
    let own: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok())
        .filter_map(|link| link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']').map(str::to_owned))
        .collect();
    ["/proc/net/tcp", "/proc/net/tcp6"]
        .iter()
        .filter_map(|table| std::fs::read_to_string(table).ok())
        .flat_map(|table| table.lines().skip(1).map(str::to_owned).collect::<Vec<_>>())
        .filter(|line| {
            let fields: Vec<&str> = line.split_whitespace().collect();
            fields.get(3) == Some(&LISTEN) && fields.get(9).is_some_and(|inode| own.iter().any(|own| own == inode))
        })
        .collect()
}

#[tokio::test]
async fn two_starters_get_one_browser() {
    let stage = Stage::new();
    let (first, second) = tokio::join!(stage.start(), stage.start());
    // The loser of the race fails because the winner is connected, or connects after the winner has disconnected.
    let links: Vec<_> = [first, second]
        .into_iter()
        .filter_map(|result| match result {
            Ok(started) => Some(started.link),
            Err(LaunchError::Link(LinkError::Busy)) => None,
            Err(error) => panic!("{error}"),
        })
        .collect();
    assert_eq!(links.len(), 1);
    stage.end().await;
}

#[tokio::test]
async fn a_second_client_is_refused_while_the_first_is_there() {
    let stage = Stage::new();
    let browser = stage.browser().await;
    assert!(matches!(stage.start().await, Err(LaunchError::Link(LinkError::Busy))));
    // The refusal has not affected the first connection.
    assert_eq!(tab(&browser).await.info().unwrap().url, "about:blank");
    stage.end().await;
}

#[tokio::test]
async fn a_browser_that_does_not_start_says_why() {
    let stage = Stage::new();
    let program = stage.path("broken-browser");
    std::fs::write(&program, "#!/bin/sh\necho 'no display for you' >&2\nexit 3\n").unwrap();
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let options = launch::LaunchOptions { browser: Some(program), ..stage.options() };
    let Err(error) = launch::start(&stage.home, &options).await else { panic!("a broken browser started") };
    assert!(error.to_string().contains("no display for you"), "{error}");
}

#[tokio::test]
async fn a_browser_that_ends_by_itself_takes_its_keeper_along() {
    let stage = Stage::new();
    let browser = stage.browser().await;
    use gstack_browser::devtools::browser::CloseParams;
    browser.root().post(CloseParams {});
    tokio::time::timeout(LIMIT, browser.gone().cancelled()).await.unwrap();
    // The lock is free once the keeper is gone: a new browser starts.
    let again = stage.start().await.unwrap();
    assert!(again.browser.is_some());
    stage.end().await;
}

#[tokio::test]
async fn a_killed_keeper_leaves_no_browser_and_no_obstacle() {
    let stage = Stage::new();
    let started = stage.start().await.unwrap();
    let pid = started.link.pid;
    let keeper = parent_of(pid);
    rustix::process::kill_process(rustix::process::Pid::from_raw(keeper).unwrap(), rustix::process::Signal::KILL)
        .unwrap();
    let again = stage.start().await.unwrap();
    assert!(again.browser.is_some());
    // It ends once it sees that nobody holds its pipe.
    let gone = async {
        while is_alive(pid) {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(LIMIT, gone).await.unwrap();
    drop(again);
    stage.end().await;
}

fn parent_of(pid: u32) -> i32 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let (_, rest) = stat.rsplit_once(')').unwrap();
    rest.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[tokio::test]
async fn metadata_services_are_out_of_reach() {
    let stage = Stage::new();
    let site = Site::start(greet).await;
    let mut options = stage.options();
    // Everything that our own rules miss arrives at the loopback site, never outside.
    options.extra_args.push(format!("--host-resolver-rules=MAP * 127.0.0.1:{}", site.port));
    let link = launch::start(&stage.home, &options).await.unwrap().link;
    let browser = Browser::attach_kept(link, AttachOptions::default()).await.unwrap();
    let tab = tab(&browser).await;
    let work = work(&tab).await;
    for host in [
        "169.254.169.254",
        "0xa9fea9fe",
        "2852039166",
        "[::ffff:169.254.169.254]",
        "[fd00:ec2::254]",
        "metadata.google.internal",
        "METADATA.google.internal.",
    ] {
        let result = work.goto(&format!("http://{host}/"), LIMIT).await;
        let error = result.expect_err(host);
        assert!(error.to_string().contains("ERR_NAME_NOT_RESOLVED"), "{host}: {error}");
    }
    let arrival = work.goto("http://elsewhere.test/", LIMIT).await.unwrap();
    assert_eq!(arrival.status, Some(200));
    stage.end().await;
}

#[tokio::test]
async fn a_hung_page_delays_nobody_and_can_be_left() {
    let stage = Stage::new();
    let site = Site::start(|path| if path == "/silent" { Answer::Silence } else { greet(path) }).await;
    let browser = stage.browser().await;
    let (hung, other) = (tab(&browser).await, tab(&browser).await);
    let on_hung = work(&hung).await;
    on_hung.goto(&site.url("/"), LIMIT).await.unwrap();
    on_hung.session().post(EvaluateParams::new("for (;;);"));

    let on_other = work(&other).await;
    on_other.goto(&format!("http://localhost:{}/", site.port), LIMIT).await.unwrap();
    let silent = on_other.goto(&site.url("/silent"), Duration::from_millis(300)).await;
    assert!(matches!(silent, Err(BrowserError::Timeout { .. })), "{silent:?}");

    // A new document of the same site needs the hanging process.
    let away = on_hung.goto(&site.url("/again"), LIMIT).await.unwrap();
    assert_eq!(away.status, Some(200));
    assert_eq!(on_hung.frames().await.unwrap().len(), 1);
    stage.end().await;
}
