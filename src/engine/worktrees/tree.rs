//! A git worktree on disk: created, inspected, removed.
//!
//! Owns the calls to git. Never removes anything that a person or an agent wrote: it first determines what a removal
//! would lose, and keeps the tree if in doubt. Does not handle conversations. An agent may write the tree's own `.git`,
//! so git gets the directory that was recorded next to the tree when it was created.

use super::git::{self, Git, GitError, Repository};
use gstack_agent::sandbox::{Access, Around};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use tokio::fs;

/// Exists next to a tree while git creates it. A tree with this mark is incomplete, and no one has worked in it.
const HALF: &str = "making";
/// The file next to a tree with the path of its git directory, as git created it. Agents cannot reach it.
const RECORD: &str = "gitdir";

#[derive(Debug, thiserror::Error)]
pub(super) enum TreeError {
    #[error("{0}")]
    Git(#[from] GitError),
    #[error("{folder} is not in a git repository")]
    NoRepository { folder: PathBuf, source: GitError },
    #[error("the repository in {folder} has no commit yet")]
    NoCommit { folder: PathBuf },
    #[error("gstack's own folder is in the repository {repository}")]
    HoldsHome { repository: PathBuf },
    /// `source` is the error of git or the system; the disk has no room left.
    #[error("the disk is full: {source}")]
    DiskFull { source: Box<TreeError> },
    #[error("{path} can't be used: {source}")]
    Disk { path: PathBuf, source: io::Error },
    #[error("the repository of {folder} no longer knows the work tree {tree}")]
    Forgotten { folder: PathBuf, tree: PathBuf },
}

/// An existing tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Made {
    /// The folder in the tree that corresponds to the original folder.
    pub folder: PathBuf,
    pub commit: String,
    /// The number of changed or new files in the original, which are therefore not in the tree.
    pub uncommitted: usize,
    pub has_submodules: bool,
}

/// The work that removing a tree would lose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Loss {
    pub changes: usize,
    pub commits: usize,
}

impl Loss {
    pub(super) fn is_nothing(self) -> bool {
        self == Self::default()
    }

    /// Returns, for example, `3 changed files and 1 commit`.
    pub(super) fn words(self) -> String {
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

/// The state of a tree on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stand {
    Missing,
    /// Its creation was interrupted.
    Half,
    Whole,
    /// Its files exist, but its repository is gone or no longer knows it.
    Forgotten,
}

pub(super) async fn stand(root: &Path) -> Stand {
    if is_there(&half(root)).await {
        return Stand::Half;
    }
    if !is_there(root).await {
        return Stand::Missing;
    }
    match recorded(root).await {
        Some((dir, _)) if is_there(&dir.join("HEAD")).await => Stand::Whole,
        _ => Stand::Forgotten,
    }
}

/// Returns the recorded git directory of a tree, and the one that it shares with its repository.
async fn recorded(root: &Path) -> Option<(PathBuf, PathBuf)> {
    fs::read_to_string(record(root)).await.ok().and_then(|text| directories(&text))
}

/// Parses a record: the tree's git directory and, on the second line, the one that all trees of its repository share.
fn directories(text: &str) -> Option<(PathBuf, PathBuf)> {
    let (dir, common) = text.trim_end_matches('\n').split_once('\n')?;
    let (dir, common) = (PathBuf::from(dir), PathBuf::from(common));
    (dir.is_absolute() && common.is_absolute()).then_some((dir, common))
}

/// Returns the access that an agent in the tree at `root` needs to commit: never to the configuration or the hooks of
/// the repository, which may be in `workspace`. Reads the disk.
pub(super) fn access(root: &Path, workspace: PathBuf) -> Access {
    let text = std::fs::read_to_string(record(root)).unwrap_or_default();
    let Some((dir, common)) = directories(&text) else { return Access::default() };
    let repository = Around { within: vec![workspace], ..Around::of_work_tree(dir, common) };
    Access { repository, ..Access::default() }
}

/// Runs git on the tree at `root`.
async fn in_tree<A: AsRef<OsStr>>(git: &Git, root: &Path, arguments: &[A]) -> Result<String, GitError> {
    let Some((dir, common)) = recorded(root).await else {
        return Err(unrecorded("status"));
    };
    git.run(Repository::Tree { dir: &dir, common: &common, root }, arguments).await
}

fn unrecorded(command: &str) -> GitError {
    let words = "the git directory of the tree is not recorded".to_owned();
    GitError::Failed { command: command.to_owned(), words }
}

/// The repository that contains a folder.
struct Found {
    dir: PathBuf,
    /// The directory that it shares with the repository's other work trees.
    common: PathBuf,
    /// `None` if it is bare.
    top: Option<PathBuf>,
    /// The path from the top to the folder, with `/` at its end.
    prefix: String,
}

impl Found {
    fn repository(&self) -> Repository<'_> {
        match &self.top {
            Some(root) => Repository::Tree { dir: &self.dir, common: &self.common, root },
            None => Repository::Dir(&self.dir),
        }
    }
}

