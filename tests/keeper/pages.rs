//! Tabs, frames, navigation and dialogs.

use crate::stage::{Answer, LIMIT, Site, Stage, tab, value, work};
use gstack_browser::arrival::ArrivalKind;
use gstack_browser::browser::{AttachOptions, Browser, EarlyScript};
use gstack_browser::devtools::page::CrashParams;
use gstack_browser::devtools::runtime::{EvaluateParams, Evaluation, evaluate_value};
use gstack_browser::dialogs::DialogPolicy;
use gstack_browser::error::BrowserError;
use gstack_browser::events::Filter;
use gstack_browser::frames::{Frame, World};
use gstack_browser::tab::Tab;
use gstack_browser::tabs::{BrowserEvent, TabState};
use gstack_protocol::ids::{ChromeTabId, WindowId};
use gstack_protocol::tabs::ChromeTab;
use serde_json::{Value, json};

fn site(path: &str) -> Answer {
    let page = |text: &str| Answer::Page(200, text.to_owned());
    match path {
        "/frames" => page(
            "<title>frames</title><iframe src='http://localhost:{port}/inner'></iframe>\
             <iframe src='/inner' name='near'></iframe><iframe srcdoc='made' sandbox></iframe>",
        ),
        "/old" => Answer::To("/new".to_owned()),
        "/missing" => Answer::Page(404, "gone".to_owned()),
        "/replace" => page("<script>location.replace('/new')</script>"),
        "/confirm" => page("<script>document.title = String(confirm('sure?'))</script>"),
        _ => Answer::Page(200, format!("<title>{path}</title>text")),
    }
}

async fn evaluate(tab: &Tab, frame: &Frame, world: &World, expression: &str) -> Value {
    let context = tab.context(&frame.id, world).await.unwrap();
    let session = tab.browser().cdp().session(context.session.clone());
    value(&session.call(evaluate_value(expression).within(&context)).await.unwrap())
}

#[tokio::test]
async fn navigation_tells_where_it_ended() {
    let stage = Stage::new();
    let site = Site::start(site).await;
    let browser = stage.browser().await;
    let tab = tab(&browser).await;
    let work = work(&tab).await;

    let arrival = work.goto(&site.url("/old"), LIMIT).await.unwrap();
    assert_eq!((arrival.url, arrival.status), (site.url("/new"), Some(200)));
    assert_eq!(arrival.remote_address.as_deref(), Some("127.0.0.1"));
    assert_eq!(work.goto(&site.url("/missing"), LIMIT).await.unwrap().status, Some(404));
    let arrival = work.goto(&site.url("/missing#part"), LIMIT).await.unwrap();
    assert_eq!((arrival.kind, arrival.url), (ArrivalKind::SameDocument, site.url("/missing#part")));
    assert_eq!(work.goto(&site.url("/replace"), LIMIT).await.unwrap().url, site.url("/new"));

    let refused = work.goto("http://127.0.0.1:9/", LIMIT).await.unwrap_err();
    assert!(
        matches!(&refused, BrowserError::Navigation { reason, .. } if reason.starts_with("net::ERR_")),
        "{refused}"
    );

    let back = work.back(LIMIT).await.unwrap().unwrap();
    assert_eq!(back.url, site.url("/new"));
    let back = work.back(LIMIT).await.unwrap().unwrap();
    assert_eq!(back.url, site.url("/missing#part"));
    let forward = work.forward(LIMIT).await.unwrap().unwrap();
    assert_eq!(forward.url, site.url("/new"));
    let again = work.reload(true, LIMIT).await.unwrap();
    assert_eq!((again.url, again.status), (site.url("/new"), Some(200)));
    stage.end().await;
}

