//! Finds the control files of a folder.
//!
//! Owns the search: the repository around the folder, those inside it, their submodules and work trees. Never follows a
//! link.

use super::files::{self, Entry};
use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

/// Files of a git directory that configure it, or redirect it to another one.
const GIT_FILES: [&str; 5] =
    ["config", "config.worktree", "commondir", "info/attributes", "rebase-merge/git-rebase-todo"];
/// Folders of programs, and of remotes as older versions of git wrote them.
const GIT_FOLDERS: [&str; 3] = ["hooks", "remotes", "branches"];
/// The files of a project's `.gstack`.
const RULES: [&str; 2] = ["policy.toml", "session.toml"];
/// The most folders to look into for repositories: the top ones first.
const MOST_FOLDERS: usize = 20_000;
/// The deepest nesting of submodules in each other, and of their names.
const MOST_NESTED: usize = 8;

type Found = BTreeMap<PathBuf, Entry>;

/// Returns the existing control files. `folder` is absolute and without links.
pub(super) fn all(folder: &Path, settings: &[PathBuf]) -> Found {
    let settings = settings.iter().filter_map(|path| Some((path.clone(), files::read(path)?)));
    let mut found: Found = settings.collect();
    let around = folder.ancestors().skip(1).find(|above| above.join(".git").symlink_metadata().is_ok());
    let mut tops: Vec<PathBuf> = around.map(Path::to_owned).into_iter().collect();
    tops.extend(repositories(folder));
    for top in &tops {
        let git = top.join(".git");
        let entry = files::read(&git);
        match &entry {
            Some(Entry::Folder) => git_directory(&git, MOST_NESTED, &mut found),
            // A submodule or a work tree of a repository that is looked at needs no look of its own.
            Some(Entry::File { text, .. }) if leads_into(&git, text, &tops) => continue,
            Some(Entry::File { text, .. }) => {
                if let Some(dir) = own_directory(&git, text) {
                    note(&dir, &["config.worktree", "commondir", "rebase-merge/git-rebase-todo"], &mut found);
                }
            }
            _ => {}
        }
        found.extend(entry.map(|entry| (git, entry)));
    }
    let rules = folder.join(".gstack");
    let entry = files::read(&rules);
    if entry == Some(Entry::Folder) {
        note(&rules, &RULES, &mut found);
    }
    found.extend(entry.map(|entry| (rules, entry)));
    found
}

/// Returns the folders inside `folder`, and itself, with a `.git`.
fn repositories(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = VecDeque::from([folder.to_owned()]);
    let mut looked = 0;
    while let Some(folder) = waiting.pop_front() {
        looked += 1;
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            if entry.file_name() == ".git" {
                found.push(folder.clone());
            } else if looked + waiting.len() < MOST_FOLDERS && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
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

fn git_directory(git: &Path, depth: usize, found: &mut Found) {
    note(git, &GIT_FILES, found);
    for folder in GIT_FOLDERS.map(|name| git.join(name)) {
        let entry = files::read(&folder);
        if entry == Some(Entry::Folder) {
            for file in entries(&folder).filter(|file| file.extension().is_none_or(|extension| extension != "sample")) {
                found.extend(files::read(&file).map(|entry| (file, entry)));
            }
        }
        found.extend(entry.map(|entry| (folder, entry)));
    }
    for tree in folders(&git.join("worktrees")) {
        note(&tree, &["config.worktree", "rebase-merge/git-rebase-todo"], found);
        // Git writes it as `../..`; any other leads to another repository.
        let common = tree.join("commondir");
        let entry = files::read(&common);
        let is_usual = matches!(&entry, Some(Entry::File { text, .. }) if text.trim_ascii() == b"../..");
        found.extend(entry.filter(|_| !is_usual).map(|entry| (common, entry)));
    }
    submodules(&git.join("modules"), depth, found);
}

/// A submodule's name may contain slashes.
fn submodules(within: &Path, depth: usize, found: &mut Found) {
    let Some(depth) = depth.checked_sub(1) else { return };
    for module in folders(within) {
        if module.join("HEAD").symlink_metadata().is_ok() {
            git_directory(&module, depth, found);
        } else {
            submodules(&module, depth, found);
        }
    }
}

fn note(folder: &Path, names: &[&str], found: &mut Found) {
    let paths = names.iter().map(|name| folder.join(name));
    found.extend(paths.filter_map(|path| files::read(&path).map(|entry| (path, entry))));
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

/// Returns the folders in a folder that is one itself.
fn folders(within: &Path) -> impl Iterator<Item = PathBuf> {
    let is_folder = |path: &Path| path.symlink_metadata().is_ok_and(|about| about.is_dir());
    let all = is_folder(within).then(|| entries(within)).into_iter().flatten();
    all.filter(move |path| is_folder(path))
}
