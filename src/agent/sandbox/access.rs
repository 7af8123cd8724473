//! The person's files that a program needs besides its folder and the system: its own configuration and sign-in.
//!
//! Owns the table, one entry per agent. Never checks whether a path exists.

use super::git::Around;
use std::path::{Path, PathBuf};

/// Paths are absolute, or relative to the home directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// What it may read.
    pub read: Vec<PathBuf>,
    /// What it may read and write.
    pub write: Vec<PathBuf>,
    /// Read-only paths inside `write`: files that make the same program run something when the person starts it. They
    /// are created if missing, so that an agent cannot create them.
    pub fixed: Vec<Fixed>,
    /// What a repository names. Opened only where no link leads and nothing is closed: an agent may have written it.
    pub repository: Around,
    /// Folders of its conversation besides its working folder.
    pub folders: Vec<PathBuf>,
    /// The program creates lock files beside its configuration, directly in the home directory. In a namespace, that is
    /// then a folder in memory.
    pub locks_in_home: bool,
    /// The program confines its commands itself, in namespaces that it cannot create under Landlock's file rules. If
    /// only Landlock is available, the file rules are left to the program; Unix sockets and signals are still blocked.
    pub own_sandbox: bool,
}

/// A path that an agent must not change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixed {
    /// The path, inside one of `write`.
    pub path: PathBuf,
    /// The content of a created file. `None`: it is a folder.
    pub empty: Option<&'static str>,
}

fn paths(names: &[&str]) -> Vec<PathBuf> {
    names.iter().map(PathBuf::from).collect()
}

fn folders(below: &str, names: &[&str]) -> Vec<Fixed> {
    names.iter().map(|name| Fixed { path: Path::new(below).join(name), empty: None }).collect()
}

fn files(below: &str, names: &[(&str, &'static str)]) -> Vec<Fixed> {
    names.iter().map(|(name, empty)| Fixed { path: Path::new(below).join(name), empty: Some(empty) }).collect()
}

impl Access {
    /// Returns the access of Claude Code, run directly or by its ACP adapter. `~/.claude.json` names servers that are
    /// run, so it is read-only.
    pub fn claude() -> Self {
        let mut fixed =
            folders(".claude", &["agents", "commands", "hooks", "output-styles", "plugins", "rules", "skills"]);
        fixed
            .extend(files(".claude", &[("settings.json", "{}\n"), ("settings.local.json", "{}\n"), ("CLAUDE.md", "")]));
        Self {
            read: paths(&[".claude.json"]),
            write: paths(&[".claude"]),
            fixed,
            locks_in_home: true,
            ..Self::default()
        }
    }

    /// Returns the access that Codex needs.
    pub fn codex() -> Self {
        let mut fixed = folders(".codex", &["agents", "hooks", "plugins", "prompts", "rules"]);
        fixed.extend(files(".codex", &[("config.toml", ""), ("AGENTS.md", "")]));
        Self { write: paths(&[".codex"]), fixed, own_sandbox: true, ..Self::default() }
    }

    /// Returns the access that Gemini CLI needs.
    pub fn gemini() -> Self {
        let mut fixed = folders(".gemini", &["agents", "commands", "extensions", "hooks", "policies", "skills"]);
        fixed
            .extend(files(".gemini", &[("settings.json", "{}\n"), ("trustedFolders.json", "{}\n"), ("GEMINI.md", "")]));
        Self { write: paths(&[".gemini"]), fixed, ..Self::default() }
    }

    /// Adds paths to read.
    #[must_use]
    pub fn reading(mut self, more: impl IntoIterator<Item = PathBuf>) -> Self {
        self.read.extend(more);
        self
    }

    /// Adds paths to write.
    #[must_use]
    pub fn writing(mut self, more: impl IntoIterator<Item = PathBuf>) -> Self {
        self.write.extend(more);
        self
    }

    /// Combines both.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        self.read.extend(other.read.iter().cloned());
        self.write.extend(other.write.iter().cloned());
        self.fixed.extend(other.fixed.iter().cloned());
        self.repository.extend(other.repository.clone());
        self.folders.extend(other.folders.iter().cloned());
        self.locks_in_home |= other.locks_in_home;
        self.own_sandbox |= other.own_sandbox;
        self
    }
}