#[tokio::test]
async fn early_scripts_are_in_every_frame_across_processes() {
    let stage = Stage::new();
    let site = Site::start(site).await;
    let link = stage.start().await.unwrap().link;
    let script =
        EarlyScript { world: Some("ours".to_owned()), source: "globalThis.seen = document.readyState".to_owned() };
    let options = AttachOptions { headless: true, early_scripts: vec![script], ..AttachOptions::default() };
    let browser = Browser::attach_kept(link, options).await.unwrap();
    let tab = tab(&browser).await;
    let work = work(&tab).await;
    let mut events = browser.cdp().subscribe(Filter::all());
    work.goto(&site.url("/frames"), LIMIT).await.unwrap();
    let frames = loop {
        let frames = work.frames().await.unwrap();
        if frames.len() == 4 && frames.iter().all(|frame| !frame.url.is_empty()) {
            break frames;
        }
        tokio::time::timeout(LIMIT, events.next()).await.expect("the frames load").unwrap();
    };
    let sessions: std::collections::HashSet<_> = frames.iter().map(|frame| frame.session.as_ref()).collect();
    assert!(sessions.len() >= 2, "the frame of another site has a process of its own");
    let ours = World::Isolated("ours".to_owned());
    for frame in &frames {
        // A sandboxed frame's process may be attached after its document loaded; then the script runs late, but it
        // runs.
        let seen = evaluate(&tab, frame, &ours, "globalThis.seen").await;
        assert!(seen == json!("loading") || frame.url == "about:srcdoc" && seen.is_string(), "{seen} {frame:?}");
        assert_eq!(evaluate(&tab, frame, &World::Main, "typeof seen").await, json!("undefined"));
    }
    let far = frames.iter().find(|frame| frame.url.contains("localhost")).unwrap();
    assert_eq!(evaluate(&tab, far, &World::Main, "location.host.split(':')[0]").await, json!("localhost"));

    // The frames disappear with their document, and return with it.
    work.goto(&site.url("/plain"), LIMIT).await.unwrap();
    assert_eq!(work.frames().await.unwrap().len(), 1);
    let main = work.main_frame().await.unwrap();
    assert_eq!(evaluate(&tab, &main, &ours, "globalThis.seen").await, json!("loading"));
    stage.end().await;
}

#[tokio::test]
async fn tabs_have_numbers_openers_and_ends() {
    let stage = Stage::new();
    let site = Site::start(site).await;
    let browser = stage.browser().await;
    let first = browser.current().await.unwrap();
    let opener = tab(&browser).await;
    assert_eq!(browser.current().await.unwrap().id(), first.id(), "a new tab took the place of the current one");
    let mut events = browser.events();
    let on_opener = work(&opener).await;
    on_opener.goto(&site.url("/plain"), LIMIT).await.unwrap();
    let mut open = EvaluateParams::new("void window.open('/opened')");
    open.user_gesture = Some(true);
    on_opener.session().call(open).await.unwrap();
    let opened = loop {
        if let BrowserEvent::TabOpened(info) = events.recv().await.unwrap() {
            break info;
        }
    };
    assert_eq!(opened.opener, Some(opener.id()));

    let chrome = ChromeTab {
        chrome_tab_id: ChromeTabId(77),
        window_id: WindowId(1),
        url: String::new(),
        title: String::new(),
        fav_icon_url: None,
        active: false,
        incognito: false,
        discarded: false,
        replaces: None,
        target_id: opened.page.clone(),
        opener_chrome_tab_id: None,
        restored: false,
    };
    browser.bind(&chrome);
    assert_eq!(browser.by_chrome_id(ChromeTabId(77)).unwrap().id, opened.id);

    browser.set_current(opened.id).unwrap().close().await.unwrap();
    while !matches!(events.recv().await.unwrap(), BrowserEvent::TabClosed(id) if id == opened.id) {}
    assert!(matches!(browser.tab(opened.id), Err(BrowserError::TabClosed(_))));
    assert_ne!(browser.current().await.unwrap().id(), opened.id);
    let next = tab(&browser).await;
    assert!(next.id() > opened.id, "a number was used again");
    stage.end().await;
}