/// Finds the repository that contains `of`, once. Later calls name it explicitly.
async fn find(git: &Git, of: &Path) -> Result<Found, TreeError> {
    // Git does not discover a bare repository: it must be named.
    let bare = git.run(Repository::Dir(of), &["rev-parse", "--is-bare-repository"]).await;
    if bare.is_ok_and(|answer| answer.trim() == "true") {
        return Ok(Found { dir: of.to_owned(), common: of.to_owned(), top: None, prefix: String::new() });
    }
    let ask = ["rev-parse", "--absolute-git-dir", "--show-toplevel", "--show-prefix"];
    let found = git.run(Repository::Holding(of), &ask).await.map_err(|source| no_repository(of, source))?;
    let mut lines = found.lines();
    let (dir, top) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    let prefix = lines.next().unwrap_or_default().to_owned();
    let common = git::common(Path::new(dir)).unwrap_or_else(|| dir.into());
    Ok(Found { dir: dir.into(), common, top: Some(top.into()), prefix })
}

async fn is_there(path: &Path) -> bool {
    fs::try_exists(path).await.unwrap_or(false)
}

/// Creates a tree at `root` from the commit checked out at `of`. Continues with an existing one. Fails if git fails or
/// the repository contains the home.
pub(super) async fn make(git: &Git, of: &Path, root: &Path, home: &Path) -> Result<Made, TreeError> {
    let found = find(git, of).await?;
    if let Some(repository) = found.top.as_ref().filter(|top| home.starts_with(top)) {
        return Err(TreeError::HoldsHome { repository: repository.clone() });
    }
    let head = git.run(found.repository(), &["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]).await;
    let head = head.map_err(|_| TreeError::NoCommit { folder: of.to_owned() })?.trim().to_owned();
    let commit = match stand(root).await {
        Stand::Whole => in_tree(git, root, &["rev-parse", "HEAD"]).await?.trim().to_owned(),
        Stand::Forgotten => return Err(TreeError::Forgotten { folder: of.to_owned(), tree: root.to_owned() }),
        stand => {
            if stand == Stand::Half {
                remove_half(git, found.repository(), root).await?;
            }
            add(git, &found, root, &head).await?;
            head
        }
    };
    let prefix = &found.prefix;
    let uncommitted = match found.top {
        Some(_) => changes(git, found.repository()).await.unwrap_or(0),
        None => 0,
    };
    let within = root.join(prefix);
    // A folder that is uncommitted in the original does not exist in the tree.
    let folder = if !prefix.is_empty() && is_there(&within).await { within } else { root.to_owned() };
    Ok(Made { folder, commit, uncommitted, has_submodules: is_there(&root.join(".gitmodules")).await })
}

async fn add(git: &Git, of: &Found, root: &Path, commit: &str) -> Result<(), TreeError> {
    let mark = half(root);
    let disk = |source| with_room(root, TreeError::Disk { path: root.to_owned(), source });
    if let Some(above) = root.parent() {
        fs::create_dir_all(above).await.map_err(disk)?;
    }
    fs::write(&mark, []).await.map_err(disk)?;
    // Forced, because git may still know an earlier tree that was here and is gone.
    let arguments = ["worktree", "add", "--detach", "--force", "--quiet"].map(OsStr::new);
    let arguments: Vec<_> = arguments.into_iter().chain([root.as_os_str(), commit.as_ref()]).collect();
    let added = match git.run(of.repository(), &arguments).await {
        Ok(_) => write_record(root).await.map_err(disk),
        Err(error) => Err(with_room(root, error.into())),
    };
    if let Err(error) = added {
        // The next start finds the mark and removes what could not be removed now.
        if let Err(error) = remove_half(git, of.repository(), root).await {
            tracing::warn!(%error, "a half made work tree stays for now");
        }
        return Err(error);
    }
    fs::remove_file(&mark).await.map_err(disk)
}

/// Records the git directory that git has just created for the tree. No agent has worked there yet.
async fn write_record(root: &Path) -> io::Result<()> {
    let link = fs::read_to_string(root.join(".git")).await?;
    let dir = link.strip_prefix("gitdir:").map(|path| root.join(path.trim()));
    let dir = dir.ok_or_else(|| io::Error::other("git made no link to the repository"))?;
    let dir = fs::canonicalize(dir).await?;
    let common = fs::read_to_string(dir.join("commondir")).await?;
    let common = fs::canonicalize(dir.join(common.trim_end())).await?;
    let text = [dir.as_os_str().as_encoded_bytes(), b"\n", common.as_os_str().as_encoded_bytes()].concat();
    fs::write(record(root), text).await
}

/// Removes a tree whose mark says that no one has worked in it.
pub(super) async fn remove_half(git: &Git, of: Repository<'_>, root: &Path) -> Result<(), TreeError> {
    forget(git, of, root).await;
    remove_files(root, &[record(root), half(root)]).await
}

/// Does the same if the repository is not known: git forgets the tree the next time it looks for it.
pub(super) async fn remove_unknown_half(root: &Path) -> Result<(), TreeError> {
    remove_files(root, &[record(root), half(root)]).await
}

/// Returns what removing a whole tree would lose. `commit` is its start; later commits that are on no branch would be
/// lost.
pub(super) async fn loss(git: &Git, root: &Path, commit: Option<&str>) -> Result<Loss, GitError> {
    let (dir, common) = recorded(root).await.unwrap_or_default();
    let tree = Repository::Tree { dir: &dir, common: &common, root };
    let changes = changes(git, tree).await? + submodules(git, tree, root).await?;
    let mut arguments = vec!["rev-list", "--count", "HEAD", "--not", "--branches", "--tags", "--remotes"];
    arguments.extend(commit);
    let commits = in_tree(git, root, &arguments).await?;
    // If the number cannot be parsed, assume a loss.
    Ok(Loss { changes, commits: commits.trim().parse().unwrap_or(1) })
}

/// Counts changed and new files. Ignores submodules, because they are other repositories and git would run in them.
async fn changes(git: &Git, on: Repository<'_>) -> Result<usize, GitError> {
    let ask = ["status", "--porcelain", "--untracked-files=normal", "--ignore-submodules=all"];
    Ok(git.run(on, &ask).await?.lines().count())
}

/// Counts submodules with contents: they are empty in a new tree.
async fn submodules(git: &Git, tree: Repository<'_>, root: &Path) -> Result<usize, GitError> {
    let listed = git.run(tree, &["ls-files", "--stage", "-z"]).await?;
    let links = listed.split('\0').filter(|entry| entry.starts_with("160000 "));
    let mut holding = 0;
    for path in links.filter_map(|entry| Some(root.join(entry.split_once('\t')?.1))) {
        let mut entries = match fs::read_dir(&path).await {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(_) => {
                holding += 1;
                continue;
            }
        };
        holding += usize::from(!matches!(entries.next_entry().await, Ok(None)));
    }
    Ok(holding)
}

/// Removes a whole tree for which [`loss`] reports no loss.
pub(super) async fn remove(git: &Git, root: &Path) -> Result<(), TreeError> {
    let text = fs::read_to_string(record(root)).await.unwrap_or_default();
    let (_, common) = directories(&text).ok_or_else(|| unrecorded("worktree remove"))?;
    // Forced, because git refuses to remove trees with submodules, even clean ones.
    forget(git, Repository::Dir(&common), root).await;
    remove_files(root, &[record(root)]).await
}

/// Makes git remove the tree and its own entry for it.
async fn forget(git: &Git, repository: Repository<'_>, root: &Path) {
    let arguments = ["worktree", "remove", "--force"].map(OsStr::new);
    let arguments: Vec<_> = arguments.into_iter().chain([root.as_os_str()]).collect();
    if let Err(error) = git.run(repository, &arguments).await {
        tracing::debug!(%error, "git did not know the work tree");
    }
}

async fn remove_files(root: &Path, marks: &[PathBuf]) -> Result<(), TreeError> {
    let disk = |path: &Path, source| TreeError::Disk { path: path.to_owned(), source };
    gone(fs::remove_dir_all(root).await).map_err(|source| disk(root, source))?;
    for mark in marks {
        gone(fs::remove_file(mark).await).map_err(|source| disk(mark, source))?;
    }
    Ok(())
}

fn record(root: &Path) -> PathBuf {
    root.with_extension(RECORD)
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

/// Replaces git's error with `DiskFull` if the disk has no room.
fn with_room(root: &Path, error: TreeError) -> TreeError {
    const LITTLE: u64 = 256 * 1024;
    let above = root.ancestors().find(|above| above.exists());
    let room = above.and_then(|above| rustix::fs::statvfs(above).ok()).map(|disk| disk.f_bavail * disk.f_frsize);
    match room {
        Some(bytes) if bytes < LITTLE => TreeError::DiskFull { source: Box::new(error) },
        _ => error,
    }
}
