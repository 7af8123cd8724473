//! `~/.gstack`: the folder that holds everything of one instance and that no other user can access.
//!
//! Owns the paths and the check of their permissions. Never reads or writes the files in it.

pub use super::private_folder::{HomeError, private_folder};

use super::browser_names::BrowserName;
use super::plain_name::is_name;
use super::private_folder::{check_way, is_private};
use super::profiles::DEFAULT;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Environment variable that sets the home folder.
pub const HOME_VARIABLE: &str = "GSTACK_HOME";
/// Environment variable that names an isolated instance in the home.
pub const SESSION_VARIABLE: &str = "GSTACK_SESSION";

/// Environment variable that disables mechanisms of the agents' sandbox, for tests: `landlock` skips bubblewrap, `none`
/// disables both.
pub const MECHANISM_VARIABLE: &str = "GSTACK_SANDBOX_MECHANISM";

/// The folder in the home that holds one folder per isolated instance.
const INSTANCES: &str = "instances";
/// `sun_path` holds 108 bytes on Linux and 104 on macOS, including the terminating zero.
pub(super) const LONGEST_SOCKET_PATH: usize = 103;

/// The folder of one instance. Cheap to clone. A value means that the folder was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    pub(super) root: PathBuf,
    pub(super) sockets: PathBuf,
    /// The browser whose files the paths of a browser lead to. `None` for the main one.
    pub(super) browser: Option<BrowserName>,
}

impl Home {
    /// Returns the home that the environment names: `--session` or `GSTACK_SESSION` in `GSTACK_HOME` or `~/.gstack`.
    /// Creates it (0700) if it does not exist.
    ///
    /// # Errors
    ///
    /// Fails if the home cannot be determined or created, its path is not UTF-8, or another user can access or redirect
    /// it.
    pub fn locate(session: Option<&str>) -> Result<Self, HomeError> {
        let folders = folders(session)?;
        for shared in &folders.above {
            private_folder(shared)?;
        }
        Self::at(folders.root)
    }

    /// Returns the same home, with its socket folder, if it exists and its permissions are right. Creates and changes
    /// nothing. For read-only commands.
    pub fn existing(session: Option<&str>) -> Option<Self> {
        let folders = folders(session).ok()?;
        folders.above.iter().all(|folder| is_private(folder)).then_some(())?;
        Self::found(folders.root)
    }

    /// Returns the home at a path under the same conditions.
    pub fn found(root: PathBuf) -> Option<Self> {
        check_way(&root).ok()?;
        root.to_str()?;
        is_private(&root).then_some(())?;
        let home = Self::named(root);
        if home.sockets_fit() {
            return Some(home);
        }
        let (own, folder) = run_folders(&home.root);
        let is_ours = !is_link(&own) && is_private(&own) && is_private(&folder);
        is_ours.then_some(Self { sockets: folder, ..home })
    }

    /// Returns the folder that all instances share, as the environment names it.
    ///
    /// # Errors
    ///
    /// Fails if the home cannot be determined.
    pub fn shared_root() -> Result<PathBuf, HomeError> {
        base()
    }

    /// Returns the folder with one folder per session of the home at this path.
    pub fn instances_of(shared: &Path) -> PathBuf {
        shared.join(INSTANCES)
    }

