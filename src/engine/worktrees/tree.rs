//! One git work tree on disk: made, looked at, removed.
//!
//! Owns what git is asked for. Nothing that a person or an agent wrote is ever removed: what a removal would lose is
//! looked for first, and a doubt keeps the tree. Never knows of conversations.

use super::git::{Git, GitError};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use tokio::fs;

/// Beside a tree while git makes it: one that has this is half made, and nobody worked there.
const HALF: &str = "making";

#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    #[error("{0}")]
    Git(#[from] GitError),
    #[error("{folder} is not in a git repository")]
    NoRepository { folder: PathBuf, source: GitError },
    #[error("the repository in {folder} has no commit yet")]
    NoCommit { folder: PathBuf },
    #[error("gstack's own folder lies in the repository {repository}")]
    HoldsHome { repository: PathBuf },
    /// `source` is what git or the system said; the disk has no room now.
    #[error("the disk is full: {source}")]
    DiskFull { source: Box<TreeError> },
    #[error("{path} can't be used: {source}")]
    Disk { path: PathBuf, source: io::Error },
    #[error("the repository of {folder} does not know the work tree {tree} any more")]
    Forgotten { folder: PathBuf, tree: PathBuf },
}

/// A tree that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// The folder in it that stands for the one it was made from.
    pub folder: PathBuf,
    pub commit: String,
    /// Files of the original that are changed or new there, and so not as they are in the tree.
    pub uncommitted: usize,
    pub has_submodules: bool,
}

/// What removing a tree would lose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Loss {
    pub changes: usize,
    pub commits: usize,
}

impl Loss {
    pub fn is_nothing(self) -> bool {
        self == Self::default()
    }

    /// In words: `3 changed files and 1 commit`.
    pub fn words(self) -> String {
        let some = |count: usize, what: &str| match count {
            0 => None,
            1 => Some(format!("1 {what}")),
            _ => Some(format!("{count} {what}s")),
        };
        let parts: Vec<String> =
            [some(self.changes, "changed file"), some(self.commits, "commit")].into_iter().flatten().collect();
        parts.join(" and ")
    }
}

/// How a tree stands on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stand {
    Missing,
    /// Its making was cut off.
    Half,
    Whole,
    /// Its files are there, and its repository is gone or has forgotten it.
    Forgotten,
}

pub async fn stand(root: &Path) -> Stand {
    if is_there(&half(root)).await {
        return Stand::Half;
    }
    if !is_there(root).await {
        return Stand::Missing;
    }
    // Git's own link: `gitdir: PATH`.
    let link = fs::read_to_string(root.join(".git")).await.unwrap_or_default();
    match link.strip_prefix("gitdir:") {
        Some(path) if is_there(&root.join(path.trim()).join("HEAD")).await => Stand::Whole,
        _ => Stand::Forgotten,
    }
}

async fn is_there(path: &Path) -> bool {
    fs::try_exists(path).await.unwrap_or(false)
}

