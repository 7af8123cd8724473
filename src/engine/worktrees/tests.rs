//! Worktrees with the real git: what is created, what is kept, what is refused.

use super::git::{Git, GitError};
use super::plan::{Plan, plan};
use super::tree::{self, Loss, Made, Stand, TreeError};
use crate::config::WorktreesConfig;
use gstack_agent::adapter::AgentEnvironment;
use gstack_chat::WorkFolder;
use gstack_chat::session_file::FolderUse;
use gstack_protocol::chat::Worktree;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(super) struct Stage {
    pub(super) folder: tempfile::TempDir,
    pub(super) git: Git,
}

impl Stage {
    pub(super) async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let git = Git::find(environment(folder.path())).await.unwrap();
        let stage = Self { folder, git };
        stage.repository("repository");
        stage
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    /// Creates a repository with one commit of a file in a folder.
    pub(super) fn repository(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.join("part")).unwrap();
        fs::write(path.join("part/file"), "one\n").unwrap();
        self.run(&path, &["init", "--quiet", "--initial-branch=main"]);
        self.run(&path, &["add", "."]);
        self.run(&path, &["commit", "--quiet", "--message=one"]);
        path
    }

    pub(super) fn run(&self, at: &Path, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        command.env_clear().envs(environment(self.folder.path()).variables).current_dir(at);
        for setting in ["user.name=a", "user.email=a@example", "protocol.file.allow=always"] {
            command.args(["-c", setting]);
        }
        let output = command.args(arguments).output().unwrap();
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(output.status.success(), "git {arguments:?}: {said}");
        said
    }

    pub(super) fn root(&self) -> PathBuf {
        self.path("home/worktrees/c-1")
    }

    pub(super) async fn make(&self, of: &str) -> Result<Made, TreeError> {
        tree::make(&self.git, &self.path(of), &self.root(), &self.path("home")).await
    }

    pub(super) async fn loss(&self, made: &Made) -> Loss {
        tree::loss(&self.git, &self.root(), Some(&made.commit)).await.unwrap()
    }
}

fn environment(home: &Path) -> AgentEnvironment {
    let mut environment = AgentEnvironment::default();
    environment.variables.insert("PATH".into(), std::env::var_os("PATH").unwrap());
    environment.variables.insert("HOME".into(), home.into());
    environment
}

#[tokio::test]
async fn a_tree_is_the_commit_that_is_checked_out_and_not_what_is_uncommitted() {
    let stage = Stage::new().await;
    let repository = stage.path("repository");
    fs::write(repository.join("part/file"), "changed\n").unwrap();
    fs::write(repository.join("new"), "new\n").unwrap();
    let made = stage.make("repository/part").await.unwrap();
    assert_eq!(made.folder, stage.root().join("part"), "the folder in the tree that stands for the one it is of");
    assert_eq!(fs::read_to_string(made.folder.join("file")).unwrap(), "one\n");
    assert!(!stage.root().join("new").exists());
    assert_eq!((made.uncommitted, made.has_submodules), (2, false));
    assert_eq!(made.commit, stage.run(&repository, &["rev-parse", "HEAD"]).trim());
    assert_eq!(stage.run(&stage.root(), &["rev-parse", "--abbrev-ref", "HEAD"]).trim(), "HEAD", "it is on no branch");
    // Creating it again continues with the existing tree.
    fs::write(made.folder.join("mine"), "").unwrap();
    let again = stage.make("repository/part").await.unwrap();
    assert_eq!((again.folder, again.commit), (made.folder.clone(), made.commit));
    assert!(made.folder.join("mine").exists());
}

#[tokio::test]
async fn only_a_tree_without_work_of_its_own_is_lost_for_nothing() {
    let stage = Stage::new().await;
    let made = stage.make("repository").await.unwrap();
    assert!(stage.loss(&made).await.is_nothing());
    fs::write(stage.root().join("new"), "").unwrap();
    assert_eq!(stage.loss(&made).await, Loss { changes: 1, commits: 0 });
    stage.run(&stage.root(), &["add", "."]);
    assert_eq!(stage.loss(&made).await.words(), "1 changed file");
    stage.run(&stage.root(), &["commit", "--quiet", "--message=two"]);
    assert_eq!(stage.loss(&made).await, Loss { changes: 0, commits: 1 });
    // The repository itself may move forward or back: its earlier commits are not the tree's own.
    stage.run(&stage.path("repository"), &["commit", "--quiet", "--amend", "--message=other"]);
    assert_eq!(stage.loss(&made).await, Loss { changes: 0, commits: 1 });
    // A commit on a branch outlives the tree.
    stage.run(&stage.root(), &["branch", "kept"]);
    assert!(stage.loss(&made).await.is_nothing());
    tree::remove(&stage.git, &stage.root()).await.unwrap();
    assert_eq!(tree::stand(&stage.root()).await, Stand::Missing);
    let listed = stage.run(&stage.path("repository"), &["worktree", "list"]);
    assert_eq!(listed.lines().count(), 1, "git knows it no more: {listed}");
    assert!(stage.run(&stage.path("repository"), &["log", "kept"]).contains("two"));
}