    /// Returns a home at the given path. Creates it (0700) if it does not exist.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be created, its path is not UTF-8, or another user can access or redirect it.
    pub fn at(root: PathBuf) -> Result<Self, HomeError> {
        check_way(&root)?;
        // Agents, browsers and their manifests get the path in JSON.
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

    /// Returns a home without creating or checking it. For a process that may not access it.
    pub fn named(root: PathBuf) -> Self {
        Self { sockets: root.clone(), root, browser: None }
    }

    /// Returns every folder of this instance, for rules that deny access to it.
    pub fn closed(&self) -> Vec<PathBuf> {
        let mut all = vec![self.root.clone()];
        all.extend(Some(self.sockets.clone()).filter(|sockets| *sockets != self.root));
        // An instance's folder is inside the home that all instances share.
        let shared = self.root.parent().filter(|above| above.file_name().is_some_and(|name| name == INSTANCES));
        all.extend(shared.and_then(Path::parent).map(Path::to_owned));
        all
    }

    /// Returns the name of this instance; `None` for the default one.
    pub fn session(&self) -> Option<&str> {
        let instances = self.root.parent().filter(|above| above.file_name().is_some_and(|name| name == INSTANCES))?;
        let is_ours = instances.parent().is_some_and(is_private) && is_private(instances);
        self.root.file_name()?.to_str().filter(|name| is_ours && is_name(name))
    }

    /// Returns the name by which people choose this instance.
    pub fn session_or_default(&self) -> &str {
        self.session().unwrap_or(DEFAULT)
    }

    /// Returns the folder that all instances of the home share: that of the default instance.
    pub fn shared(&self) -> &Path {
        let shared = self.session().and_then(|_| self.root.parent()?.parent());
        shared.unwrap_or(&self.root)
    }

    /// Returns the path of the folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }
    /// Returns the path of the file by which scripts find the daemon: pid, port, token, version, mode.
    pub fn state_file(&self) -> PathBuf {
        self.root.join("browse.json")
    }
    /// Returns the path of the lock (flock) that a daemon holds while it runs.
    pub fn daemon_lock(&self) -> PathBuf {
        self.root.join("daemon.lock")
    }
    /// Returns the path of the Unix socket on which native messaging hosts reach the daemon.
    pub fn panel_socket(&self) -> PathBuf {
        self.sockets.join("panel.sock")
    }
    /// Returns the path of the Unix socket on which the command line reaches the daemon.
    pub fn http_socket(&self) -> PathBuf {
        self.sockets.join("http.sock")
    }
    /// Returns the path of the daemon's log.
    pub fn daemon_log(&self) -> PathBuf {
        self.root.join("daemon.log")
    }
    /// Returns the path of the person's settings.
    pub fn config_file(&self) -> PathBuf {
        self.root.join("config.toml")
    }
    /// Returns the path of the permissions that the person has saved for agents.
    pub fn policy_file(&self) -> PathBuf {
        self.root.join("policy.json")
    }
    /// Returns the path of the decisions about agents' actions.
    pub fn audit_file(&self) -> PathBuf {
        self.root.join("audit.jsonl")
    }
    /// Returns the folder with one folder per conversation.
    pub fn conversations(&self) -> PathBuf {
        self.root.join("sessions")
    }
    /// Returns the folder that reserves disk space for writes when the disk is full.
    pub fn reserve(&self) -> PathBuf {
        self.root.join("reserve")
    }
    /// Returns the path of the browser activity, kept for the next daemon.
    pub fn activity_file(&self) -> PathBuf {
        self.root.join("activity.jsonl")
    }
    /// Returns the path of the file that names the folder in which `connect` was last run.
    pub fn connected_file(&self) -> PathBuf {
        self.root.join("connected.json")
    }
    /// Returns the path of the keys of the browsers whose side panels are confirmed.
    pub fn panels_file(&self) -> PathBuf {
        self.root.join("panels.json")
    }
    /// Returns the path of the saved sign-ins, which are encrypted.
    pub fn sign_ins_file(&self) -> PathBuf {
        self.root.join("sign-ins.age")
    }
    /// Returns the path of the sessions that were created on other machines and must be released there.
    pub fn remote_sessions_file(&self) -> PathBuf {
        self.root.join("remote-sessions.json")
    }
    /// Returns the path of the lock that a `gstack run` holds in the homes of its sessions.
    pub fn owner_lock(&self) -> PathBuf {
        self.root.join("owner.lock")
    }
    /// Returns the path of the list of recordings that are under way.
    pub fn recordings_file(&self) -> PathBuf {
        self.root.join("recordings.json")
    }
    /// Returns the folder of the extension, unpacked from the binary.
    pub fn extension(&self) -> PathBuf {
        self.root.join("extension")
    }
    /// Returns the working folder of conversations without one of their own.
    pub fn workspace(&self) -> PathBuf {
        self.root.join("workspace")
    }
    /// Returns the folder of the conversations' git work trees, one folder each.
    pub fn worktrees(&self) -> PathBuf {
        self.root.join("worktrees")
    }
    /// Returns the folder of screenshots and downloads without a path. A daemon removes old ones when it starts.
    pub fn temporary(&self) -> PathBuf {
        self.root.join("tmp")
    }
    /// Returns the folder to which the browser writes downloads before they have a name.
    pub fn incoming(&self) -> PathBuf {
        self.temporary().join("incoming")
    }
    /// Returns the folder of files that exist only while one of our processes runs (an agent's MCP configuration).
    pub fn run_files(&self) -> PathBuf {
        self.root.join("run")
    }
    /// Returns the folder of copies that pages of this daemon's tabs may still read.
    pub fn uploads(&self) -> PathBuf {
        self.run_files().join("uploads")
    }
}

/// The folders that the environment and `--session` name.
struct Folders {
    /// The folders shared by all instances, outermost first.
    above: Vec<PathBuf>,
    root: PathBuf,
}

/// Returns the folder that all instances share.
fn base() -> Result<PathBuf, HomeError> {
    match std::env::var_os(HOME_VARIABLE).filter(|v| !v.is_empty()) {
        Some(path) => {
            std::path::absolute(&path).map_err(|source| HomeError::Unusable { path: PathBuf::from(&path), source })
        }
        None => Ok(dirs::home_dir().ok_or(HomeError::NoHome)?.join(".gstack")),
    }
}

fn folders(session: Option<&str>) -> Result<Folders, HomeError> {
    let base = base()?;
    let from_environment = std::env::var_os(SESSION_VARIABLE).map(|name| name.to_string_lossy().into_owned());
    match session.or(from_environment.as_deref()).filter(|name| !name.is_empty() && *name != DEFAULT) {
        Some(name) if is_name(name) => {
            let instances = base.join(INSTANCES);
            Ok(Folders { root: instances.join(name), above: vec![base, instances] })
        }
        Some(name) => Err(HomeError::BadSession(name.to_owned())),
        None => Ok(Folders { root: base, above: Vec::new() }),
    }
}

/// Returns a short per-user folder for sockets, used if the home's path is too long for `sun_path`.
fn run_folder(root: &Path) -> Result<PathBuf, HomeError> {
    let (own, folder) = run_folders(root);
    // In a world-writable folder, another user could have placed a symlink of this name.
    if is_link(&own) {
        let source = io::Error::new(io::ErrorKind::NotADirectory, "it is a link");
        return Err(HomeError::Unusable { path: own, source });
    }
    private_folder(&own)?;
    private_folder(&folder)?;
    Ok(folder)
}

/// Returns this user's folder for sockets, and the one in it for this home.
fn run_folders(root: &Path) -> (PathBuf, PathBuf) {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    root.hash(&mut hasher);
    let base = dirs::runtime_dir().unwrap_or_else(|| PathBuf::from("/tmp"));
    let own = base.join(format!("gstack-{}", rustix::process::geteuid().as_raw()));
    let folder = own.join(format!("{:016x}", hasher.finish()));
    (own, folder)
}

fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink())
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
        assert_eq!(Home::found(deep.root().to_owned()), Some(deep.clone()), "also one that creates nothing");
        fs::remove_dir(&deep.sockets).unwrap();
    }

    #[test]
    fn the_folder_that_instances_share_counts_only_if_it_is_private() {
        let folder = tempfile::tempdir().unwrap();
        let base = Home::at(folder.path().join("g")).unwrap();
        private_folder(&base.root().join(INSTANCES)).unwrap();
        let shop = Home::at(base.root().join("instances/shop")).unwrap();
        assert_eq!((base.session(), base.shared()), (None, base.root()));
        assert_eq!((shop.session(), shop.shared()), (Some("shop"), base.root()));
        fs::set_permissions(base.root(), fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!((shop.session(), shop.shared()), (None, shop.root()), "a folder that happens to have that name");
    }
}
