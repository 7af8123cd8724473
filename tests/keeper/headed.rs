//! A visible browser on a virtual display; skipped without Xvfb.

use crate::stage::{LIMIT, Stage, tab, value, work};
use gstack_browser::browser::{AttachOptions, Browser};
use gstack_browser::devtools::runtime::EvaluateParams;
use gstack_browser::events::Filter;
use gstack_browser::launch::{self, LaunchOptions};
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

async fn display() -> Option<(Child, String)> {
    let mut command = Command::new("Xvfb");
    command.args(["-displayfd", "1", "-screen", "0", "1280x800x24", "-nolisten", "tcp"]);
    let mut server = command.stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true).spawn().ok()?;
    let mut number = String::new();
    BufReader::new(server.stdout.take()?).read_line(&mut number).await.ok()?;
    Some((server, format!(":{}", number.trim())))
}

#[tokio::test]
async fn a_persons_dialogs_and_view_are_left_alone() {
    let Some((mut server, display)) = display().await else { return };
    let stage = Stage::new();
    let environment = std::env::vars().filter(|(name, _)| name != "WAYLAND_DISPLAY");
    let environment = environment.chain([("DISPLAY".to_owned(), display)]).collect();
    let options = LaunchOptions { headless: None, environment: Some(environment), ..stage.options() };
    let link = launch::start(&stage.home, &options).await.unwrap().link;
    assert!(!link.headless);
    let browser = Browser::attach_kept(link, AttachOptions::default()).await.unwrap();

    let in_view = browser.current().await.unwrap();
    let tab = tab(&browser).await;
    work(&tab).await.goto("data:text/html,<title>hidden</title>", LIMIT).await.unwrap();
    browser.refresh_views().await.unwrap();
    assert!(in_view.info().unwrap().in_view && !tab.info().unwrap().in_view, "a command brought its tab into view");

    tab.activate().await.unwrap();
    browser.refresh_views().await.unwrap();
    assert!(tab.info().unwrap().in_view);

    // Nothing works on the tab, so the dialog is left to the person.
    let page = tab.page().unwrap();
    let dialogs = ["Page.javascriptDialogOpening", "Page.javascriptDialogClosed"];
    let mut seen = browser.cdp().subscribe(Filter::all().methods(&dialogs));
    page.post(EvaluateParams::new("setTimeout(() => confirm('theirs'), 0)"));
    assert_eq!(seen.next().await.unwrap().method(), dialogs[0]);
    assert_eq!(tab.dialogs().unwrap()[0].accepted, None);
    tab.answer_dialog(false, None).await.unwrap();
    assert_eq!(seen.next().await.unwrap().method(), dialogs[1]);
    assert_eq!(tab.dialogs().unwrap()[0].accepted, Some(false));

    // A command works on it, so the standing answer applies.
    let busy = work(&tab).await;
    let asked = EvaluateParams::new("confirm('ours')");
    assert_eq!(value(&busy.session().call(asked).await.unwrap()), true);
    drop(busy);
    stage.end().await;
    server.kill().await.unwrap();
}
