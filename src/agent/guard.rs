//! The files that no agent's file tools may access: credentials, and gstack's own.
//!
//! Owns the list and the check. Never asks a person: these files are closed whatever they would answer.

use serde_json::Value;
use std::path::{Component, Path, PathBuf};

/// Keys, tokens and sessions of the usual tools and browsers, and secrets of the system. Relative paths are below the home
/// directory. The only such list: the sandbox closes the same places.
pub const CREDENTIALS: [&str; 69] = [
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".password-store",
    ".config/gcloud",
    ".config/gh",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
    ".mozilla",
    ".local/share/keyrings",
    ".claude",
    ".claude.json",
    ".codex",
    ".gemini",
    ".gstack",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".config/git/credentials",
    ".config/microsoft-edge-beta",
    ".config/opera",
    ".config/vivaldi",
    ".local/share/kwalletd",
    ".cache/google-chrome",
    ".cache/chromium",
    ".cache/mozilla",
    ".thunderbird",
    ".var/app",
    ".terraform.d",
    ".config/op",
    ".config/hub",
    ".local/share/containers",
    ".bash_history",
    ".zsh_history",
    "snap/firefox",
    "Library/Keychains",
    "Library/Application Support/Google/Chrome",
    "Library/Application Support/Firefox",
    ".gem/credentials",
    ".local/share/gem/credentials",
    ".local/share/uv/credentials",
    ".opam/plugins/opam-publish",
    ".config/mise",
    ".rye/credentials",
    ".npm-global/etc",
    ".yarnrc.yml",
    ".m2/settings.xml",
    ".gradle/gradle.properties",
    ".nuget",
    ".bundle/config",
    ".vault-token",
    ".config/pypoetry",
    ".config/rclone",
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/ssh",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/ssl/private",
];

/// The closed places of one conversation.
#[derive(Clone, Debug)]
pub struct Guard {
    folder: PathBuf,
    closed: Vec<PathBuf>,
}

impl Guard {
    pub fn new(folder: &Path, home: Option<&Path>, off_limits: &[PathBuf]) -> Self {
        let mut closed: Vec<PathBuf> = CREDENTIALS
            .iter()
            .filter_map(|place| match home {
                Some(home) => Some(home.join(place)),
                None => Some(PathBuf::from(place)).filter(|place| place.is_absolute()),
            })
            .collect();
        closed.extend(off_limits.iter().cloned());
        Self { folder: resolve(folder), closed: closed.iter().map(|place| resolve(place)).collect() }
    }

    /// Returns true for a path inside the conversation's folder that is not closed.
    pub fn is_open(&self, path: &Path) -> bool {
        resolve(path).starts_with(&self.folder) && !self.is_closed(path)
    }

    /// Returns true for a path that no tool may touch. The conversation's folder remains open even inside a closed
    /// place.
    pub fn is_closed(&self, path: &Path) -> bool {
        let path = resolve(path);
        self.closed.iter().any(|place| {
            let folder_inside = self.folder.starts_with(place);
            path.starts_with(place) && !(folder_inside && path.starts_with(&self.folder))
        })
    }

    /// Returns the closed places that do not contain the conversation's folder, absolute and without symlinks.
    pub fn places(&self) -> impl Iterator<Item = &Path> {
        self.closed.iter().filter(|place| !self.folder.starts_with(place)).map(PathBuf::as_path)
    }

    /// Returns the path that a file tool's call concerns, or the folder itself if it names none.
    pub fn path_of(&self, input: &Value) -> PathBuf {
        let named = ["file_path", "notebook_path", "path"].into_iter().find_map(|name| input.get(name)?.as_str());
        named.map_or_else(|| self.folder.clone(), |path| self.folder.join(path))
    }

    /// Returns the same rules in Claude Code's format (an absolute path begins with `//`). They also apply inside the
    /// folder, where it reads without asking.
    pub fn deny_rules(&self) -> Vec<String> {
        self.places()
            .flat_map(|place| {
                let place = place.display();
                ["Read", "Edit"].map(|tool| [format!("{tool}(/{place})"), format!("{tool}(/{place}/**)")])
            })
            .flatten()
            .collect()
    }
}

/// Resolves `.`, `..` and symbolic links, as far as the path exists.
fn resolve(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    let existing = plain.ancestors().find_map(|ancestor| Some((ancestor, ancestor.canonicalize().ok()?)));
    match existing {
        Some((ancestor, real)) => plain
            .strip_prefix(ancestor)
            .map_or(plain.clone(), |rest| if rest.as_os_str().is_empty() { real } else { real.join(rest) }),
        None => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::Guard;
    use serde_json::json;
    use std::path::Path;

    #[test]
    fn credentials_and_links_to_them_are_closed_and_the_folder_is_open() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        let folder = home.join("project");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::create_dir(home.join(".ssh")).unwrap();
        std::os::unix::fs::symlink(home.join(".ssh"), folder.join("link")).unwrap();
        let guard = Guard::new(&folder, Some(&home), &[home.join("state")]);
        for closed in [".ssh/id", "project/../.ssh/id", "project/link/new", "state/browse.json", ".netrc"] {
            assert!(guard.is_closed(&home.join(closed)), "{closed}");
        }
        assert!(guard.is_open(&folder.join("src/new.rs")) && !guard.is_open(Path::new("/etc/hostname")));
        assert!(!guard.is_open(&folder.join("link/id")));
        assert_eq!(guard.path_of(&json!({"path": "src"})), folder.join("src"));
        assert!(guard.deny_rules().contains(&format!("Read(/{}/.ssh/**)", home.display())));
    }

    #[test]
    fn a_folder_inside_a_closed_one_stays_open() {
        let home = tempfile::tempdir().unwrap();
        let state = home.path().canonicalize().unwrap();
        let guard = Guard::new(&state.join("workspace"), None, std::slice::from_ref(&state));
        assert!(guard.is_open(&state.join("workspace/a.txt")));
        assert!(guard.is_closed(&state.join("browse.json")));
        let shown = state.display().to_string();
        assert!(!guard.deny_rules().iter().any(|rule| rule.contains(&shown)));
    }
}
