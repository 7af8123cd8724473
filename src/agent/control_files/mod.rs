//! Control files: what decides which programs git runs in a folder, a project's rules, and the agent's own settings. An agent
//! may write them, by a mistake or by intent; the person's git or agent then runs them outside the sandbox.
//!
//! Owns looking at them before and after an agent's turn, the comparison, and putting them back. Never runs git and
//! never follows a link. Sources: gitrepository-layout(5), git-config(1), githooks(5).

mod config;
mod files;
mod look;

use files::Entry;
use look::Look;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Files in which an interrupted command of git's keeps the name of a merge strategy.
const NAMES_STRATEGY: [&str; 2] = ["rebase-merge/strategy", "sequencer/opts"];

/// The control files of a folder, as they were at one time.
#[derive(Clone, Debug)]
pub struct ControlFiles {
    folder: PathBuf,
    settings: Vec<PathBuf>,
    look: Look,
}

/// A control file that differs from an earlier look.
#[derive(Clone, Debug)]
pub struct Change {
    path: PathBuf,
    before: Option<Entry>,
    after: Option<Entry>,
    /// The path at which something that is not a file was put aside.
    aside: Option<PathBuf>,
}

impl ControlFiles {
    /// Looks at the control files of the repository around a folder, of those inside it, at its rules, and at these files of
    /// an agent's settings. Blocks on the disk.
    pub fn look(folder: &Path, settings: Vec<PathBuf>) -> Self {
        let look = look::all(folder, &settings, &BTreeSet::new());
        Self { folder: folder.to_owned(), settings, look }
    }

    /// Returns the files of an agent's settings.
    pub fn settings(&self) -> &[PathBuf] {
        &self.settings
    }

    /// Looks again, and returns what differs and could make a git run something. Blocks on the disk.
    pub fn changes(&self) -> Vec<Change> {
        let Look { found: now, inner, .. } = look::all(&self.folder, &self.settings, &self.look.own);
        let found = &self.look.found;
        let mut paths: Vec<&PathBuf> = found.keys().chain(now.keys()).collect();
        paths.sort();
        paths.dedup();
        let paths = paths.into_iter().filter(|path| found.contains_key(*path) || !inner.contains(*path));
        let changes = paths.map(|path| Change {
            path: path.clone(),
            before: found.get(path).cloned(),
            // The way to it may lead elsewhere now, as when a work tree's `.git` was changed: that does not remove it.
            after: now.get(path).cloned().or_else(|| files::read(path)),
            aside: None,
        });
        // What is inside a repository that was moved away can't be put back without the rest of it.
        let gone = |path: &Path| {
            let mut above = path.ancestors().skip(1);
            above.any(|above| found.get(above) == Some(&Entry::Folder) && now.get(above) != Some(&Entry::Folder))
        };
        changes.filter(|change| change.matters() && !gone(&change.path)).collect()
    }
}

impl Change {
    fn matters(&self) -> bool {
        let name = self.path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        match (name, &self.before, &self.after) {
            (_, before, after) if before == after => false,
            // A folder is only of interest when something else takes its place.
            (_, None | Some(Entry::Folder), None | Some(Entry::Folder)) => false,
            ("config" | "config.worktree", before, after) => differs(before, after, config::that_matters),
            ("git-rebase-todo", before, after) => differs(before, after, config::that_runs),
            (_, before, after) if NAMES_STRATEGY.iter().any(|file| self.path.ends_with(file)) => {
                differs(before, after, config::that_leads_to_a_program)
            }
            _ => true,
        }
    }

    /// Returns the path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path and what stands there now, for people.
    pub fn words(&self) -> String {
        let path = self.path.display();
        match (&self.after, &self.before) {
            (None, _) => format!("{path}: removed"),
            (Some(Entry::File { text, .. }), before) => {
                let how = if before.is_none() { "new" } else { "changed" };
                format!("{path}: {how}\n{}", String::from_utf8_lossy(text))
            }
            (Some(Entry::Link(target)), _) => format!("{path}: a link to {}", target.display()),
            (Some(Entry::Folder), _) => format!("{path}: a folder"),
            (Some(Entry::Other), _) => format!("{path}: not a file, or too large"),
        }
    }

