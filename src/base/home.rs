//! `~/.gstack`: where everything of one instance lies, and that nobody else can get in.
//!
//! Owns the paths and the check of their permissions. Never reads or writes what lies there.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};

/// Environment variable that moves the home.
pub const HOME_VARIABLE: &str = "GSTACK_HOME";
/// Environment variable that names an isolated instance beneath the home.
pub const SESSION_VARIABLE: &str = "GSTACK_SESSION";

/// Environment variable that leaves out mechanisms of the agents' sandbox, for tests: `landlock` skips bubblewrap, `none`
/// finds nothing.
pub const MECHANISM_VARIABLE: &str = "GSTACK_SANDBOX_MECHANISM";

const FOLDER_MODE: u32 = 0o700;
/// Beneath the home: one folder an isolated instance.
const INSTANCES: &str = "instances";
/// Any user may write there (`o+w`), and whether each may then remove only what is theirs (the sticky bit).
const WORLD_WRITABLE: u32 = 0o002;
const STICKY: u32 = 0o1000;
/// As many links as Linux follows.
const MOST_LINKS: usize = 40;
/// What the kernel shows instead of users of another user namespace, root among them: in a container `/` may belong to it.
const OVERFLOW_UID: u32 = 65534;
/// `sun_path` holds 108 bytes on Linux and 104 on macOS, the final zero included.
const LONGEST_SOCKET_PATH: usize = 103;

#[derive(Debug, thiserror::Error)]
pub enum HomeError {
    #[error("there is no home directory: HOME is not set")]
    NoHome,
    #[error("{0} can't be used: its path is not valid UTF-8")]
    NotUtf8(PathBuf),
    #[error("the session name {0:?} is not usable")]
    BadSession(String),
    #[error("{path} can't be used: {source}")]
    Unusable { path: PathBuf, source: io::Error },
    #[error("{path} belongs to another user (uid {owner}, yours is {own})")]
    Foreign { path: PathBuf, owner: u32, own: u32 },
    #[error("{path} can be written by others (mode {mode:o})")]
    Open { path: PathBuf, mode: u32 },
    /// A folder above the home.
    #[error("every user may exchange what lies in {path} (mode {mode:o})")]
    Exchangeable { path: PathBuf, mode: u32 },
}

impl HomeError {
    /// The next step, in words.
    pub fn hint(&self) -> String {
        match self {
            Self::NoHome => format!("Set HOME, or set {HOME_VARIABLE} to a folder of yours."),
            Self::BadSession(_) => "A session name has letters, digits, - and _ only, at most 32 of them.".to_owned(),
            Self::NotUtf8(_) => format!("Set {HOME_VARIABLE} to a folder with another name."),
            Self::Unusable { path, source } => super::trouble::hint(path, source),
            Self::Foreign { .. } => format!("Set {HOME_VARIABLE} to a folder of your own."),
            Self::Open { path, .. } => format!("Run: chmod 700 '{}'", path.display()),
            Self::Exchangeable { path, .. } => {
                format!("Set {HOME_VARIABLE} to a folder of your own, or run: chmod o-w '{}'", path.display())
            }
        }
    }
}

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

/// Refuses a path that another user can lead elsewhere: each folder and link on the way belongs to us or to root, and in a folder
/// that everybody may write to nobody can exchange what is ours. What does not exist yet is ours to make.
fn check_way(path: &Path) -> Result<(), HomeError> {
    let unusable = |path: &Path, source| HomeError::Unusable { path: path.to_owned(), source };
    let own = rustix::process::geteuid().as_raw();
    let mut ahead = std::path::absolute(path).map_err(|source| unusable(path, source))?;
    let mut reached = PathBuf::new();
    let mut links = 0;
    loop {
        let mut components = ahead.components();
        let Some(next) = components.next() else { return Ok(()) };
        let rest = components.as_path().to_owned();
        if next == Component::ParentDir {
            reached.pop();
            ahead = rest;
            continue;
        }
        let here = reached.join(next);
        let found = match fs::symlink_metadata(&here) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            found => found.map_err(|source| unusable(&here, source))?,
        };
        let owner = found.uid();
        let is_foreign_folder = found.is_dir() && owner != OVERFLOW_UID;
        if ![0, own].contains(&owner) && (found.is_symlink() || is_foreign_folder) {
            return Err(HomeError::Foreign { path: here, owner, own });
        }
        let mode = found.permissions().mode();
        if found.is_dir() && !rest.as_os_str().is_empty() && mode & WORLD_WRITABLE != 0 && mode & STICKY == 0 {
            return Err(HomeError::Exchangeable { path: here, mode: mode & 0o7777 });
        }
        if !found.is_symlink() {
            (reached, ahead) = (here, rest);
            continue;
        }
        links += 1;
        if links > MOST_LINKS {
            return Err(unusable(&here, io::Error::new(io::ErrorKind::InvalidInput, "too many links")));
        }
        let target = fs::read_link(&here).map_err(|source| unusable(&here, source))?;
        // A target that is absolute begins at the root.
        ahead = if target.is_absolute() { target.join(rest) } else { reached.join(target).join(rest) };
        reached = PathBuf::new();
    }
}

/// Makes a folder that is ours alone, or checks that the one which is there is.
pub fn private_folder(path: &Path) -> Result<(), HomeError> {
    let unusable = |source| HomeError::Unusable { path: path.to_owned(), source };
    fs::DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(path).map_err(unusable)?;
    let found = fs::metadata(path).map_err(unusable)?;
    let own = rustix::process::geteuid().as_raw();
    if found.uid() != own {
        return Err(HomeError::Foreign { path: path.to_owned(), owner: found.uid(), own });
    }
    let mode = found.permissions().mode() & 0o777;
    if mode & 0o022 != 0 {
        return Err(HomeError::Open { path: path.to_owned(), mode });
    }
    if mode != FOLDER_MODE {
        fs::set_permissions(path, fs::Permissions::from_mode(FOLDER_MODE)).map_err(unusable)?;
    }
    Ok(())
}

/// Whether a folder is as `private_folder` leaves it.
fn is_private(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| {
        let own = rustix::process::geteuid().as_raw();
        found.is_dir() && found.uid() == own && found.permissions().mode() & 0o777 == FOLDER_MODE
    })
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
