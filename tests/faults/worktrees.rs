//! Conversations in their own git work trees: created, kept, left behind, refused.

use crate::cases::{cases, end_of, finish, last, send};
use crate::extension::Extension;
use crate::world::{World, wait};
use rustix::fs::OFlags;
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

pub const ALL: &[(&str, fn())] = cases![
    a_conversation_works_in_a_work_tree_until_it_is_cleared,
    a_work_tree_that_can_not_be_made_is_told_and_the_message_kept,
    a_daemon_killed_while_git_works_leaves_nothing_half,
    work_trees_of_conversations_that_are_gone_are_found_at_the_start,
];

fn git(at: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.current_dir(at).args(["-c", "user.name=a", "-c", "user.email=a@example"]);
    let output = command.args(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "git {arguments:?}: {said}");
    said
}

fn repository(world: &World) -> PathBuf {
    let path = world.folder.path().canonicalize().unwrap().join("repository");
    fs::create_dir(&path).unwrap();
    git(&path, &["init", "--quiet"]);
    fs::write(path.join("file"), "one").unwrap();
    git(&path, &["add", "."]);
    git(&path, &["commit", "--quiet", "--message=one"]);
    path
}

/// Makes conversations work in work trees of `repository`.
fn begin(tabs: usize) -> (World, Extension, PathBuf) {
    let (world, extension) = crate::cases::begin("", tabs);
    let repository = repository(&world);
    set(&world, "worktrees.repository", repository.to_str().unwrap());
    set(&world, "worktrees.enabled", "true");
    (world, extension, repository)
}

fn set(world: &World, name: &str, value: &str) {
    let (well, said) = world.run(&["settings", "set", name, value]);
    assert!(well, "{said}");
}

fn info(extension: &mut Extension, n: usize) -> Value {
    extension.ask("chat.open", json!({ "chromeTabId": n + 1 })).unwrap().unwrap()
}

fn notices(extension: &Extension, id: &str) -> String {
    let events = extension.panels[id].events.values();
    let texts = events.filter(|event| event["type"] == "notice").map(|event| event["text"].as_str().unwrap());
    texts.collect::<Vec<_>>().join("\n")
}

fn clear(extension: &mut Extension, n: usize) -> String {
    let id = extension.conversations[n].clone();
    extension.ask("chat.clear", json!({ "conversationId": id })).unwrap().unwrap();
    id
}

fn a_conversation_works_in_a_work_tree_until_it_is_cleared() {
    let (world, mut extension, repository) = begin(2);
    fs::write(repository.join("file"), "changed").unwrap();
    for n in [0, 1] {
        send(&mut extension, n, "a", "write");
        assert_eq!(end_of(&mut extension, n)["outcome"], "done");
    }
    let shown = info(&mut extension, 0);
    let folder = PathBuf::from(shown["folder"].as_str().unwrap());
    assert_eq!(shown["worktree"]["of"], repository.to_str().unwrap());
    assert!(folder.starts_with(world.home().join("worktrees")) && folder != Path::new(""), "{shown}");
    assert_eq!(fs::read_to_string(folder.join("file")).unwrap(), "one", "what is uncommitted is not in it");
    assert!(folder.join("of-the-agent").exists() && !repository.join("of-the-agent").exists());
    let said = notices(&extension, &extension.conversations[0]);
    assert!(said.contains("its own git work tree") && said.contains("Uncommitted"), "{said}");
    let (_, listed) = world.run(&["sessions"]);
    assert!(listed.contains("a git work tree of"), "{listed}");
    let id = extension.conversations[0].clone();
    assert!(world.run(&["sessions", "export", &id[..8]]).1.contains("a git work tree of"));
    // The next daemon continues in it.
    world.kill(world.daemon().unwrap());
    extension.connect(&world);
    assert_eq!(info(&mut extension, 0)["folder"], shown["folder"]);
    // A work tree with changes is kept, and its conversation says where; the fresh one is not part of it.
    clear(&mut extension, 0);
    wait("the kept tree to be told", || {
        extension.read(Duration::from_millis(20)).ok();
        notices(&extension, &id).contains("work tree is kept. Changed or new files: 1;")
    });
    let fresh = info(&mut extension, 0);
    assert_eq!((&fresh["folder"], &fresh["worktree"]), (&json!(repository), &Value::Null));
    assert!(folder.join("of-the-agent").exists());
    // An unchanged work tree is removed.
    let other = PathBuf::from(info(&mut extension, 1)["folder"].as_str().unwrap());
    fs::remove_file(other.join("of-the-agent")).unwrap();
    clear(&mut extension, 1);
    wait("the empty tree to go", || git(&repository, &["worktree", "list"]).lines().count() == 2);
    assert!(!other.exists());
    finish(&world, extension);
}

fn a_work_tree_that_can_not_be_made_is_told_and_the_message_kept() {
    let (world, mut extension) = crate::cases::begin("", 1);
    let plain = world.folder.path().canonicalize().unwrap().join("plain");
    fs::create_dir(&plain).unwrap();
    assert!(!world.run(&["settings", "set", "worktrees.repository", "/nowhere"]).0);
    set(&world, "worktrees.repository", plain.to_str().unwrap());
    set(&world, "worktrees.enabled", "true");
    let refused = |extension: &mut Extension, id: &str, words: &str| {
        send(extension, 0, id, "write");
        let end = end_of(extension, 0);
        assert_eq!((&end["outcome"], &end["fault"]["code"]), (&json!("failed"), &json!("conflict")), "{end}");
        assert!(end["fault"]["message"].as_str().unwrap().contains(words), "{end}");
        assert!(end["fault"]["hint"].as_str().unwrap().contains("Your message is kept"), "{end}");
    };
    refused(&mut extension, "a", "is not in a git repository");
    git(&plain, &["init", "--quiet"]);
    refused(&mut extension, "b", "has no commit yet");
    git(&plain, &["commit", "--quiet", "--allow-empty", "--message=one"]);
    send(&mut extension, 0, "c", "write");
    assert_eq!(end_of(&mut extension, 0)["outcome"], "done");
    let id = extension.conversations[0].clone();
    assert_eq!(extension.panels[&id].messages().len(), 3);
    assert!(!plain.join("of-the-agent").exists());
    finish(&world, extension);
}

