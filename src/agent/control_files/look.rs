//! Finds the control files of a folder.
//!
//! Owns the search: the repository around the folder, those inside it, their submodules and work trees. Never follows a
//! link.

use super::files::{self, Entry};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

/// Files of a git directory that configure it, or redirect it to another one.
const GIT_FILES: [&str; 3] = ["config", "config.worktree", "commondir"];
/// Files in folders of a git directory: attributes, and what `--continue` runs.
const INNER_FILES: [(&str, &[&str]); 3] =
    [("info", &["attributes"]), ("rebase-merge", &["git-rebase-todo", "strategy"]), ("sequencer", &["opts"])];
/// Folders of programs, and of remotes as older versions of git wrote them.
const GIT_FOLDERS: [&str; 3] = ["hooks", "remotes", "branches"];
/// The files of a project's `.gstack`.
const RULES: [&str; 2] = ["policy.toml", "session.toml"];
/// The most folders to look into for repositories: the top ones first.
const MOST_FOLDERS: usize = 20_000;
/// The deepest nesting of submodules in each other, and of their names.
const MOST_NESTED: usize = 8;

/// The control files of a folder at one moment.
#[derive(Clone, Debug, Default)]
pub(super) struct Look {
    /// The existing control files, and the folders on the way to them inside a git directory.
    pub found: BTreeMap<PathBuf, Entry>,
    /// The git directories of work trees whose repository is elsewhere.
    pub own: BTreeSet<PathBuf>,
    /// The `.git` files that lead to a submodule or a work tree of a repository in `found`: a new one runs nothing.
    pub inner: BTreeSet<PathBuf>,
}

/// Looks at a folder, which is absolute and without links. `own`: the directories that an earlier look knew, which a changed
/// `.git` file must not hide.
pub(super) fn all(folder: &Path, settings: &[PathBuf], own: &BTreeSet<PathBuf>) -> Look {
    let mut look = Look { own: own.clone(), ..Look::default() };
    look.found.extend(settings.iter().filter_map(|path| Some((path.clone(), files::read(path)?))));
    let around = folder.ancestors().skip(1).find(|above| above.join(".git").symlink_metadata().is_ok());
    let Repositories { mut tops, bare } = repositories(folder);
    tops.extend(around.map(Path::to_owned));
    for top in &tops {
        let git = top.join(".git");
        let entry = files::read(&git);
        match &entry {
            Some(Entry::Folder) => look.git_directory(&git, MOST_NESTED),
            Some(Entry::File { text, .. }) if leads_into(&git, text, &tops) => {
                look.inner.insert(git.clone());
            }
            Some(Entry::File { text, .. }) => look.own.extend(own_directory(&git, text)),
            _ => {}
        }
        look.found.extend(entry.map(|entry| (git, entry)));
    }
    for directory in &bare {
        look.found.insert(directory.clone(), Entry::Folder);
        look.git_directory(directory, MOST_NESTED);
    }
    for directory in look.own.clone() {
        look.work_tree(&directory);
        look.note(&directory, &["commondir"]);
    }
    if let Some(rules) = look.folder(folder.join(".gstack")) {
        look.note(&rules, &RULES);
    }
    look
}

struct Repositories {
    /// Folders with a `.git`.
    tops: Vec<PathBuf>,
    /// Folders that git itself takes for a git directory: they have a `HEAD`.
    bare: Vec<PathBuf>,
}

/// Returns what is inside `folder`, and itself.
fn repositories(folder: &Path) -> Repositories {
    let mut found = Repositories { tops: Vec::new(), bare: Vec::new() };
    let mut waiting = VecDeque::from([folder.to_owned()]);
    let mut looked = 0;
    while let Some(folder) = waiting.pop_front() {
        looked += 1;
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            // Some file systems ignore case.
            if entry.file_name().eq_ignore_ascii_case(".git") {
                found.tops.push(folder.clone());
            } else if entry.file_name().eq_ignore_ascii_case("HEAD") && !is_folder {
                found.bare.push(folder.clone());
            } else if is_folder && looked + waiting.len() < MOST_FOLDERS {
                waiting.push_back(entry.path());
            }
        }
    }
    found
}

