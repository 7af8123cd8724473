//! `~/.gstack`: where everything of one instance lies, and that nobody else can get in.
//!
//! Owns the paths and the check of their permissions. Never reads or writes what lies there.

pub use super::private_folder::{HomeError, private_folder};

use super::private_folder::{check_way, is_private};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Environment variable that moves the home.
pub const HOME_VARIABLE: &str = "GSTACK_HOME";
/// Environment variable that names an isolated instance beneath the home.
pub const SESSION_VARIABLE: &str = "GSTACK_SESSION";

/// Environment variable that leaves out mechanisms of the agents' sandbox, for tests: `landlock` skips bubblewrap, `none`
/// finds nothing.
pub const MECHANISM_VARIABLE: &str = "GSTACK_SANDBOX_MECHANISM";

/// Beneath the home: one folder an isolated instance.
const INSTANCES: &str = "instances";
/// `sun_path` holds 108 bytes on Linux and 104 on macOS, the final zero included.
const LONGEST_SOCKET_PATH: usize = 103;

/// The folder of one instance. Cheap to clone; holding one means that the folder was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    root: PathBuf,
    sockets: PathBuf,
}

impl Home {
    /// The home that the environment names: `--session` or `GSTACK_SESSION` beneath `GSTACK_HOME` or `~/.gstack`.
    /// Makes it (0700) where it is missing.
    pub fn locate(session: Option<&str>) -> Result<Self, HomeError> {
        let folders = folders(session)?;
        for shared in &folders.above {
            private_folder(shared)?;
        }
        Self::at(folders.root)
    }

    /// The same home if it is there and as it should be, its sockets in it: nothing is made or changed. For a command that only asks.
    pub fn existing(session: Option<&str>) -> Option<Self> {
        let folders = folders(session).ok()?;
        check_way(&folders.root).ok()?;
        folders.root.to_str()?;
        let is_ours = folders.above.iter().chain([&folders.root]).all(|folder| is_private(folder));
        let home = Self::named(folders.root);
        (is_ours && home.sockets_fit()).then_some(home)
    }

    /// A home at a given place. Makes it (0700) where it is missing.
    pub fn at(root: PathBuf) -> Result<Self, HomeError> {
        check_way(&root)?;
        // Agents, browsers and their manifests are told of it in JSON.
        if root.to_str().is_none() {
            return Err(HomeError::NotUtf8(root));
        }
        private_folder(&root)?;
        let home = Self::named(root);
        if home.sockets_fit() {
            return Ok(home);
        }
        Ok(Self { sockets: run_folder(&home.root)?, ..home })
    }

    fn sockets_fit(&self) -> bool {
        self.browser_socket().as_os_str().len() <= LONGEST_SOCKET_PATH
    }

    /// A home that is only named: nothing is made or checked. For a process that may not look there.
    pub fn named(root: PathBuf) -> Self {
        Self { sockets: root.clone(), root }
    }

    /// Every folder of this instance, for what must not be reached by others.
    pub fn closed(&self) -> Vec<PathBuf> {
        let mut all = vec![self.root.clone()];
        all.extend(Some(self.sockets.clone()).filter(|sockets| *sockets != self.root));
        // An instance lies beneath the home that all instances share.
        let shared = self.root.parent().filter(|above| above.file_name().is_some_and(|name| name == INSTANCES));
        all.extend(shared.and_then(Path::parent).map(Path::to_owned));
        all
    }

    pub fn root(&self) -> &Path {
        &self.root
    }
    /// What others may read to find the daemon: pid, port, token, version, mode.
    pub fn state_file(&self) -> PathBuf {
        self.root.join("browse.json")
    }
    /// Held (flock) for as long as a daemon lives.
    pub fn daemon_lock(&self) -> PathBuf {
        self.root.join("daemon.lock")
    }
    /// Held (flock) for as long as a keeper, and so a browser, lives.
    pub fn keeper_lock(&self) -> PathBuf {
        self.root.join("keeper.lock")
    }
    pub fn panel_socket(&self) -> PathBuf {
        self.sockets.join("panel.sock")
    }
    pub fn http_socket(&self) -> PathBuf {
        self.sockets.join("http.sock")
    }
    pub fn browser_socket(&self) -> PathBuf {
        self.sockets.join("browser.sock")
    }
    /// What proves to the browser's keeper that a client is the person's daemon; new for each browser.
    pub fn keeper_key(&self) -> PathBuf {
        self.root.join("keeper.key")
    }
    pub fn daemon_log(&self) -> PathBuf {
        self.root.join("daemon.log")
    }
    pub fn keeper_log(&self) -> PathBuf {
        self.root.join("keeper.log")
    }
    pub fn config_file(&self) -> PathBuf {
        self.root.join("config.toml")
    }
    /// What persons have allowed and denied agents.
    pub fn policy_file(&self) -> PathBuf {
        self.root.join("policy.json")
    }
    /// What was decided about agents' actions.
    pub fn audit_file(&self) -> PathBuf {
        self.root.join("audit.jsonl")
    }
    /// What pages said, asked for and showed as dialogs, where a person wants it written.
    pub fn capture_file(&self) -> PathBuf {
        self.root.join("capture.jsonl")
    }
    /// One folder a conversation.
    pub fn conversations(&self) -> PathBuf {
        self.root.join("sessions")
    }
    /// Room for what must be written when the disk is full.
    pub fn reserve(&self) -> PathBuf {
        self.root.join("reserve")
    }
    /// What was done in the browser, for the daemon after this one.
    pub fn activity_file(&self) -> PathBuf {
        self.root.join("activity.jsonl")
    }
    /// Where `connect` was run last.
    pub fn connected_file(&self) -> PathBuf {
        self.root.join("connected.json")
    }
    /// The keys of the browsers whose side panels are confirmed.
    pub fn panels_file(&self) -> PathBuf {
        self.root.join("panels.json")
    }
    /// Which everyday browser is in use.
    pub fn everyday_file(&self) -> PathBuf {
        self.root.join("everyday.json")
    }
    /// The numbers of the tabs, for the next daemon.
    pub fn tabs_file(&self) -> PathBuf {
        self.root.join("tabs.json")
    }
    pub fn browser_profile(&self) -> PathBuf {
        self.root.join("chromium-profile")
    }
    /// The extension, unpacked from the binary.
    pub fn extension(&self) -> PathBuf {
        self.root.join("extension")
    }
    /// The folder of conversations that have none.
    pub fn workspace(&self) -> PathBuf {
        self.root.join("workspace")
    }
    /// Git work trees of conversations, a folder each.
    pub fn worktrees(&self) -> PathBuf {
        self.root.join("worktrees")
    }
    /// Where screenshots and downloads without a path go; old ones are removed when a daemon starts.
    pub fn temporary(&self) -> PathBuf {
        self.root.join("tmp")
    }
    /// Where the browser writes downloads before they have a name.
    pub fn incoming(&self) -> PathBuf {
        self.temporary().join("incoming")
    }
    /// For files that live as long as a process of ours (an agent's MCP configuration).
    pub fn run_files(&self) -> PathBuf {
        self.root.join("run")
    }
}