#[tokio::test]
async fn a_crashed_page_is_told_and_comes_back_by_a_navigation() {
    let stage = Stage::new();
    let site = Site::start(site).await;
    let browser = stage.browser().await;
    let tab = tab(&browser).await;
    let work = work(&tab).await;
    work.goto(&site.url("/"), LIMIT).await.unwrap();
    let mut events = browser.events();
    work.session().post(CrashParams {});
    while !matches!(events.recv().await.unwrap(), BrowserEvent::TabCrashed(id) if id == tab.id()) {}
    assert_eq!(tab.info().unwrap().state, TabState::Crashed);
    assert!(matches!(tab.frames().await, Err(BrowserError::TabCrashed(_))));
    work.goto(&site.url("/"), LIMIT).await.unwrap();
    assert_eq!(tab.info().unwrap().state, TabState::Open);
    assert_eq!(tab.frames().await.unwrap().len(), 1);
    stage.end().await;
}

#[tokio::test]
async fn dialogs_never_stop_a_command() {
    let stage = Stage::new();
    let site = Site::start(site).await;
    let browser = stage.browser().await;
    let tab = tab(&browser).await;
    let work = work(&tab).await;
    for (policy, answer) in [(DialogPolicy::Accept(None), true), (DialogPolicy::Dismiss, false)] {
        work.set_dialog_policy(policy).unwrap();
        work.goto(&site.url("/confirm"), LIMIT).await.unwrap();
        let main = work.main_frame().await.unwrap();
        assert_eq!(evaluate(&tab, &main, &World::Main, "document.title").await, json!(answer.to_string()));
        assert_eq!(tab.dialogs().unwrap().last().unwrap().accepted, Some(answer));
    }
    stage.end().await;
}

#[tokio::test]
async fn a_hidden_tab_that_is_worked_on_has_the_focus_and_draws() {
    let stage = Stage::new();
    let browser = stage.browser().await;
    let tab = tab(&browser).await;
    let work = work(&tab).await;
    let main = work.main_frame().await.unwrap();
    assert_eq!(evaluate(&tab, &main, &World::Main, "document.hasFocus()").await, json!(true));
    let drawing = work.draw();
    let mut frame = EvaluateParams::new("new Promise((done) => requestAnimationFrame(() => done('drawn')))");
    frame.await_promise = Some(true);
    assert_eq!(value(&work.session().call(frame).await.unwrap()), "drawn");
    drop(drawing);
    stage.end().await;
}

#[tokio::test]
async fn commands_on_one_tab_run_in_order_and_a_dropped_one_blocks_nobody() {
    let stage = Stage::new();
    let browser = stage.browser().await;
    let tab = tab(&browser).await;
    let first = work(&tab).await;
    let waiting = tokio::spawn({
        let tab = tab.clone();
        async move { tab.work().await.map(drop) }
    });
    let given_up = tokio::spawn({
        let tab = tab.clone();
        async move { tab.work().await.map(drop) }
    });
    tokio::task::yield_now().await;
    given_up.abort();
    assert!(!waiting.is_finished());
    drop(first);
    waiting.await.unwrap().unwrap();
    work(&tab).await;
    stage.end().await;
}

#[tokio::test]
async fn a_released_tab_is_engaged_again_by_the_next_command() {
    let stage = Stage::new();
    let site = Site::start(site).await;
    let browser = stage.browser().await;
    let tab = tab(&browser).await;
    work(&tab).await.goto(&site.url("/one"), LIMIT).await.unwrap();
    tab.release();
    assert!(!tab.is_engaged());
    let again = work(&tab).await;
    assert_eq!(again.main_frame().await.unwrap().url, site.url("/one"));
    assert_eq!(again.goto(&site.url("/two"), LIMIT).await.unwrap().url, site.url("/two"));
    stage.end().await;
}