/// Returns the directory to which a `.git` file leads, without links.
fn target(file: &Path, text: &[u8]) -> Option<PathBuf> {
    let text = String::from_utf8_lossy(text);
    file.parent()?.join(text.strip_prefix("gitdir:")?.trim()).canonicalize().ok()
}

/// Returns the git directory of a work tree if it knows this `.git` file.
fn own_directory(file: &Path, text: &[u8]) -> Option<PathBuf> {
    let dir = target(file, text)?;
    let back = fs::read_to_string(dir.join("gitdir")).ok()?;
    (dir.join(back.trim()).canonicalize().ok()? == file).then_some(dir)
}

/// Returns true if a `.git` file leads to a submodule or a work tree inside the git directory of one of `tops`.
fn leads_into(file: &Path, text: &[u8], tops: &[PathBuf]) -> bool {
    target(file, text).is_some_and(|real| {
        tops.iter().any(|top| {
            let git = top.join(".git");
            ["modules", "worktrees"].iter().any(|part| real != git.join(part) && real.starts_with(git.join(part)))
        })
    })
}

impl Look {
    fn git_directory(&mut self, git: &Path, depth: usize) {
        self.note(git, &GIT_FILES);
        self.inner_files(git);
        for folder in GIT_FOLDERS {
            let Some(folder) = self.folder(git.join(folder)) else { continue };
            for file in entries(&folder).filter(|file| file.extension().is_none_or(|extension| extension != "sample")) {
                self.found.extend(files::read(&file).map(|entry| (file, entry)));
            }
        }
        for tree in self.folders(&git.join("worktrees")) {
            self.work_tree(&tree);
            // Git writes it as `../..`; any other leads to another repository.
            let common = tree.join("commondir");
            let entry = files::read(&common);
            let is_usual = matches!(&entry, Some(Entry::File { text, .. }) if text.trim_ascii() == b"../..");
            self.found.extend(entry.filter(|_| !is_usual).map(|entry| (common, entry)));
        }
        self.submodules(&git.join("modules"), depth);
    }

    /// Notes a work tree's own directory.
    fn work_tree(&mut self, directory: &Path) {
        self.note(directory, &["config.worktree"]);
        self.inner_files(directory);
    }

    /// A submodule's name may contain slashes.
    fn submodules(&mut self, within: &Path, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else { return };
        for module in self.folders(within) {
            if module.join("HEAD").symlink_metadata().is_ok() {
                self.git_directory(&module, depth);
            } else {
                self.submodules(&module, depth);
            }
        }
    }

    fn inner_files(&mut self, git: &Path) {
        for (folder, names) in INNER_FILES {
            if let Some(folder) = self.folder(git.join(folder)) {
                self.note(&folder, names);
            }
        }
    }

    fn note(&mut self, folder: &Path, names: &[&str]) {
        let paths = names.iter().map(|name| folder.join(name));
        self.found.extend(paths.filter_map(|path| files::read(&path).map(|entry| (path, entry))));
    }

    /// Notes what is at a path, and returns the path if that is a folder.
    fn folder(&mut self, path: PathBuf) -> Option<PathBuf> {
        let entry = files::read(&path)?;
        let is_folder = entry == Entry::Folder;
        self.found.insert(path.clone(), entry);
        is_folder.then_some(path)
    }

    /// Returns the folders in a folder, and notes them, it, and the links that stand for one.
    fn folders(&mut self, within: &Path) -> Vec<PathBuf> {
        let Some(within) = self.folder(within.to_owned()) else { return Vec::new() };
        let all = entries(&within).filter(|path| path.symlink_metadata().is_ok_and(|about| !about.is_file()));
        all.filter_map(|path| self.folder(path)).collect()
    }
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}
