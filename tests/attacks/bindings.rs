//! A repository that asks for a session or a profile of the person, by `.gstack/session.toml`: it gets nothing until the
//! person has allowed exactly that in a terminal.

use super::stage::{Said, Stage};
use std::fs;
use std::path::{Path, PathBuf};

/// A clone in the folder where commands run, with a file that asks for these names.
fn clone(stage: &Stage, text: &str) -> PathBuf {
    let place = stage.work().join(".gstack");
    fs::create_dir_all(stage.work().join(".git")).unwrap();
    fs::create_dir_all(&place).unwrap();
    fs::write(place.join("session.toml"), text).unwrap();
    place.join("session.toml")
}

fn instances(stage: &Stage) -> Vec<String> {
    let all: serde_json::Value = serde_json::from_str(&stage.run(&["instances", "--json"])).unwrap();
    all.as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect()
}

fn home(stage: &Stage) -> PathBuf {
    stage.folder.path().join("g")
}

fn refused(said: &Said) {
    assert!(said.code == Some(1) && said.err.contains("gstack instances trust"), "{said:?}");
}

#[test]
fn a_cloned_repository_switches_nobody_to_their_logins() {
    let stage = Stage::new();
    let work = home(&stage).join("profiles/work/Default");
    fs::create_dir_all(&work).unwrap();
    clone(&stage, "session = \"shop\"\nprofile = \"work\"\n");
    for args in [&["url"][..], &["connect", "--headless"], &["goto", "http://127.0.0.1:9/"], &["chat", "hi"], &["mcp"]]
    {
        refused(&stage.said(args));
        // Answers on standard input are not a person's.
        refused(&stage.fed(args, b"y\ny\nyes\n"));
        refused(&stage.fed(&["instances", "trust"], b"y\n"));
    }
    assert_eq!(instances(&stage), ["default"], "a session was made");
    assert!(stage.run(&["instances"]).contains("is not used until you run: gstack instances trust"));
    let opened = fs::read_dir(work).unwrap().count();
    assert_eq!(opened, 0, "the profile was opened");
    assert!(!home(&stage).join("browse.json").exists(), "the default instance was started");
}

#[test]
fn an_agents_shell_decides_nothing_even_at_a_terminal() {
    let stage = Stage::new();
    clone(&stage, "profile = \"work\"\n");
    // The shell is the parent of gstack; a mere exec would leave none.
    let shell = |variables: &str, line: &str| {
        let line = format!("{variables} sh -c \"{} {line}; true\"", env!("CARGO_BIN_EXE_gstack"));
        stage.at_terminal(&stage.work(), &line, "y")
    };
    for (line, said) in [
        ("instances trust", "an agent may not decide"),
        ("url", "gstack instances trust"),
        ("instances untrust", "may not"),
    ] {
        let (shown, asked) = shell("GSTACK_AGENT=/home GSTACK_CONVERSATION=c1", line);
        assert!(shown.contains(said) && !asked, "{line}: {shown}");
    }
    let (shown, asked) = shell("GSTACK_TOKEN=t GSTACK_PORT=9", "instances trust");
    assert!(shown.contains("an agent may not decide") && !asked, "{shown}");
    assert!(!home(&stage).join("bindings.json").exists());
}

#[test]
fn the_person_decides_once_for_one_file_and_one_content() {
    let stage = Stage::new();
    let folder = stage.work();
    let file = clone(&stage, "session = \"shop\"\n");
    let at = |line: &str, answer: &str| {
        stage.at_terminal(&folder, &format!("{} {line}", env!("CARGO_BIN_EXE_gstack")), answer)
    };
    let status = || -> serde_json::Value { serde_json::from_str(&stage.run(&["status", "--json"])).unwrap() };

    let (shown, asked) = at("url", "n");
    assert!(asked && shown.contains("the session shop (new)") && shown.contains("Ignored"), "{shown}");
    assert_eq!(stage.run(&["url"]), "about:blank", "the default one is used, without a question");
    let now = status();
    assert_eq!((&now["session"], &now["chosenBy"]), (&"default".into(), &"default".into()));
    assert!(stage.run(&["status"]).contains("is ignored, as you decided"));
    assert_eq!(instances(&stage), ["default"]);

    let (shown, asked) = at("instances trust", "y");
    assert!(asked && shown.contains("chooses the session"), "{shown}");
    let inner = folder.join("src/deep");
    fs::create_dir_all(&inner).unwrap();
    let output = stage.command(&["js", "6 * 7"]).current_dir(&inner).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "42\n", "{output:?}");
    let now = status();
    assert_eq!((&now["session"], &now["chosenBy"]), (&"shop".into(), &file.display().to_string().into()));
    let listed = stage.run(&["instances"]);
    assert!(listed.contains("* shop") && listed.contains("session.toml"), "{listed}");

    // What the person says themselves comes first.
    assert_eq!(stage.status_of("default")["chosenBy"], "option");
    let output = stage.command(&["status", "--json"]).env("GSTACK_SESSION", "default").output().unwrap();
    let now: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&now["session"], &now["chosenBy"]), (&"default".into(), &"environment".into()));

    // A pull brings another content, a link or a path: nothing of it is used.
    let used = || stage.said(&["url"]);
    clone(&stage, "session = \"shop\"\nprofile = \"work\"\n");
    refused(&used());
    for text in ["session = \"../..\"\n", "home = \"/tmp\"\n", "[session\n", &"#".repeat(5000)] {
        clone(&stage, text);
        let said = used();
        assert!(said.code == Some(2) && said.err.contains("session.toml can't be used"), "{said:?}");
    }
    let elsewhere = folder.join("elsewhere.toml");
    fs::write(&elsewhere, "session = \"shop\"\n").unwrap();
    fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &file).unwrap();
    let said = used();
    assert!(said.code == Some(2) && said.err.contains("symlinks are not followed"), "{said:?}");
    fs::remove_file(&file).unwrap();
    clone(&stage, "session = \"shop\"\n");
    assert_eq!(used().code, Some(0), "the content that was allowed");
    // The same clone elsewhere is another one.
    let copy = stage.folder.path().join("copy");
    copy_folder(&folder.join(".gstack"), &copy.join(".gstack"));
    let output = stage.command(&["url"]).current_dir(&copy).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("gstack instances trust"), "{output:?}");

    assert!(stage.run(&["instances", "untrust"]).contains("Forgot your answer"));
    refused(&used());
    assert_eq!(stage.run(&["--session", "default", "url"]), "about:blank");
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}