/// What the environment and `--session` name.
struct Folders {
    /// Shared by all instances, from the outermost on.
    above: Vec<PathBuf>,
    root: PathBuf,
}

fn folders(session: Option<&str>) -> Result<Folders, HomeError> {
    let base = match std::env::var_os(HOME_VARIABLE).filter(|v| !v.is_empty()) {
        Some(path) => {
            std::path::absolute(&path).map_err(|source| HomeError::Unusable { path: PathBuf::from(&path), source })?
        }
        None => dirs::home_dir().ok_or(HomeError::NoHome)?.join(".gstack"),
    };
    let from_environment = std::env::var_os(SESSION_VARIABLE).map(|name| name.to_string_lossy().into_owned());
    match session.or(from_environment.as_deref()).filter(|name| !name.is_empty()) {
        Some(name) if is_session_name(name) => {
            let instances = base.join(INSTANCES);
            Ok(Folders { root: instances.join(name), above: vec![base, instances] })
        }
        Some(name) => Err(HomeError::BadSession(name.to_owned())),
        None => Ok(Folders { root: base, above: Vec::new() }),
    }
}

/// Letters, digits, `-` and `_`, 1 to 32 of them.
fn is_session_name(name: &str) -> bool {
    (1..=32).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}

/// A short per-user folder for sockets whose home path is too long for `sun_path`.
fn run_folder(root: &Path) -> Result<PathBuf, HomeError> {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    root.hash(&mut hasher);
    let base = dirs::runtime_dir().unwrap_or_else(|| PathBuf::from("/tmp"));
    let own = base.join(format!("gstack-{}", rustix::process::geteuid().as_raw()));
    // In a folder that others write to, a link of this name would lead to wherever they like.
    if fs::symlink_metadata(&own).is_ok_and(|found| found.is_symlink()) {
        let source = io::Error::new(io::ErrorKind::NotADirectory, "it is a link");
        return Err(HomeError::Unusable { path: own, source });
    }
    private_folder(&own)?;
    let folder = own.join(format!("{:016x}", hasher.finish()));
    private_folder(&folder)?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_home_is_made_for_its_owner_alone_and_one_that_others_may_read_is_closed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("a/b");
        Home::at(root.clone()).unwrap();
        assert_eq!(mode(&root), 0o700);
        fs::set_permissions(&root, fs::Permissions::from_mode(0o755)).unwrap();
        Home::at(root.clone()).unwrap();
        assert_eq!(mode(&root), 0o700);
    }

    #[test]
    fn a_home_that_is_asked_for_as_it_is_is_neither_made_nor_changed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("a");
        assert!(!is_private(&root) && !root.exists());
        Home::at(root.clone()).unwrap();
        assert!(is_private(&root));
        fs::set_permissions(&root, fs::Permissions::from_mode(0o755)).unwrap();
        assert!(!is_private(&root) && mode(&root) == 0o755);
    }

    #[test]
    fn a_home_that_others_may_write_is_refused_with_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
        let error = Home::at(folder.path().to_owned()).unwrap_err();
        assert!(matches!(error, HomeError::Open { mode: 0o777, .. }), "{error}");
        assert!(error.hint().contains("chmod 700"), "{}", error.hint());
    }

    #[test]
    fn sockets_of_a_deep_home_lie_where_their_path_fits() {
        let folder = tempfile::tempdir().unwrap();
        let near = Home::at(folder.path().join("near")).unwrap();
        assert_eq!(near.panel_socket(), near.root().join("panel.sock"));
        let deep = Home::at(folder.path().join("d".repeat(LONGEST_SOCKET_PATH))).unwrap();
        assert!(deep.browser_socket().as_os_str().len() <= LONGEST_SOCKET_PATH);
        assert_eq!(Home::at(deep.root().to_owned()).unwrap(), deep, "every process finds the same");
        fs::remove_dir(&deep.sockets).unwrap();
    }

    #[test]
    fn a_session_name_is_no_path() {
        for name in ["work", "a-b_1", &"x".repeat(32)] {
            assert!(is_session_name(name), "{name}");
        }
        for name in ["", "..", "a/b", "a b", "ä", &"x".repeat(33)] {
            assert!(!is_session_name(name), "{name}");
        }
    }
}
