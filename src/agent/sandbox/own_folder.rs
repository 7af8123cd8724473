//! Which refused path a person may open to an agent: a folder of the agent's own in the home directory.
//!
//! Owns the rule. Reads only where links lead. Keys, other agents' files, gstack's home, programs and whole folders such as
//! `~/.config` are never offered, whatever an agent writes to its errors.

use super::places::TOOLS;
use super::{Confinement, Sandbox};
use crate::adapter::AgentEnvironment;
use crate::guard::CREDENTIALS;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// Where shells, editors and the desktop find what they start.
const STARTED: [&str; 33] = [
    ".bash_it",
    ".bash_login",
    ".bash_profile",
    ".bashrc",
    ".bashrc.d",
    ".config/autostart",
    ".config/emacs",
    ".config/environment.d",
    ".config/fish",
    ".config/nvim",
    ".config/systemd",
    ".config/tmux",
    ".config/zsh",
    ".emacs.d",
    ".local/share/applications",
    ".local/share/dbus-1",
    ".local/share/systemd",
    ".oh-my-zsh",
    ".profile",
    ".tmux",
    ".vim",
    ".vimrc",
    ".vscode",
    ".vscode-server",
    ".xprofile",
    ".zlogin",
    ".zprezto",
    ".zprofile",
    ".zsh",
    ".zshenv",
    ".zshrc",
    "Library/LaunchAgents",
    "Library/Scripts",
];

/// What a path that the sandbox refused is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefusedPath {
    /// In this folder of the agent's own, which may be opened.
    Own(PathBuf),
    /// In a closed place, or a folder that contains closed places.
    Closed,
    /// Anything else: the person may name it in the configuration.
    Other,
}

impl RefusedPath {
    /// Classifies a path for an agent in this environment. Reads the disk.
    pub fn of(path: &Path, environment: &AgentEnvironment) -> Self {
        let home = environment.variables.get(OsStr::new("HOME")).map(PathBuf::from);
        let (Confinement::In(sandbox), Some(home)) = (&environment.confinement, home) else { return Self::Other };
        match own_folder(path, &home, sandbox) {
            Some(own) => Self::Own(own),
            None if is_closed(path, &home, sandbox) => Self::Closed,
            None => Self::Other,
        }
    }

    /// Returns the folders of this list that may be opened now: a link may have taken the place of one since.
    pub fn open(folders: &[PathBuf], environment: &AgentEnvironment) -> Vec<PathBuf> {
        let is_own = |folder: &&PathBuf| matches!(Self::of(folder, environment), Self::Own(own) if own == **folder);
        folders.iter().filter(is_own).cloned().collect()
    }
}

/// Returns the closed places, as they are named and where they lead.
fn closed_places<'a>(home: &'a Path, sandbox: &'a Sandbox) -> impl Iterator<Item = PathBuf> + 'a {
    let named = CREDENTIALS.iter().map(|place| home.join(place)).chain(sandbox.closed.iter().cloned());
    named.flat_map(|place| [place.canonicalize().ok(), Some(place)]).flatten()
}

fn overlaps(one: &Path, other: &Path) -> bool {
    one.starts_with(other) || other.starts_with(one)
}

fn is_closed(path: &Path, home: &Path, sandbox: &Sandbox) -> bool {
    let real = real(path);
    closed_places(home, sandbox).any(|place| overlaps(path, &place) || overlaps(&real, &place))
}

/// Resolves the links of the part of a path that exists.
fn real(path: &Path) -> PathBuf {
    let found = path.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
    let resolved = found.and_then(|(above, real)| Some(real.join(path.strip_prefix(above).ok()?)));
    // Without a trailing slash, which joining an empty path adds.
    resolved.map_or_else(|| path.to_owned(), |path| path.components().collect())
}

