//! The paths that git needs in an agent's shell besides the conversation's folder: the repository that contains it, and
//! the files that the person's git configuration names.
//!
//! Owns both lists. Never runs git. A repository's own files may be untrusted: a link to another repository counts only
//! if that one names the folder too.

use std::fs;
use std::path::{Path, PathBuf};

/// The maximum depth of files that include each other.
const MOST_INCLUDES: usize = 5;
/// Keys, without their section, whose value is the path of a file to read.
const PATHS: [&str; 4] = ["path", "excludesfile", "attributesfile", "template"];

/// What git needs of a repository. The paths may be links: `opening` decides what may be opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Around {
    /// Readable paths.
    pub read: Vec<PathBuf>,
    /// Readable and writable paths.
    pub write: Vec<PathBuf>,
    /// Read-only paths inside `write`: files that make git run a program, or that redirect it.
    pub fixed: Vec<PathBuf>,
    /// Folders inside closed places in which the repository may be: gstack's workspace and its work trees.
    pub within: Vec<PathBuf>,
}

impl Around {
    /// Returns what an agent needs to commit in the work tree whose own git directory is `dir`. `common`: the directory
    /// that it shares with its repository, of which neither the configuration nor the hooks may be written.
    pub fn of_work_tree(dir: PathBuf, common: PathBuf) -> Self {
        let write = ["objects", "refs", "logs"].map(|name| common.join(name)).into_iter().chain([dir.clone()]);
        // Git writes these once; a changed one would point to another repository.
        let fixed = ["commondir", "gitdir"].map(|name| dir.join(name));
        Self { write: write.collect(), fixed: fixed.into(), read: vec![common], ..Self::default() }
    }

    /// Creates what git would create in a directory that stays closed to it: without reflogs, a repository has no `logs`.
    pub(super) fn make_missing(&self) {
        for path in self.write.iter().filter(|path| path.ends_with("logs") && path.symlink_metadata().is_err()) {
            if let Err(error) = std::fs::create_dir(path) {
                tracing::debug!(%error, path = %path.display(), "no folder for reflogs");
            }
        }
    }

    pub(super) fn extend(&mut self, other: Self) {
        self.read.extend(other.read);
        self.write.extend(other.write);
        self.fixed.extend(other.fixed);
        self.within.extend(other.within);
    }
}

/// Returns the paths that git and builds in `folder` need from the repository around it. `is_out`: a path that no
/// repository may open, such as the home directory. A `.git` that is a link is no repository.
pub(super) fn around(folder: &Path, is_out: impl Fn(&Path) -> bool) -> Around {
    let top = folder.ancestors().take_while(|above| *above == folder || !is_out(above));
    let kind = |top: &Path| top.join(".git").symlink_metadata().map(|found| found.file_type());
    let Some(top) = top.filter(|above| above.parent().is_some()).find(|above| kind(above).is_ok()) else {
        return Around { fixed: protected(&folder.join(".git")), ..Around::default() };
    };
    let git = top.join(".git");
    let mut found = Around::default();
    match kind(top) {
        Ok(kind) if kind.is_dir() => {
            if top != folder {
                found.read.push(top.to_owned());
            }
            // Named even inside the folder: a mount can't be renamed or replaced.
            found.write.push(git.clone());
            found.fixed = protected(&git);
        }
        Ok(kind) if kind.is_file() => {
            if top != folder {
                found.read.push(top.to_owned());
            }
            found.fixed.push(git.clone());
            if let Some((dir, common)) = linked(&git).filter(|(_, common)| !is_out(common)) {
                found.extend(Around::of_work_tree(dir, common));
            }
        }
        _ => {}
    }
    found
}

fn protected(git: &Path) -> Vec<PathBuf> {
    ["hooks", "config"].map(|name| git.join(name)).into()
}

/// Returns the git directory of the work tree with this `.git` file, and the directory that it shares with its
/// repository.
fn linked(file: &Path) -> Option<(PathBuf, PathBuf)> {
    let read = |path: &Path| fs::read_to_string(path).ok();
    let dir = file.parent()?.join(read(file)?.strip_prefix("gitdir:")?.trim()).canonicalize().ok()?;
    let back = dir.join(read(&dir.join("gitdir"))?.trim()).canonicalize().ok()?;
    let common = dir.join(read(&dir.join("commondir"))?.trim()).canonicalize().ok()?;
    (back == file.canonicalize().ok()? && dir.parent()? == common.join("worktrees")).then_some((dir, common))
}

