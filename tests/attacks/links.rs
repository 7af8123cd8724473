//! Links that an agent may plant in a folder, for the next start to follow: to the person's keys, to the home directory,
//! to gstack's own home. None of them opens anything, in any mechanism of this machine.

use crate::acp_agent::Hostile;
use crate::sandbox::{find, mechanisms, put, sandbox, skipped, variables};
use gstack_agent::adapter::AgentEnvironment;
use gstack_agent::sandbox::{Access, Around, Confinement, Mechanism, command};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

const SECRET: &str = "the-secret-of-the-person";
/// Files that no agent may read or write, below the test's home.
const CLOSED: [&str; 6] =
    [".ssh/id", ".ssh/authorized_keys", ".docker/config.json", "g/keeper.key", "g/config.toml", "letters/private"];
/// Ways from the agent's folder to them.
const WAYS: [&str; 10] = [
    "$HOME/",
    "../.git/",
    "../.git/objects/",
    "../.git/refs/",
    "../.git/logs/",
    "../logs/",
    "../../.git/logs/",
    "./.git/",
    "./",
    "../tool/",
];

/// One link, planted in an earlier session: where it is, to what it leads, and the folder of the next conversation.
struct Planted {
    link: &'static str,
    target: &'static str,
    folder: &'static str,
}

const fn planted(link: &'static str, target: &'static str, folder: &'static str) -> Planted {
    Planted { link, target, folder }
}

const PLANTED: [Planted; 15] = [
    planted("project/.git", ".ssh", "project/sub"),
    planted("project/.git", "", "project/sub"),
    planted("project/.git", "g", "project/sub"),
    planted("project/.git", "project/chain", "project/sub"),
    planted("project/.git", ".ssh", "project"),
    planted("project/.git/logs", ".ssh", "side"),
    planted("project/.git/objects", "g", "side"),
    planted("project/.git/refs", "", "side"),
    planted("project/.git/logs", ".ssh", "project/sub"),
    planted("project/sub/.gstack", "g", "project/sub"),
    planted("project/tool", ".ssh", "project/sub"),
    planted(".agent/logs", ".ssh", "project/sub"),
    planted("project/sub/bin/node", "letters/private", "project/sub"),
    planted("project/sub/team", "letters/private", "project/sub"),
    planted("project/sub/bin", "letters", "project/sub"),
];

/// Reads and writes each closed file by each way, and says what it got.
fn hostile() -> String {
    let files: Vec<String> = WAYS
        .iter()
        .flat_map(|way| {
            let below = |file: &str| file.split_once('/').map_or(file.to_owned(), |(_, name)| name.to_owned());
            CLOSED.iter().flat_map(move |file| [format!("{way}{file}"), format!("{way}{}", below(file))])
        })
        .chain([".ssh", "g"].map(|place| format!("$HOME/.agent/logs/{place}")))
        .chain(["id", "authorized_keys"].map(|name| format!("$HOME/.agent/logs/{name}")))
        .collect();
    format!(
        "for file in {}; do cat \"$file\" 2>/dev/null; echo planted >> \"$file\"; done 2>/dev/null; exit 0",
        files.join(" ")
    )
}

