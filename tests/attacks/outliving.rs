//! No process of a sandboxed agent outlives the daemon, not even a killed daemon; and the daemon reports the sandbox in
//! use.

use crate::acp_agent::Hostile;
use std::fs;

/// Returns the processes with this text in their environment or arguments.
fn running(needle: &str) -> Vec<String> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let words = |path: std::path::PathBuf| {
        ["environ", "cmdline"]
            .iter()
            .map(|file| fs::read(path.join(file)).unwrap_or_default())
            .collect::<Vec<_>>()
            .concat()
    };
    let found = entries.map(|entry| String::from_utf8_lossy(&words(entry.path())).into_owned());
    found.filter(|words| words.contains(needle)).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_daemon_leaves_nothing_of_an_agent_in_the_sandbox() {
    let hostile = Hostile::at(None);
    let mut turn = hostile.turn("Stay");
    let status = hostile.stage.status();
    let sandbox = status["sandbox"].as_str().unwrap();
    assert!(
        sandbox.starts_with("Agents run in a sandbox") || sandbox.starts_with("Agents run without a sandbox:"),
        "{sandbox}"
    );
    let mark = format!("STAYS={}", hostile.stage.folder.path().display());
    let stays = format!("{mark} setsid sh -c 'trap \"\" TERM HUP; while :; do sleep 1000; done' >/dev/null 2>&1 & ");
    assert!(!turn.shell(&stays).is_error);
    while running(&mark).is_empty() {
        std::thread::yield_now();
    }
    let daemon =
        status["pid"].as_i64().and_then(|pid| i32::try_from(pid).ok()).and_then(rustix::process::Pid::from_raw);
    rustix::process::kill_process(daemon.unwrap(), rustix::process::Signal::KILL).unwrap();
    while !running(&mark).is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}
