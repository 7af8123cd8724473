//! The output of commands, form by form, on one browser: the forms that scripts and agents rely on.

use crate::stage::{Site, Stage, page};
use std::process::Command;

fn site(path: &str, _: u16) -> String {
    match path {
        "/one" => page("<title>One</title><h1 id=h>First</h1><a href=/two>Go</a><button id=off disabled>Off</button>"),
        "/frames" => page("<title>Frames</title><iframe src=/inner></iframe>"),
        "/inner" => page("<title>Inner</title><button>In</button>"),
        _ => page("<title>Two</title><h1>Second</h1>"),
    }
}

#[test]
fn outputs_have_their_forms() {
    let site = Site::start(site);
    let stage = Stage::new();
    let (one, two) = (site.url("/one"), site.url("/two"));
    let expect = |args: &[&str], wanted: &str| assert_eq!(stage.run(args), wanted, "{args:?}");
    let goes = format!("Navigated to {one} (200)");
    expect(&["goto", &one], &goes);
    expect(&["goto", &two], &format!("Navigated to {two} (200)"));
    expect(&["back"], &format!("Back → {one}"));
    expect(&["forward"], &format!("Forward → {two}"));
    expect(&["reload"], &format!("Reloaded {two}"));
    expect(&["back"], &format!("Back → {one}"));
    expect(&["url"], &one);
    expect(&["click", "#h"], "Clicked #h");
    expect(&["press", "Shift+Tab"], "Pressed Shift+Tab");
    expect(&["scroll"], "Scrolled to bottom");
    expect(&["wait", "#h"], "Element #h appeared");
    expect(&["wait", "--networkidle"], "Network idle");
    expect(&["console"], "(no console messages)");
    expect(&["console", "--clear"], "Console buffer cleared.");
    expect(&["dialog"], "(no dialogs captured)");
    expect(&["network", "--clear"], "Network buffer cleared.");
    expect(&["network"], "(no network requests)");
    expect(&["viewport", "900x700"], "Viewport set to 900x700");
    expect(&["header", "Authorization: x"], "Header set: Authorization: ****");
    expect(&["cookie", "a=b"], "Cookie set: a=****");
    expect(&["dialog-accept", "yes"], "Dialogs will be accepted with text: \"yes\"");
    expect(&["style", "#h", "color", "red"], "Style modified: #h { color: rgb(0, 0, 0) → red } (inline)");
    expect(&["style", "--undo"], "Reverted last modification");
    expect(&["cleanup"], "No clutter elements found to remove.");
    expect(&["newtab", &two], &format!("Opened tab 2 → {two}"));
    expect(&["tabs"], &format!("  [1] One — {one} (in view)\n→ [2] Two — {two}"));
    expect(&["tab", "1"], "Switched to tab 1");
    expect(&["closetab", "2"], "Closed tab 2");
    let watching = stage.run(&["watch"]);
    assert!(watching.starts_with("WATCHING tab 1"), "{watching}");
    let stopped = stage.run(&["watch", "stop"]);
    let (head, rest) = stopped.split_once('\n').unwrap();
    assert!(head.starts_with("WATCH STOPPED (") && rest.starts_with("[UNTRUSTED TEXT]"), "our words are outside");
    stage.run(&["goto", &site.url("/frames")]);
    expect(&["frame", "iframe"], &format!("Switched to frame: {}", site.url("/inner")));
    assert!(stage.fails(&["goto", &one]).contains("frame main"));
    expect(&["frame", "main"], "Switched to main frame");
    let saved = stage.work().join("x.txt");
    expect(&["download", &two, "x.txt"], &format!("Downloaded: {} (33B)", saved.display()));
}

#[test]
fn options_stand_anywhere_and_after_two_dashes_all_is_text() {
    let site = Site::start(site);
    let stage = Stage::new();
    // An alias of goto.
    assert_eq!(stage.run(&["open", &site.url("/one")]), format!("Navigated to {} (200)", site.url("/one")));
    stage.run(&["js", "document.body.innerHTML = '<input id=n>'; 1"]);
    for (given, text) in [
        (&["fill", "#n", "hello", "--timeout", "1000"][..], "hello"),
        (&["fill", "--timeout=1000", "#n", "hello", "you"], "hello you"),
        (&["fill", "#n", "--timeout", "1000", "again"], "again"),
        (&["fill", "#n", "--", "--timeout", "5"], "--timeout 5"),
        (&["fill", "#n", "--", "--json", "--tab"], "--json --tab"),
        (&["fill", "--json", "#n", "--", "-- x"], "-- x"),
        (&["fill", "#n", "-5", "--", "--other"], "-5 --other"),
    ] {
        stage.run(given);
        assert_eq!(stage.run(&["js", "n.value"]), text, "{given:?}");
    }
    assert_eq!(stage.run(&["js", "1", "+", "1", "--timeout", "5000"]), "2");
    assert!(stage.fails(&["fill", "#n", "x", "--timeout"]).contains("--timeout needs MS"));
    // A slip is not typed into the page.
    assert!(stage.fails(&["fill", "#n", "x", "--timout", "5"]).contains("Unknown fill flag: --timout"));
    let help = stage.run(&["help", "open"]);
    assert!(help.contains("gstack goto <url>"), "{help}");
}