/// Makes a tree at `root` of what is checked out where `of` lies. One that is there already is gone on with.
pub async fn make(git: &Git, of: &Path, root: &Path, home: &Path) -> Result<Made, TreeError> {
    let found = git.run(of, &["rev-parse", "--is-bare-repository", "--show-prefix"]).await;
    let found = found.map_err(|source| no_repository(of, source))?;
    let mut lines = found.lines();
    let is_bare = lines.next() == Some("true");
    let prefix = lines.next().unwrap_or_default().to_owned();
    if !is_bare && let Ok(top) = git.run(of, &["rev-parse", "--show-toplevel"]).await {
        let repository = PathBuf::from(top.trim_end_matches('\n'));
        if home.starts_with(&repository) {
            return Err(TreeError::HoldsHome { repository });
        }
    }
    let head = git.run(of, &["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]).await;
    let head = head.map_err(|_| TreeError::NoCommit { folder: of.to_owned() })?.trim().to_owned();
    let commit = match stand(root).await {
        Stand::Whole => git.run(root, &["rev-parse", "HEAD"]).await?.trim().to_owned(),
        Stand::Forgotten => return Err(TreeError::Forgotten { folder: of.to_owned(), tree: root.to_owned() }),
        stand => {
            if stand == Stand::Half {
                remove_half(git, of, root).await?;
            }
            add(git, of, root, &head).await?;
            head
        }
    };
    let uncommitted = if is_bare { 0 } else { changes(git, of).await.unwrap_or(0) };
    let within = root.join(&prefix);
    // What is only in the original, uncommitted, is no folder of the tree.
    let folder = if !prefix.is_empty() && is_there(&within).await { within } else { root.to_owned() };
    Ok(Made { folder, commit, uncommitted, has_submodules: is_there(&root.join(".gitmodules")).await })
}

async fn add(git: &Git, of: &Path, root: &Path, commit: &str) -> Result<(), TreeError> {
    let mark = half(root);
    let disk = |source| with_room(root, TreeError::Disk { path: root.to_owned(), source });
    if let Some(above) = root.parent() {
        fs::create_dir_all(above).await.map_err(disk)?;
    }
    fs::write(&mark, []).await.map_err(disk)?;
    // By force: git may still know an earlier one that was here and is gone.
    let arguments = ["worktree", "add", "--detach", "--force", "--quiet"].map(OsStr::new);
    let arguments: Vec<_> = arguments.into_iter().chain([root.as_os_str(), commit.as_ref()]).collect();
    let added = git.run(of, &arguments).await;
    if let Err(error) = added {
        let error = with_room(root, error.into());
        // The next one finds the mark and tidies what this can't.
        if let Err(error) = remove_half(git, of, root).await {
            tracing::warn!(%error, "a half made work tree stays for now");
        }
        return Err(error);
    }
    fs::remove_file(&mark).await.map_err(disk)
}

/// Nobody has worked there: its mark says so.
pub async fn remove_half(git: &Git, of: &Path, root: &Path) -> Result<(), TreeError> {
    forget(git, of, root).await;
    let disk = |path: &Path, source| TreeError::Disk { path: path.to_owned(), source };
    gone(fs::remove_dir_all(root).await).map_err(|source| disk(root, source))?;
    let mark = half(root);
    gone(fs::remove_file(&mark).await).map_err(|source| disk(&mark, source))
}

/// What would be lost with a whole tree. `commit`: where it began; what is on no branch since then would be lost.
pub async fn loss(git: &Git, root: &Path, commit: Option<&str>) -> Result<Loss, GitError> {
    let changes = changes(git, root).await?;
    let mut arguments = vec!["rev-list", "--count", "HEAD", "--not", "--branches", "--tags", "--remotes"];
    arguments.extend(commit);
    let commits = git.run(root, &arguments).await?;
    // A number that can't be read is a doubt.
    Ok(Loss { changes, commits: commits.trim().parse().unwrap_or(1) })
}

async fn changes(git: &Git, at: &Path) -> Result<usize, GitError> {
    Ok(git.run(at, &["status", "--porcelain", "--ignore-submodules=none"]).await?.lines().count())
}

/// Removes a whole tree, of which [`loss`] has said that nothing is lost with it.
pub async fn remove(git: &Git, root: &Path) -> Result<(), TreeError> {
    let common = git.run(root, &["rev-parse", "--path-format=absolute", "--git-common-dir"]).await?;
    let common = PathBuf::from(common.trim_end_matches('\n'));
    // Forced: git itself keeps trees with submodules, also clean ones.
    forget(git, &common, root).await;
    gone(fs::remove_dir_all(root).await).map_err(|source| TreeError::Disk { path: root.to_owned(), source })
}

/// Git removes the tree and its own entry of it.
async fn forget(git: &Git, repository: &Path, root: &Path) {
    let arguments = ["worktree", "remove", "--force"].map(OsStr::new);
    let arguments: Vec<_> = arguments.into_iter().chain([root.as_os_str()]).collect();
    if let Err(error) = git.run(repository, &arguments).await {
        tracing::debug!(%error, "git did not know the work tree");
    }
}

fn half(root: &Path) -> PathBuf {
    root.with_extension(HALF)
}

fn gone(outcome: io::Result<()>) -> io::Result<()> {
    outcome.or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
}

fn no_repository(of: &Path, source: GitError) -> TreeError {
    match source {
        GitError::Failed { .. } => TreeError::NoRepository { folder: of.to_owned(), source },
        other => TreeError::Git(other),
    }
}

/// Git says a full disk in its own words; whether it is one is asked of the disk.
fn with_room(root: &Path, error: TreeError) -> TreeError {
    const LITTLE: u64 = 256 * 1024;
    let above = root.ancestors().find(|above| above.exists());
    let room = above.and_then(|above| rustix::fs::statvfs(above).ok()).map(|disk| disk.f_bavail * disk.f_frsize);
    match room {
        Some(bytes) if bytes < LITTLE => TreeError::DiskFull { source: Box::new(error) },
        _ => error,
    }
}
