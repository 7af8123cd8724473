//! Repositories and worktrees that try to run a program through gstack's own git calls. Each names a command that
//! creates a file; none of these files may exist afterwards.

use super::tests::Stage;
use super::tree;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The hooks that `worktree add`, `status` and `worktree remove` may run.
const HOOKS: [&str; 6] =
    ["post-checkout", "post-index-change", "reference-transaction", "pre-commit", "fsmonitor-watchman", "post-merge"];

struct Traps {
    folder: PathBuf,
}

impl Traps {
    fn new(stage: &Stage) -> Self {
        let folder = stage.path("sprung");
        fs::create_dir(&folder).unwrap();
        Self { folder }
    }

    /// Returns a shell command that leaves evidence that it ran.
    fn command(&self, name: &str) -> String {
        format!("touch '{}'", self.folder.join(name).display())
    }

    fn script(&self, at: &Path, name: &str) {
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        fs::write(at, format!("#!/bin/sh\n{}\n", self.command(name))).unwrap();
        fs::set_permissions(at, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn sprung(&self) -> Vec<String> {
        let found = fs::read_dir(&self.folder).unwrap().flatten();
        found.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }
}

/// Sets every trap that a git directory's configuration, hooks and attributes can hold.
fn set(stage: &Stage, traps: &Traps, top: &Path, dir: &Path, who: &str) {
    let script = stage.path(&format!("program-{who}"));
    traps.script(&script, who);
    let program = script.to_str().unwrap();
    for hook in HOOKS {
        traps.script(&dir.join("hooks").join(hook), &format!("{who}-hook-{hook}"));
    }
    let command = |name: &str| traps.command(&format!("{who}-{name}"));
    let driver = |kind: &str, key: &str| format!("{kind}.a=b.{key}");
    let settings: Vec<(String, String)> = [
        ("core.fsmonitor", program.to_owned()),
        ("core.hooksPath", dir.join("hooks").to_str().unwrap().to_owned()),
        ("core.pager", command("pager")),
        ("core.editor", command("editor")),
        ("core.sshCommand", command("ssh")),
        ("core.askPass", program.to_owned()),
        ("core.gitProxy", program.to_owned()),
        ("core.alternateRefsCommand", command("alternates")),
        ("credential.helper", format!("!{}", command("credential"))),
        ("diff.external", program.to_owned()),
        ("gpg.program", program.to_owned()),
        ("alias.status", format!("!{}", command("alias-status"))),
        ("alias.worktree", format!("!{}", command("alias-worktree"))),
        ("uploadpack.packObjectsHook", program.to_owned()),
        ("remote.origin.url", format!("ext::sh -c {}", program)),
        ("remote.origin.promisor", "true".to_owned()),
        ("remote.origin.uploadpack", program.to_owned()),
        ("extensions.partialClone", "origin".to_owned()),
        ("pager.status", "true".to_owned()),
        ("status.showUntrackedFiles", "no".to_owned()),
        ("submodule.recurse", "true".to_owned()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into_iter()
    .chain([
        (driver("filter", "clean"), format!("{}; cat", command("clean"))),
        (driver("filter", "smudge"), format!("{}; cat", command("smudge"))),
        (driver("filter", "process"), command("process")),
        (driver("filter", "required"), "true".to_owned()),
        (driver("diff", "command"), command("diff")),
        (driver("diff", "textconv"), command("textconv")),
        (driver("merge", "driver"), command("merge")),
    ])
    .collect();
    // In a separate file that the configuration includes.
    let included = stage.path(&format!("included-{who}"));
    for (name, value) in &settings {
        stage.run(top, &["config", "--file", included.to_str().unwrap(), name, value]);
    }
    stage.run(
        top,
        &["config", "--file", dir.join("config").to_str().unwrap(), "include.path", included.to_str().unwrap()],
    );
    fs::create_dir_all(dir.join("info")).unwrap();
    fs::write(dir.join("info/attributes"), "* filter=a=b diff=a=b merge=a=b\n").unwrap();
}

#[tokio::test]
async fn a_hostile_repository_runs_nothing_when_a_tree_is_made_looked_at_and_removed() {
    let stage = Stage::new().await;
    let traps = Traps::new(&stage);
    let repository = stage.path("repository");
    fs::write(repository.join(".gitattributes"), "* filter=a=b diff=a=b merge=a=b\n").unwrap();
    stage.run(&repository, &["add", "."]);
    stage.run(&repository, &["commit", "--quiet", "--message=attributes"]);
    set(&stage, &traps, &repository, &repository.join(".git"), "repository");
    let made = stage.make("repository").await.unwrap();
    assert_eq!(fs::read_to_string(stage.root().join("part/file")).unwrap(), "one\n");
    // A file that git must read again, and one that the configuration hides.
    fs::write(stage.root().join("part/file"), "two\n").unwrap();
    fs::write(stage.root().join("new"), "").unwrap();
    assert_eq!(stage.loss(&made).await.changes, 2);
    tree::remove(&stage.git, &stage.root()).await.unwrap();
    assert_eq!(traps.sprung(), Vec::<String>::new());
}

#[tokio::test]
async fn the_traps_would_spring_in_a_plain_git() {
    let stage = Stage::new().await;
    let traps = Traps::new(&stage);
    let repository = stage.path("repository");
    set(&stage, &traps, &repository, &repository.join(".git"), "repository");
    fs::write(repository.join("part/file"), "two\n").unwrap();
    // Its exit status does not matter when a filter fails.
    let mut plain = std::process::Command::new("git");
    plain.args(["status"]).current_dir(&repository).output().unwrap();
    assert!(!traps.sprung().is_empty());
}

#[tokio::test]
async fn what_an_agent_plants_as_the_git_of_its_tree_is_not_read() {
    let stage = Stage::new().await;
    let traps = Traps::new(&stage);
    let made = stage.make("repository").await.unwrap();
    // The agent creates its own repository next to the tree and points the tree's link to it.
    let planted = stage.repository("planted");
    set(&stage, &traps, &planted, &planted.join(".git"), "planted");
    let link = format!("gitdir: {}\n", planted.join(".git").display());
    fs::write(stage.root().join(".git"), &link).unwrap();
    fs::write(stage.root().join("new"), "").unwrap();
    assert_eq!(stage.loss(&made).await.changes, 1);
    // A complete git directory in place of the link.
    fs::remove_file(stage.root().join(".git")).unwrap();
    stage.run(&stage.root(), &["init", "--quiet"]);
    set(&stage, &traps, &stage.root(), &stage.root().join(".git"), "inside");
    assert_eq!(stage.loss(&made).await.changes, 1);
    fs::remove_file(stage.root().join("new")).unwrap();
    assert!(stage.loss(&made).await.is_nothing());
    assert_eq!(traps.sprung(), Vec::<String>::new());
}

#[tokio::test]
async fn a_planted_submodule_and_a_planted_bare_repository_run_nothing_and_keep_the_tree() {
    let stage = Stage::new().await;
    let traps = Traps::new(&stage);
    let repository = stage.path("repository");
    stage.repository("inner");
    stage.run(&repository, &["submodule", "--quiet", "add", "../inner", "inner"]);
    stage.run(&repository, &["commit", "--quiet", "--message=inner"]);
    let made = stage.make("repository").await.unwrap();
    // The agent creates its own repository in the empty folder.
    let inner = stage.root().join("inner");
    stage.run(&inner, &["init", "--quiet"]);
    set(&stage, &traps, &inner, &inner.join(".git"), "submodule");
    // It also puts the parts of a bare repository into a folder.
    let bare = stage.root().join("part");
    for name in ["objects", "refs"] {
        fs::create_dir(bare.join(name)).unwrap();
    }
    fs::write(bare.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(bare.join("config"), "[core]\nrepositoryformatversion = 0\nbare = true\n").unwrap();
    set(&stage, &traps, &repository, &bare, "bare");
    let loss = stage.loss(&made).await;
    assert!(loss.changes >= 2, "{loss:?}");
    // The conversation works in this folder of the tree; nothing searches for a repository from there.
    assert!(tree::stand(&stage.root()).await == tree::Stand::Whole);
    assert_eq!(traps.sprung(), Vec::<String>::new());
}