/// Returns a git that, once it has created a work tree, waits until the test releases it. gstack runs no hook that
/// could.
fn slow_git(world: &World) -> PathBuf {
    let bin = world.folder.path().canonicalize().unwrap().join("bin");
    fs::create_dir(&bin).unwrap();
    let gate = bin.join("gate");
    assert!(Command::new("mkfifo").arg(&gate).status().unwrap().success());
    let path = std::env::var("PATH").unwrap();
    let real = std::env::split_paths(&path).map(|folder| folder.join("git")).find(|git| git.is_file()).unwrap();
    let (git, gate_path) = (bin.join("git"), gate.display());
    let script = format!(
        "#!/bin/sh\n'{}' \"$@\"\nended=$?\ncase \"$*\" in *'worktree add'*) read go <'{gate_path}';; esac\nexit $ended\n",
        real.display()
    );
    fs::write(&git, script).unwrap();
    Command::new("chmod").args(["+x"]).arg(&git).status().unwrap();
    let config = world.home().join("config.toml");
    let settings = fs::read_to_string(&config).unwrap();
    fs::write(&config, format!("{settings}[agents.environment]\nPATH = \"{}:{path}\"\n", bin.display())).unwrap();
    gate
}

fn a_daemon_killed_while_git_works_leaves_nothing_half() {
    let world = World::new("");
    let gate = slow_git(&world);
    let mut extension = crate::cases::begin_on(&world, 1);
    set(&world, "worktrees.repository", repository(&world).to_str().unwrap());
    set(&world, "worktrees.enabled", "true");
    send(&mut extension, 0, "a", "write");
    let trees = world.home().join("worktrees");
    let listed = || fs::read_dir(&trees).map_or(0, Iterator::count);
    let works = || world.processes().iter().any(|(_, line)| line.contains("bin/git ") && line.contains("worktree add"));
    wait("git to work", || listed() == 2 && works());
    // If it is stopped in between, the turn ends at once, but the work tree is still created.
    let id = extension.conversations[0].clone();
    extension.ask("chat.stop", json!({ "conversationId": id })).unwrap().unwrap();
    assert_eq!(end_of(&mut extension, 0)["outcome"], "stopped");
    world.kill(world.daemon().unwrap());
    // In a sandbox git ends with the daemon, so nothing reads the gate. Without a sandbox it continues.
    let mut open = fs::OpenOptions::new();
    open.write(true).custom_flags(OFlags::NONBLOCK.bits().cast_signed());
    wait("git to end", || {
        if let Ok(mut gate) = open.open(&gate) {
            // A reader that is ending may read nothing more.
            gate.write_all(b"go\n").ok();
        }
        !works()
    });
    fs::remove_file(&gate).unwrap();
    extension.connect(&world);
    send(&mut extension, 0, "b", "write");
    assert_eq!(end_of(&mut extension, 0)["outcome"], "done");
    assert_eq!(listed(), 2, "the mark of the making is gone; the tree and the record of its git directory are there");
    assert!(Path::new(info(&mut extension, 0)["folder"].as_str().unwrap()).join("file").exists());
    finish(&world, extension);
}

fn work_trees_of_conversations_that_are_gone_are_found_at_the_start() {
    let (world, mut extension, _) = begin(3);
    let mut trees = Vec::new();
    for n in 0..3 {
        send(&mut extension, n, "a", "write");
        assert_eq!(end_of(&mut extension, n)["outcome"], "done");
        trees.push(PathBuf::from(info(&mut extension, n)["folder"].as_str().unwrap()));
    }
    for empty in [0, 2] {
        fs::remove_file(trees[empty].join("of-the-agent")).unwrap();
    }
    for n in [0, 1] {
        let id = extension.conversations[n].clone();
        extension.ask("conversations.delete", json!({ "conversationId": id })).unwrap().unwrap();
    }
    assert!(trees.iter().all(|tree| tree.exists()), "a deleted conversation can be brought back, with its tree");
    world.kill(world.daemon().unwrap());
    let long_ago = SystemTime::now() - Duration::from_secs(8 * 24 * 60 * 60);
    for entry in fs::read_dir(world.home().join("sessions")).unwrap().flatten() {
        if entry.file_name().to_str().unwrap().starts_with(".deleted-") {
            fs::File::open(entry.path()).unwrap().set_modified(long_ago).unwrap();
        }
    }
    extension.connect(&world);
    wait("the empty tree of a conversation that is gone to go", || !trees[0].exists());
    assert!(trees[1].exists(), "what would be lost is kept");
    assert!(trees[2].exists(), "a living conversation keeps its own");
    let (_, said) = world.run(&["doctor"]);
    let place = trees[1].to_str().unwrap();
    assert!(said.contains(place) && said.contains("1 changed file") && said.contains("worktree remove"), "{said}");
    assert!(!said.contains(trees[2].to_str().unwrap()), "{said}");
    assert_eq!(last(&extension, 2)["type"], "turn-done");
    finish(&world, extension);
}