#[test]
fn failures_say_what_is_wrong_and_what_to_do_next() {
    let site = Site::start(site);
    let stage = Stage::new();
    stage.run(&["goto", &site.url("/one")]);
    for (args, code, words) in [
        (&["clik", "#h"][..], 2, "Unknown command: clik\n  Did you mean: click?"),
        (&["click"], 2, "click needs <sel>"),
        (&["snapshot", "-x"], 2, "Unknown snapshot flag: -x"),
        (&["wait", "500"], 2, "wait does not wait for a fixed time"),
        (&["wait", "#h", "--load"], 2, "name one thing to wait for"),
        (&["screenshot", "full.gif"], 2, "A picture is .png, .jpg or .webp, not .gif"),
        (&["frame", "--url", "("], 2, "--url takes a JavaScript regular expression"),
        (&["is", "pretty", "#h"], 2, "Unknown property: pretty"),
        (&["click", "@e99"], 1, "Ref @e99 not found. Run 'snapshot' to get fresh refs."),
        (&["click", "#off", "--timeout", "100"], 1, "was not ready for a click within 0.1 s: it is disabled"),
        // The third failure in a row.
        (&["click", "#no", "--timeout", "50"], 1, "gstack handoff"),
        (
            &["screenshot", "/etc/x.png"],
            1,
            "Path traversal: /etc/x.png is outside the allowed folders. Path must be within:",
        ),
        (&["goto", "http://0xa9fea9fe/"], 1, "cloud metadata address"),
        (&["tab", "99"], 1, "there is no tab 99"),
        (&["state", "load", "none"], 1, "State not found: none"),
        (&["cdp", "Page.navigate"], 1, "Page.navigate is not allowed"),
    ] {
        let said = stage.said(args);
        assert_eq!(said.code, Some(code), "{args:?}: {said:?}");
        assert!(said.out.is_empty() && said.err.contains(words), "{args:?}: {said:?}");
        assert!(said.err.lines().count() > 1 || said.err.contains("Run 'snapshot'"), "no next step: {said:?}");
    }
}

#[test]
fn json_is_the_same_as_over_http() {
    let stage = Stage::new();
    let value: serde_json::Value = serde_json::from_str(&stage.run(&["--json", "js", "1+1"])).unwrap();
    assert_eq!((&value["ok"], &value["output"]), (&true.into(), &"2".into()));
    let said = stage.said(&["--json", "tab", "99"]);
    let value: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!((&value["ok"], &value["error"]), (&false.into(), &"there is no tab 99".into()));
    assert!(value["hint"].is_string() && value["fault"]["code"] == "not-found", "{value}");
}

/// A command of gstack under limits of the shell.
#[cfg(target_os = "linux")]
fn limited(stage: &Stage, limits: &str, words: &[&str]) -> Command {
    let plain = stage.command(words);
    let mut limited = Command::new("sh");
    limited
        .args(["-c", &format!("{limits} && exec \"$@\""), "sh"])
        .arg(plain.get_program())
        .args(plain.get_args())
        .current_dir(stage.work())
        .env_clear()
        .envs(plain.get_envs().filter_map(|(name, value)| value.map(|value| (name, value))));
    limited
}

#[test]
#[cfg(target_os = "linux")]
fn a_daemon_that_may_open_too_few_files_names_the_limit_and_does_not_start() {
    let stage = Stage::new();
    let said = limited(&stage, "ulimit -n 20", &["policy"]).output().unwrap();
    let words = String::from_utf8(said.stderr).unwrap();
    assert!(words.contains("may open only 20 files") && words.contains("ulimit -n"), "{words}");
    assert_eq!(said.status.code(), Some(1));
    // Nothing runs that could not even be stopped.
    assert_eq!(stage.run(&["stop"]).trim(), "gstack was not running.");
}

#[test]
#[cfg(target_os = "linux")]
fn a_daemon_raises_the_soft_limit_of_its_open_files_as_far_as_it_may() {
    let stage = Stage::new();
    assert!(limited(&stage, "ulimit -Sn 200 && ulimit -Hn 4000", &["policy"]).status().unwrap().success());
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", stage.status()["pid"])).unwrap();
    let files = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
    assert_eq!(files.split_whitespace().nth(3), Some("4000"), "{files}");
}
