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
    /// What it may read and write. A missing folder is created.
    pub write: Vec<PathBuf>,
    /// The same for files, which are not created.
    pub write_existing: Vec<PathBuf>,
    /// Read-only paths inside `write`: files that make the same program run something when the person starts it. They
    /// are created if missing, so that an agent cannot create them.
    pub fixed: Vec<Fixed>,
    /// Folders of its own in which everything that `write` does not name stays as it is: it may read their entries, and
    /// what it creates there ends with it.
    pub overlaid: Vec<Overlaid>,
    /// What a repository names. Opened only where no link leads and nothing is closed: an agent may have written it.
    pub repository: Around,
    /// Folders of its conversation besides its working folder.
    pub folders: Vec<PathBuf>,
    /// It may only read its working folder, the repository around it, and [`Access::folders`].
    pub folders_read_only: bool,
    /// The program creates lock files beside its configuration, directly in the home directory. In a namespace, that is
    /// then a folder in memory. Landlock opens nothing for it: the right to make and remove folders is also that to rename
    /// them, such as the conversation's to `.ssh`. There its configuration is elsewhere (`overlaid`).
    pub locks_in_home: bool,
    /// The program confines its commands itself, in namespaces that it cannot create under Landlock's file rules. If
    /// only Landlock is available, the file rules are left to the program; Unix sockets and signals are still blocked.
    pub own_sandbox: bool,
}

/// A folder of configuration of which a program gets its own: in memory, or a folder of links to the person's entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overlaid {
    /// The person's folder.
    pub folder: PathBuf,
    /// Its entries that the program gets empty.
    pub volatile: Vec<PathBuf>,
    /// The variable by which the program finds another folder.
    pub variable: &'static str,
    /// Files that are beside the folder, and inside one that the variable names.
    pub beside: Vec<PathBuf>,
}

/// A path that an agent must not change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixed {
    /// The path, inside one of `write`.
    pub path: PathBuf,
    /// The content of a created file. `None`: it is a folder.
    pub empty: Option<&'static str>,
}

/// What Claude Code writes at each start or for one session, and does not need later (found with its release 2 under
/// strace).
const CLAUDE_VOLATILE: [&str; 11] = [
    ".last-cleanup",
    "backups",
    "cache",
    "debug",
    "file-history",
    "ide",
    "session-env",
    "sessions",
    "shell-snapshots",
    "statsig",
    "telemetry",
];

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
    /// Returns the access of Claude Code, run directly or by its ACP adapter. It keeps conversations, plans and its
    /// sign-in (a new one replaces the file, or is copied into it where that is refused). The person's own Claude Code
    /// runs much of the rest: hooks, status lines, plugins, `local`, shell snapshots of its sessions, and the servers
    /// that `~/.claude.json` or its backups name.
    pub fn claude() -> Self {
        let kept = ["projects", "todos", "tasks", "plans"].map(|name| Path::new(".claude").join(name));
        Self {
            read: paths(&[".claude.json"]),
            write: kept.into(),
            write_existing: paths(&[".claude/.credentials.json"]),
            overlaid: vec![Overlaid {
                folder: ".claude".into(),
                volatile: CLAUDE_VOLATILE.map(|name| Path::new(".claude").join(name)).into(),
                variable: "CLAUDE_CONFIG_DIR",
                beside: paths(&[".claude.json"]),
            }],
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
        self.write_existing.extend(other.write_existing.iter().cloned());
        self.overlaid.extend(other.overlaid.iter().cloned());
        self.fixed.extend(other.fixed.iter().cloned());
        self.repository.extend(other.repository.clone());
        self.folders.extend(other.folders.iter().cloned());
        self.folders_read_only |= other.folders_read_only;
        self.locks_in_home |= other.locks_in_home;
        self.own_sandbox |= other.own_sandbox;
        self
    }
}
