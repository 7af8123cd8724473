//! What survives a daemon and a browser, and what is reported about the rest.

use crate::stage::{Site, Stage, page};
use rustix::process::{Pid, Signal, kill_process};

fn titled(path: &str, _: u16) -> String {
    page(&format!("<title>{path}</title><h1>Page {path}</h1>"))
}

/// Kills a process and returns once its sockets are closed. A zombie holds none.
fn kill(pid: &serde_json::Value) {
    let pid = Pid::from_raw(i32::try_from(pid.as_i64().unwrap()).unwrap()).unwrap();
    let closed = rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).unwrap();
    kill_process(pid, Signal::KILL).unwrap();
    let mut ended = [rustix::event::PollFd::new(&closed, rustix::event::PollFlags::IN)];
    rustix::event::poll(&mut ended, None).unwrap();
}

#[test]
fn tab_numbers_and_the_current_tab_are_the_same_after_the_daemon_was_stopped_or_killed() {
    let site = Site::start(titled);
    let stage = Stage::new();
    stage.run(&["goto", &site.url("/one")]);
    stage.run(&["newtab", &site.url("/two")]);
    stage.run(&["newtab", &site.url("/three")]);
    stage.run(&["newtab", &site.url("/four")]);
    stage.run(&["closetab", "2"]);
    stage.run(&["tab", "3"]);
    let before = stage.run(&["tabs"]);
    stage.run(&["stop"]);
    assert_eq!(stage.run(&["tabs"]), before);
    kill(&stage.status()["pid"]);
    assert_eq!(stage.run(&["--tab", "4", "url"]), site.url("/four"));
    assert_eq!(stage.run(&["tabs"]), before);
    assert!(stage.run(&["newtab"]).starts_with("Opened tab 5"), "a number is never given twice");
}

#[test]
fn a_browser_that_takes_the_place_of_a_killed_one_is_told() {
    let site = Site::start(titled);
    let stage = Stage::new();
    stage.run(&["goto", &site.url("/one")]);
    kill(&stage.status()["browserPid"]);
    while stage.status()["mode"] != "none" {
        std::thread::yield_now();
    }
    let said = stage.run(&["goto", &site.url("/two")]);
    assert!(said.contains("was closed or crashed") && said.contains("a new browser"), "{said}");
    assert_eq!(stage.run(&["url"]), site.url("/two"), "it is said once");
    stage.run(&["disconnect"]);
    let quiet = stage.run(&["goto", &site.url("/two")]);
    assert!(!quiet.contains("crashed"), "it was closed on purpose: {quiet}");
}