#[tokio::test]
async fn bare_repositories_trees_of_trees_and_submodules_are_taken() {
    let stage = Stage::new().await;
    let repository = stage.path("repository");
    stage.run(&repository, &["clone", "--quiet", "--bare", ".", "../bare.git"]);
    let made = stage.make("bare.git").await.unwrap();
    assert!(made.folder == stage.root() && stage.root().join("part/file").exists());
    tree::remove(&stage.git, &stage.root()).await.unwrap();
    // A tree of a tree starts at that tree's commit, in the same repository.
    stage.run(&repository, &["worktree", "add", "--quiet", "../other"]);
    fs::write(stage.path("other/part/file"), "two\n").unwrap();
    stage.run(&stage.path("other"), &["commit", "--quiet", "--all", "--message=two"]);
    stage.make("other").await.unwrap();
    assert_eq!(fs::read_to_string(stage.root().join("part/file")).unwrap(), "two\n");
    tree::remove(&stage.git, &stage.root()).await.unwrap();
    // Submodules stay empty; a tree that has them is removed like any other.
    stage.repository("inner");
    stage.run(&repository, &["submodule", "--quiet", "add", "../inner", "inner"]);
    stage.run(&repository, &["commit", "--quiet", "--message=inner"]);
    let made = stage.make("repository").await.unwrap();
    assert!(made.has_submodules && !stage.root().join("inner/part").exists());
    assert!(stage.loss(&made).await.is_nothing());
    tree::remove(&stage.git, &stage.root()).await.unwrap();
    // In a submodule, the tree is one of the submodule.
    let made = stage.make("repository/inner/part").await.unwrap();
    assert!(made.folder == stage.root().join("part") && !stage.root().join("inner").exists());
}

#[tokio::test]
async fn what_is_no_repository_is_told_apart() {
    let stage = Stage::new().await;
    fs::create_dir(stage.path("plain")).unwrap();
    assert!(matches!(stage.make("plain").await, Err(TreeError::NoRepository { .. })));
    stage.run(&stage.path("plain"), &["init", "--quiet"]);
    assert!(matches!(stage.make("plain").await, Err(TreeError::NoCommit { .. })));
    // A person who keeps their whole home in a repository.
    stage.run(&stage.path(""), &["init", "--quiet"]);
    stage.run(&stage.path(""), &["commit", "--quiet", "--allow-empty", "--message=all"]);
    assert!(matches!(stage.make("").await, Err(TreeError::HoldsHome { .. })));
    assert_eq!(tree::stand(&stage.root()).await, Stand::Missing, "nothing is left of a failure");
    let no_git = [(OsStr::new("PATH").to_owned(), OsStr::new("/nowhere").to_owned())].into();
    let found = Git::find(AgentEnvironment { variables: no_git, ..AgentEnvironment::default() }).await;
    // If git is in one of the usual places, it is found without a PATH.
    assert!(matches!(found, Err(GitError::Missing)) || Path::new("/usr/local/bin/git").exists());
}

#[tokio::test]
async fn a_tree_whose_making_was_cut_off_is_made_anew_and_one_that_git_forgot_is_not_touched() {
    let stage = Stage::new().await;
    stage.make("repository").await.unwrap();
    // The state after a daemon was killed while git was writing.
    fs::write(stage.root().with_extension("making"), "").unwrap();
    fs::remove_file(stage.root().join("part/file")).unwrap();
    assert_eq!(tree::stand(&stage.root()).await, Stand::Half);
    stage.make("repository").await.unwrap();
    assert!(stage.root().join("part/file").exists() && tree::stand(&stage.root()).await == Stand::Whole);
    // Removed by hand: git still knows the tree and creates it again.
    fs::remove_dir_all(stage.root()).unwrap();
    stage.make("repository").await.unwrap();
    assert_eq!(tree::stand(&stage.root()).await, Stand::Whole);
    // Its files were moved away, git pruned the tree, and the files came back.
    fs::rename(stage.root(), stage.path("away")).unwrap();
    stage.run(&stage.path("repository"), &["worktree", "prune"]);
    fs::rename(stage.path("away"), stage.root()).unwrap();
    fs::write(stage.root().join("mine"), "").unwrap();
    assert_eq!(tree::stand(&stage.root()).await, Stand::Forgotten);
    assert!(matches!(stage.make("repository").await, Err(TreeError::Forgotten { .. })));
    assert!(stage.root().join("mine").exists());
}

#[test]
fn a_tree_is_made_for_a_folder_that_nobody_worked_in_or_chose() {
    let worktree = Some(Worktree { of: "/r".into(), commit: "c".into() });
    let place =
        |worktree: &Option<Worktree>, used| WorkFolder { folder: "/f".into(), worktree: worktree.clone(), used };
    let on = WorktreesConfig { enabled: true, repository: None };
    let named = WorktreesConfig { enabled: true, repository: Some("/r".into()) };
    let off = WorktreesConfig { enabled: false, ..named.clone() };
    let make = |of: &str| Plan::Make { of: of.into() };
    for (config, place, is_there, expected) in [
        (&off, place(&None, FolderUse::Open), false, Plan::Stay),
        (&on, place(&None, FolderUse::Open), false, make("/f")),
        (&named, place(&None, FolderUse::Open), false, make("/r")),
        (&on, place(&None, FolderUse::Worked), false, Plan::Stay),
        (&on, place(&None, FolderUse::Chosen), false, Plan::Stay),
        (&on, place(&worktree, FolderUse::Worked), true, Plan::Stay),
        (&off, place(&worktree, FolderUse::Worked), true, Plan::Stay),
        (&on, place(&worktree, FolderUse::Worked), false, make("/r")),
        (&off, place(&worktree, FolderUse::Worked), false, Plan::Leave),
    ] {
        assert_eq!(plan(config, &place, is_there), expected, "{config:?} {place:?} {is_there}");
    }
}