/// Returns the agent's own folder that contains the path, if it may be opened. No component of it is a link.
fn own_folder(path: &Path, home: &Path, sandbox: &Sandbox) -> Option<PathBuf> {
    let real_home = home.canonicalize().ok()?;
    let within = path.strip_prefix(home).or_else(|_| path.strip_prefix(&real_home)).ok()?;
    let parts: Option<Vec<&str>> =
        within.components().map(|part| if let Component::Normal(name) = part { name.to_str() } else { None }).collect();
    let parts = parts?;
    let depth = match *parts.first()? {
        ".local" | "Library" => 3,
        ".config" | ".cache" | ".var" => 2,
        name if name.starts_with('.') => 1,
        _ => return None,
    };
    let inside: PathBuf = parts.get(..depth)?.iter().collect();
    let folder = home.join(&inside);
    let is_folder = folder.symlink_metadata().map_or_else(|_| !folder.is_symlink(), |found| found.is_dir());
    let is_free = |place: &Path| !overlaps(&folder, place);
    let programs = TOOLS.iter().chain(&STARTED).map(|place| home.join(place));
    // What is below it does not matter: the sandbox opens no place to which a link inside leads.
    let is_real = real(&folder) == real_home.join(&inside);
    let is_offered = is_folder
        && is_real
        && closed_places(home, sandbox).all(|place| is_free(&place) && !overlaps(&real_home.join(&inside), &place))
        && programs.into_iter().all(|place| is_free(&place));
    is_offered.then_some(folder)
}

#[cfg(test)]
mod tests {
    use super::RefusedPath;
    use crate::adapter::AgentEnvironment;
    use crate::sandbox::{Access, Confinement, Mechanism, Sandbox};
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::{Path, PathBuf};
    use std::sync::Arc;

    fn environment(home: &Path) -> AgentEnvironment {
        let sandbox = Sandbox {
            mechanism: Mechanism::Seatbelt,
            program: "/bin/sh".into(),
            scratch: home.join(".gs/run"),
            closed: vec![home.join(".gs")],
            added: Access::default(),
        };
        AgentEnvironment {
            variables: [("HOME".into(), home.into())].into(),
            confinement: Confinement::In(Arc::new(sandbox)),
            ..AgentEnvironment::default()
        }
    }

    #[test]
    fn only_a_folder_of_the_agents_own_in_the_home_is_offered() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        for folder in [".ssh", ".gs/run", ".mine", "letters", "dotfiles", ".config/gh", ".local/bin"] {
            fs::create_dir_all(home.join(folder)).unwrap();
        }
        fs::write(home.join(".bashrc"), "").unwrap();
        for (link, target) in
            [(".keys", ".ssh"), (".all", ""), (".letters", "letters"), (".gone", "nowhere"), (".config/keys", ".ssh")]
        {
            symlink(home.join(target), home.join(link)).unwrap();
        }
        symlink("/", home.join(".root")).unwrap();
        let of = |path: &str| RefusedPath::of(&home.join(path), &environment(&home));
        let own = |path: &str| RefusedPath::Own(home.join(path));
        for (path, folder) in [
            (".mine/log/a", ".mine"),
            (".new/log", ".new"),
            (".local/state/mine/locks/a", ".local/state/mine"),
            (".config/mine/settings.json", ".config/mine"),
        ] {
            assert_eq!(of(path), own(folder), "{path}");
        }
        for path in [
            ".ssh",
            ".ssh/id",
            ".gs",
            ".gs/config.toml",
            "",
            "/",
            "/home/..",
            ".keys/id",
            ".all",
            ".all/.ssh",
            ".root",
            ".config",
            ".config/gh/hosts.yml",
            ".config/keys",
            ".claude/x",
            ".aws",
            "/etc/ssh/x",
        ] {
            assert_eq!(of(path), RefusedPath::Closed, "{path}");
        }
        for path in [
            ".bashrc",
            ".letters",
            ".gone",
            ".local/bin",
            ".local/bin/x",
            ".local/state",
            ".cargo/bin",
            "letters/a",
            ".config/autostart/a.desktop",
            ".oh-my-zsh/custom/a.zsh",
            ".zshenv",
            ".config/systemd/user/a",
            ".mine/../.profile",
            "/srv/x",
            "Library/Fonts",
        ] {
            assert!(!matches!(of(path), RefusedPath::Own(_)), "{path}");
        }
    }

    #[test]
    fn a_folder_whose_place_a_link_has_taken_is_opened_no_more() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        for folder in [".ssh", ".gs/run", ".mine", ".other"] {
            fs::create_dir_all(home.join(folder)).unwrap();
        }
        let allowed: Vec<PathBuf> = [".mine", ".other", ".ssh"].map(|name| home.join(name)).into();
        fs::remove_dir(home.join(".other")).unwrap();
        symlink(home.join(".ssh"), home.join(".other")).unwrap();
        assert_eq!(RefusedPath::open(&allowed, &environment(&home)), [home.join(".mine")]);
    }
}