    /// Puts the earlier state back. Blocks on the disk.
    ///
    /// # Errors
    ///
    /// Fails if the disk refuses, or if a folder on the way is no longer one.
    pub fn put_back(&mut self) -> std::io::Result<()> {
        self.aside = files::put(&self.path, self.before.as_ref())?;
        Ok(())
    }

    /// Restores what [`Self::put_back`] took away. Blocks on the disk.
    ///
    /// # Errors
    ///
    /// Fails if the disk refuses, or if a folder on the way is no longer one.
    pub fn keep(&self) -> std::io::Result<()> {
        match &self.aside {
            Some(aside) => {
                files::put(&self.path, None)?;
                std::fs::rename(aside, &self.path)
            }
            None => files::put(&self.path, self.after.as_ref()).map(drop),
        }
    }
}

/// Returns true if two versions of a file differ in the lines that `matter`.
fn differs(before: &Option<Entry>, after: &Option<Entry>, matter: fn(&[u8]) -> Vec<String>) -> bool {
    let lines = |entry: &Option<Entry>| match entry {
        None => Some(Vec::new()),
        Some(Entry::File { text, .. }) => Some(matter(text)),
        Some(_) => None,
    };
    lines(before).is_none() || lines(before) != lines(after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    fn folder() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap();
        for name in [".git/hooks", ".git/objects", "sub"] {
            fs::create_dir_all(path.join(name)).unwrap();
        }
        fs::write(path.join(".git/config"), "[core]\n\tbare = false\n").unwrap();
        fs::write(path.join(".git/hooks/pre-commit"), "#!/bin/sh\n").unwrap();
        (folder, path)
    }

    fn changed(before: &ControlFiles) -> Vec<String> {
        let top = before.folder.ancestors().find(|above| !above.ends_with("sub")).unwrap();
        let name = |change: Change| change.path().strip_prefix(top).unwrap().display().to_string();
        before.changes().into_iter().map(name).collect()
    }

    #[test]
    fn what_could_run_is_put_back_and_kept_only_when_allowed() {
        let (_kept, path) = folder();
        let before = ControlFiles::look(&path.join("sub"), Vec::new());
        assert_eq!(changed(&before), Vec::<String>::new());
        let tracking = "[remote \"origin\"]\n\turl = https://h.example/\n[branch \"a\"]\n\tremote = origin\n";
        fs::write(path.join(".git/config"), format!("[core]\n\tbare = false\n{tracking}")).unwrap();
        fs::write(path.join(".git/hooks/post-commit.sample"), "").unwrap();
        assert_eq!(changed(&before), Vec::<String>::new(), "a branch and a sample run nothing");
        fs::write(path.join(".git/config"), "[core]\n\tbare = false\n\tfsmonitor = evil\n").unwrap();
        fs::write(path.join(".git/commondir"), "../evil\n").unwrap();
        fs::write(path.join(".git/hooks/pre-commit"), "evil").unwrap();
        fs::create_dir_all(path.join("sub/.git/hooks")).unwrap();
        fs::write(path.join("sub/.git/config"), "[core]\nfsmonitor = evil\n").unwrap();
        let mut changes = before.changes();
        let names = [".git/commondir", ".git/config", ".git/hooks/pre-commit", "sub/.git/config"];
        assert_eq!(changed(&before), names);
        for change in &mut changes {
            change.put_back().unwrap();
        }
        assert_eq!(changed(&before), Vec::<String>::new());
        assert!(!path.join(".git/commondir").exists());
        assert_eq!(fs::read_to_string(path.join(".git/hooks/pre-commit")).unwrap(), "#!/bin/sh\n");
        changes.iter().for_each(|change| change.keep().unwrap());
        assert_eq!(changed(&before), names);
    }

    #[test]
    fn settings_that_changed_are_put_back() {
        let (_kept, path) = folder();
        let file = path.join("config.toml");
        let missing = path.join("AGENTS.md");
        fs::write(&file, "model = \"a\"\n").unwrap();
        let before = ControlFiles::look(&path.join("sub"), vec![file.clone(), missing.clone()]);
        assert_eq!(changed(&before), Vec::<String>::new());
        fs::write(&file, "notify = [\"evil\"]\n").unwrap();
        fs::write(&missing, "evil").unwrap();
        assert_eq!(changed(&before), ["AGENTS.md", "config.toml"]);
        for mut change in before.changes() {
            change.put_back().unwrap();
        }
        assert_eq!((fs::read_to_string(&file).unwrap().as_str(), missing.exists()), ("model = \"a\"\n", false));
    }

    #[test]
    fn a_repository_that_is_replaced_is_put_aside_and_no_link_is_followed() {
        let (_kept, path) = folder();
        fs::create_dir(path.join("elsewhere")).unwrap();
        fs::write(path.join("elsewhere/config"), "as it was").unwrap();
        let before = ControlFiles::look(&path, Vec::new());
        fs::rename(path.join(".git"), path.join("moved")).unwrap();
        assert_eq!(changed(&before), Vec::<String>::new(), "nothing runs without it");
        symlink(path.join("elsewhere"), path.join(".git")).unwrap();
        let mut changes = before.changes();
        assert_eq!(changes.iter().map(|change| change.path().to_owned()).collect::<Vec<_>>(), [path.join(".git")]);
        changes[0].put_back().unwrap();
        assert!(path.join(".git").symlink_metadata().is_err());
        assert_eq!(fs::read_to_string(path.join("elsewhere/config")).unwrap(), "as it was");
    }

    #[test]
    fn a_work_tree_that_leads_elsewhere_is_one_change_and_its_own_directory_stays_whole() {
        let (_kept, path) = folder();
        let (tree, own) = (path.join("tree"), path.join("repository/.git/worktrees/tree"));
        fs::create_dir_all(&own).unwrap();
        fs::create_dir(&tree).unwrap();
        fs::write(own.join("gitdir"), format!("{}\n", tree.join(".git").display())).unwrap();
        fs::write(own.join("commondir"), "../..\n").unwrap();
        fs::write(tree.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();
        let before = ControlFiles::look(&tree, Vec::new());
        fs::write(tree.join(".git"), format!("gitdir: {}\n", path.join(".git").display())).unwrap();
        let mut changes = before.changes();
        assert_eq!(changes.iter().map(Change::path).collect::<Vec<_>>(), [tree.join(".git")]);
        changes[0].put_back().unwrap();
        changes[0].keep().unwrap();
        assert_eq!(fs::read_to_string(own.join("commondir")).unwrap(), "../..\n");
    }

    #[test]
    fn rules_and_repositories_that_an_agent_makes_are_seen() {
        let (_kept, path) = folder();
        let before = ControlFiles::look(&path, Vec::new());
        fs::create_dir_all(path.join("new/.git/hooks")).unwrap();
        fs::write(path.join("new/.git/config"), "[core]\n\trepositoryformatversion = 0\n\tbare = false\n").unwrap();
        assert_eq!(changed(&before), Vec::<String>::new(), "git init");
        fs::create_dir(path.join(".gstack")).unwrap();
        fs::write(path.join(".gstack/policy.toml"), "").unwrap();
        fs::create_dir(path.join("two")).unwrap();
        fs::write(path.join("two/.git"), "gitdir: ../elsewhere\n").unwrap();
        assert_eq!(changed(&before), [".gstack/policy.toml", "two/.git"]);
    }
}