#[tokio::test]
async fn a_link_that_an_agent_planted_opens_nothing_at_the_next_start() {
    let kept = tempfile::tempdir().unwrap();
    let root = kept.path().canonicalize().unwrap();
    for (number, mechanism) in mechanisms(&root).await.into_iter().enumerate() {
        for (case, Planted { link, target, folder }) in PLANTED.iter().enumerate() {
            let what = format!("{mechanism:?}: {link} to ~/{target} for {folder}");
            let home = root.join(format!("{number}-{case}"));
            for path in CLOSED {
                put(&home, path, SECRET);
            }
            for path in ["g/run", "project/sub/bin", "side", ".agent"] {
                fs::create_dir_all(home.join(path)).unwrap();
            }
            // The person's search path and git configuration name what is in the folder, which an agent then filled in.
            let names = if folder.starts_with("project") { "project/sub" } else { "nowhere" };
            put(&home, ".gitconfig", &format!("[include]\n\tpath = ~/{names}/team\n\tpath = ~/{names}/more\n"));
            put(&home, "project/sub/more", "[include]\n\tpath = ~/letters/private\n");
            if *link == "project/sub/bin" {
                fs::remove_dir(home.join(link)).unwrap();
            }
            symlink("../.ssh", home.join("project/chain")).unwrap();
            // A work tree that its repository knows.
            let dir = home.join("project/.git/worktrees/side");
            if link.starts_with("project/.git/") {
                for name in ["objects", "refs", "logs", "worktrees/side"] {
                    fs::create_dir_all(home.join("project/.git").join(name)).unwrap();
                }
                put(&home, "side/.git", &format!("gitdir: {}\n", dir.display()));
                put(&dir, "commondir", "../..\n");
                put(&dir, "gitdir", &format!("{}\n", home.join("side/.git").display()));
                fs::remove_dir(home.join(link)).unwrap();
            }
            symlink(home.join(target), home.join(link)).unwrap();
            // What the engine passes for a work tree of its own.
            let repository = match *folder {
                "side" => Around::of_work_tree(dir.clone(), home.join("project/.git")),
                _ => Around::default(),
            };
            let mut variables = variables(&home);
            let path = variables.get_mut(std::ffi::OsStr::new("PATH")).unwrap();
            path.push(format!(":{}", home.join("project/sub/bin").display()));
            let environment = AgentEnvironment {
                variables,
                confinement: Confinement::In(Arc::new(sandbox(&home, mechanism.clone()))),
                access: Access { repository, write: vec![".agent/logs".into()], ..Access::default() },
                ..AgentEnvironment::default()
            };
            let tool = home.join("project/tool/id");
            let arguments = ["-c".into(), hostile(), "sh".to_owned(), tool.display().to_string()];
            let confined = command(Path::new("/bin/sh"), &arguments, &environment, Some(&home.join(folder))).unwrap();
            let output = Command::new(&confined.program)
                .args(&confined.arguments)
                .env_clear()
                .envs(&confined.environment.variables)
                .current_dir(home.join(folder))
                .output()
                .unwrap();
            assert!(output.status.success(), "{what}: {output:?}");
            assert!(!String::from_utf8_lossy(&output.stdout).contains(SECRET), "{what}: read {output:?}");
            for path in CLOSED {
                assert_eq!(fs::read_to_string(home.join(path)).unwrap(), SECRET, "{what}: wrote {path}");
            }
        }
    }
}

/// Another agent replaces a folder after the plan was made, before the sandbox opens it.
#[tokio::test]
async fn a_folder_that_becomes_a_link_while_the_sandbox_starts_opens_nothing() {
    let kept = tempfile::tempdir().unwrap();
    let root = kept.path().canonicalize().unwrap();
    for (number, mechanism) in mechanisms(&root).await.into_iter().enumerate() {
        for (case, (swapped, target)) in [
            ("project/.git", ".ssh"),
            ("project/.git", "g"),
            ("project/.git/objects", ".ssh"),
            ("project/sub", ".ssh"),
            ("project", "keys"),
            ("project/sub/.gstack", ".ssh"),
        ]
        .into_iter()
        .enumerate()
        {
            let what = format!("{mechanism:?}: {swapped} to ~/{target}");
            let home = root.join(format!("{number}-{case}"));
            for path in CLOSED {
                put(&home, path, SECRET);
            }
            put(&home, "keys/sub/id", SECRET);
            put(&home, "keys/.git/id", SECRET);
            for path in ["g/run", "project/sub/.gstack", "project/.git/objects", "project/.git/refs"] {
                fs::create_dir_all(home.join(path)).unwrap();
            }
            put(&home, "project/.git/HEAD", "ref: refs/heads/main\n");
            let environment = AgentEnvironment {
                variables: variables(&home),
                confinement: Confinement::In(Arc::new(sandbox(&home, mechanism.clone()))),
                ..AgentEnvironment::default()
            };
            let folder = home.join("project/sub");
            let script = format!("echo ran; {}", hostile());
            let confined = command(Path::new("/bin/sh"), &["-c", &script], &environment, Some(&folder)).unwrap();
            fs::rename(home.join(swapped), home.join("away")).unwrap();
            symlink(home.join(target), home.join(swapped)).unwrap();
            let mut started = Command::new(&confined.program);
            started.args(&confined.arguments).env_clear().envs(&confined.environment.variables);
            let output = started.current_dir(&folder).output().unwrap();
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(!said.contains(SECRET), "{what}: read {output:?}");
            // What is within a folder that it may write anyway is a link to nothing there.
            if matches!(mechanism, Mechanism::Namespaces { .. }) && swapped != "project/.git/objects" {
                assert!(!said.contains("ran"), "{what}: {output:?}");
            }
            for path in CLOSED.into_iter().chain(["keys/sub/id", "keys/.git/id"]) {
                assert_eq!(fs::read_to_string(home.join(path)).unwrap(), SECRET, "{what}: wrote {path}");
            }
        }
    }
}