/// Returns the files that the person's git configuration names: included files, ignore rules, attributes, the commit
/// template. Git fails if it may not read an included file. A file that an agent may write names nothing.
pub(super) fn configuration(home: &Path, is_written: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting: Vec<(PathBuf, usize)> =
        [".gitconfig", ".config/git/config"].map(|name| (home.join(name), 0)).into();
    while let Some((file, depth)) = waiting.pop() {
        if file.canonicalize().is_ok_and(|real| is_written(&real)) {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap_or_default();
        for path in named(&text).filter_map(|value| resolve(value, &file, home)).filter(|path| path.is_file()) {
            if depth < MOST_INCLUDES && !found.contains(&path) {
                waiting.push((path.clone(), depth + 1));
                found.push(path);
            }
        }
    }
    found
}

fn named(text: &str) -> impl Iterator<Item = &str> {
    let values = text.lines().filter_map(|line| line.split_once('='));
    let paths = values.filter(|(key, _)| PATHS.iter().any(|known| key.trim().eq_ignore_ascii_case(known)));
    paths.map(|(_, value)| value.trim().trim_matches('"'))
}

/// Resolves a path as git does: `~/` is the home directory, and other paths are relative to the file that names them.
fn resolve(value: &str, file: &Path, home: &Path) -> Option<PathBuf> {
    match value.strip_prefix("~/") {
        Some(rest) => Some(home.join(rest)),
        None => Some(file.parent()?.join(value)).filter(|_| !value.is_empty()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap();
        (folder, path)
    }

    #[test]
    fn a_folder_within_a_repository_has_its_git_and_not_its_hooks() {
        let (_kept, home) = folder();
        fs::create_dir_all(home.join("code/.git/hooks")).unwrap();
        fs::create_dir_all(home.join("code/packages/one")).unwrap();
        let is_out = |path: &Path| home.starts_with(path);
        let found = around(&home.join("code/packages/one"), is_out);
        assert_eq!((found.read, found.write), (vec![home.join("code")], vec![home.join("code/.git")]));
        assert!(found.fixed.contains(&home.join("code/.git/hooks")));
        // A home directory that is a repository, as some people keep their dotfiles, opens nothing.
        fs::create_dir(home.join(".git")).unwrap();
        fs::create_dir(home.join("plain")).unwrap();
        let found = around(&home.join("plain"), is_out);
        assert_eq!((found.read, found.write), (Vec::new(), Vec::new()));
    }

    #[test]
    fn a_git_file_opens_only_a_repository_that_knows_the_folder() {
        let (_kept, home) = folder();
        let dir = home.join("code/.git/worktrees/tree");
        fs::create_dir_all(&dir).unwrap();
        fs::create_dir(home.join("tree")).unwrap();
        fs::write(home.join("tree/.git"), format!("gitdir: {}\n", dir.display())).unwrap();
        fs::write(dir.join("commondir"), "../..\n").unwrap();
        fs::write(dir.join("gitdir"), format!("{}\n", home.join("tree/.git").display())).unwrap();
        let is_out = |path: &Path| home.starts_with(path);
        let found = around(&home.join("tree"), is_out);
        assert!(found.write.contains(&dir) && found.write.contains(&home.join("code/.git/objects")), "{found:?}");
        assert!(!found.write.contains(&home.join("code/.git")) && found.fixed.contains(&dir.join("gitdir")));
        fs::create_dir(home.join("hostile")).unwrap();
        fs::write(home.join("hostile/.git"), format!("gitdir: {}\n", dir.display())).unwrap();
        let found = around(&home.join("hostile"), is_out);
        assert_eq!((found.read, found.write), (Vec::new(), Vec::new()));
    }

    #[test]
    fn files_that_the_configuration_names_are_found_also_through_each_other() {
        let (_kept, home) = folder();
        let text = "[user]\n\tname = path\n[include]\n\tpath = ~/work.inc\n[core]\n\texcludesFile = \"ignored\"\n";
        fs::write(home.join(".gitconfig"), text).unwrap();
        fs::write(home.join("work.inc"), "[include]\n\tpath = ./work.inc\n[commit]\n\ttemplate = ~/none\n").unwrap();
        fs::write(home.join("ignored"), "").unwrap();
        let found = configuration(&home, |_| false);
        assert!(found.contains(&home.join("ignored")) && found.contains(&home.join("work.inc")), "{found:?}");
        assert!(!found.contains(&home.join("none")));
        fs::write(home.join("none"), "").unwrap();
        assert!(configuration(&home, |_| false).contains(&home.join("none")));
        let found = configuration(&home, |path| path.ends_with("work.inc"));
        assert!(found.contains(&home.join("work.inc")) && !found.contains(&home.join("none")), "{found:?}");
    }
}
