//! The message of a command that got no answer: never that it succeeded, and never that nothing happened.

use crate::stage::{Site, Stage, page};
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::OsStr;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::ffi::OsStrExt;

const UNKNOWN: Option<i32> = Some(3);

fn site(path: &str, _: u16) -> String {
    page(&format!("<title>{path}</title><h1>{path}</h1>"))
}

#[test]
fn a_script_whose_page_is_left_or_closed_while_it_awaits_has_an_unknown_outcome() {
    let site = Site::start(site);
    let stage = Stage::new();
    for _ in 0..3 {
        stage.run(&["goto", &site.url("/one")]);
        let leave = format!("location.href = {:?}; await new Promise(() => {{}})", site.url("/two"));
        let said = stage.said(&["js", &leave]);
        assert!(said.code == UNKNOWN && said.out.is_empty() && said.err.contains("is unknown"), "{said:?}");
    }
    let tab = stage.run(&["newtab", &site.url("/one")]);
    let tab = tab.split_whitespace().nth(2).unwrap().to_owned();
    stage.run(&["js", "--tab", &tab, "globalThis.began = 0"]);
    std::thread::scope(|threads| {
        let waits = threads.spawn(|| stage.said(&["js", "--tab", &tab, "began = 1; await new Promise(() => {})"]));
        while stage.run(&["js", "--tab", &tab, "began"]) != "1" {}
        stage.run(&["closetab", &tab]);
        let said = waits.join().unwrap();
        assert_ne!(said.code, Some(0), "{said:?}");
        assert!(said.out.is_empty(), "{said:?}");
    });
}

#[test]
fn a_script_that_runs_past_its_deadline_is_ended_in_the_page() {
    let site = Site::start(site);
    let stage = Stage::new();
    stage.run(&["goto", &site.url("/one")]);
    let said = stage.said(&["js", "for (;;);", "--timeout", "500"]);
    assert!(said.code == UNKNOWN && said.err.contains("took longer"), "{said:?}");
    assert_eq!(stage.run(&["js", "1 + 1"]), "2", "the page answers again");
    assert_eq!(stage.run(&["goto", &site.url("/two")]), format!("Navigated to {} (200)", site.url("/two")));
}

#[test]
fn halves_of_surrogate_pairs_in_a_page_cost_no_answer() {
    let stage = Stage::new();
    assert_eq!(stage.run(&["js", "'a\\ud83d' + 'b'"]), "a\u{fffd}b");
    assert_eq!(stage.run(&["js", "'\\ud83d\\ude00'"]), "😀");
}

#[test]
fn a_hung_browser_is_closed_by_force() {
    let stage = Stage::new();
    stage.run(&["goto", "about:blank"]);
    let pid = stage.status()["browserPid"].as_u64().unwrap().to_string();
    let done = std::process::Command::new("kill").args(["-STOP", &pid]).status().unwrap();
    assert!(done.success());
    assert!(stage.run(&["disconnect", "--force"]).contains("the browser is closed"));
    stage.run(&["goto", "about:blank"]);
    assert_ne!(stage.status()["browserPid"].as_u64().unwrap().to_string(), pid, "another one is opened");
}

#[test]
fn what_a_failed_disconnect_advises_closes_a_hung_browser() {
    let stage = Stage::new();
    stage.run(&["goto", "about:blank"]);
    let pid = stage.status()["browserPid"].as_i64().unwrap();
    kill_process(Pid::from_raw(i32::try_from(pid).unwrap()).unwrap(), Signal::STOP).unwrap();
    let said = stage.said(&["disconnect"]);
    if said.code != Some(0) {
        assert!(said.err.contains("gstack disconnect --force"), "{said:?}");
        assert!(stage.run(&["disconnect", "--force"]).contains("the browser is closed"));
    }
    stage.run(&["goto", "about:blank"]);
    assert_ne!(stage.status()["browserPid"].as_i64().unwrap(), pid, "another one is opened");
}