#[tokio::test]
async fn a_link_in_place_of_the_conversation_s_folder_starts_nothing() {
    let kept = tempfile::tempdir().unwrap();
    let root = kept.path().canonicalize().unwrap();
    for mechanism in mechanisms(&root).await {
        for target in [".ssh", "letters", "g"] {
            fs::create_dir_all(root.join(target).join("sub")).unwrap();
            fs::create_dir_all(root.join("g/run")).unwrap();
            fs::create_dir_all(root.join("project")).unwrap();
            let link = root.join("project/part");
            symlink(root.join(target), &link).unwrap();
            let environment = AgentEnvironment {
                variables: variables(&root),
                confinement: Confinement::In(Arc::new(sandbox(&root, mechanism.clone()))),
                ..AgentEnvironment::default()
            };
            for folder in [link.clone(), link.join("sub")] {
                let started = command(Path::new("/bin/true"), &[] as &[&str], &environment, Some(&folder));
                let error = started.err().map(|error| error.to_string()).unwrap_or_default();
                assert!(error.contains("choose the folder again"), "{mechanism:?} {}: {error}", folder.display());
            }
            fs::remove_file(&link).unwrap();
        }
    }
}

/// In the running program: the repository's reflogs are a link to the person's keys when a work tree is opened.
#[test]
fn a_work_tree_does_not_follow_the_links_of_its_repository() {
    if find("bwrap").is_none() {
        return skipped("bubblewrap is not installed");
    }
    let hostile = Hostile::at(None);
    let root = hostile.stage.folder.path().canonicalize().unwrap();
    let (repository, keys) = (root.join("repository"), hostile.stage.person().join(".ssh"));
    fs::create_dir_all(&repository).unwrap();
    fs::create_dir_all(&keys).unwrap();
    fs::write(keys.join("id"), SECRET).unwrap();
    let script = "git init --quiet && echo one > file && git add . && \
                  git -c user.name=a -c user.email=a@example commit --quiet --message=one && rm -rf .git/logs";
    let output = Command::new("/bin/sh").args(["-c", script]).current_dir(&repository).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    symlink(&keys, repository.join(".git/logs")).unwrap();
    for (name, value) in [("worktrees.repository", repository.to_str().unwrap()), ("worktrees.enabled", "true")] {
        hostile.stage.run(&["settings", "set", name, value]);
    }
    let mut turn = hostile.turn("one");
    let tree = PathBuf::from(turn.shell("pwd").text.trim());
    assert!(tree.starts_with(root.join("g/worktrees")), "{}", tree.display());
    let logs = repository.join(".git/logs");
    for path in [logs.join("id"), keys.join("id")] {
        let said = turn.shell(&format!("cat {0}; echo planted >> {0}", path.display()));
        assert!(said.is_error && !said.text.contains(SECRET), "{}: {said:?}", path.display());
    }
    assert!(
        !turn
            .shell("echo two > file && git add file && git -c user.name=a -c user.email=a@example commit -qm two")
            .is_error
    );
    drop(turn);
    assert_eq!(fs::read_to_string(keys.join("id")).unwrap(), SECRET);
    assert_eq!(fs::read_dir(&keys).unwrap().count(), 1);
}