#[test]
fn a_tab_that_a_hung_browser_was_told_to_close_may_close_later() {
    let stage = Stage::new();
    stage.run(&["goto", "about:blank"]);
    let tab = stage.run(&["newtab"]).split_whitespace().nth(2).unwrap().to_owned();
    let browser = Pid::from_raw(i32::try_from(stage.status()["browserPid"].as_i64().unwrap()).unwrap()).unwrap();
    kill_process(browser, Signal::STOP).unwrap();
    let said = stage.said(&["closetab", &tab]);
    kill_process(browser, Signal::CONT).unwrap();
    assert!(said.code == UNKNOWN && said.err.contains("is unknown"), "{said:?}");
    assert!(said.err.contains(&format!("closing tab {tab} took longer")), "{said:?}");
    // It was only late.
    while stage.run(&["tabs"]).contains(&format!("[{tab}]")) {}
}

#[test]
#[ignore = "every night"]
fn a_page_of_a_million_elements_can_be_left_whatever_became_of_its_snapshot() {
    let site = Site::start(site);
    let stage = Stage::new();
    stage.run(&["goto", &site.url("/one")]);
    let fill = "const all = document.createElement('main'); for (let n = 0; n < 1e6; n += 1) all.append(document.createElement('i')); \
                document.body.append(all); all.childElementCount";
    assert_eq!(stage.run(&["js", fill, "--timeout", "120000"]), "1000000");
    // On a busy machine it takes too long, and is then aborted in the page.
    let read = stage.said(&["snapshot"]);
    for path in ["/two", "/three", "/four"] {
        let gone = stage.said(&["goto", &site.url(path)]);
        assert_eq!(gone.out, format!("Navigated to {} (200)\n", site.url(path)), "{gone:?} after {read:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn megabytes_that_a_page_logs_take_little_memory_of_the_daemon() {
    let stage = Stage::new();
    stage.run(&["goto", "about:blank"]);
    let pid = stage.status()["pid"].as_u64().unwrap();
    let peak = || {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
    };
    let before = peak();
    stage.run(&[
        "js",
        "for (let n = 0; n < 150; n += 1) console.log(n + 'x'.repeat(100_000)); console.log('y'.repeat(15_000_000)); 1",
    ]);
    let console = stage.run(&["console"]);
    assert!(console.contains("yyy"), "{} bytes", console.len());
    let grown = peak() - before;
    assert!(grown < 150, "30 MB of messages took {grown} MB");
}

#[test]
fn a_download_whose_daemon_is_killed_leaves_no_part_of_it() {
    let stage = Stage::new();
    stage.run(&["goto", "about:blank"]);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/big.bin", listener.local_addr().unwrap());
    std::thread::scope(|threads| {
        let download = threads.spawn(|| stage.said(&["download", &url, "big.bin"]));
        let (mut stream, _) = listener.accept().unwrap();
        let asked = stream.read(&mut [0; 4096]).unwrap();
        assert!(asked > 0);
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/octet-stream\r\ncontent-length: 2000000\r\n\r\n";
        stream.write_all(&[head.as_bytes(), &[b'x'; 1_000_000]].concat()).unwrap();
        let pid = stage.status()["pid"].as_i64().unwrap();
        let work = stage.work().canonicalize().unwrap();
        let writes = || {
            let open = std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap().flatten();
            let mut files = open.filter_map(|file| std::fs::read_link(file.path()).ok());
            files.any(|file| file.starts_with(&work))
        };
        while !writes() && !download.is_finished() {
            std::thread::yield_now();
        }
        kill_process(Pid::from_raw(i32::try_from(pid).unwrap()).unwrap(), Signal::KILL).unwrap();
        let said = download.join().unwrap();
        assert!(said.code == UNKNOWN, "{said:?}");
    });
    let left: Vec<_> = std::fs::read_dir(stage.work()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn names_that_are_not_utf_8_are_refused_in_words_and_nothing_else_is_written() {
    let stage = Stage::new();
    let odd = OsStr::from_bytes(b"odd\xff.png");
    let run = |command: &mut std::process::Command| {
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, said) = run(stage.command(&["screenshot"]).arg(odd));
    assert!(code == Some(2) && said.contains("not valid UTF-8") && said.contains("odd"), "{code:?} {said}");
    let folder = stage.work().join(odd);
    std::fs::create_dir(&folder).unwrap();
    let (code, said) = run(stage.command(&["screenshot", "a.png"]).current_dir(&folder));
    assert!(code == Some(2) && said.contains("current folder is not valid UTF-8"), "{code:?} {said}");
    let (code, said) = run(stage.command(&["status"]).env("GSTACK_HOME", &folder));
    assert!(code != Some(0) && said.contains("not valid UTF-8"), "{code:?} {said}");
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 0);
}
