//! Folders that only we can access, by paths that no other user can change.
//!
//! Owns the checks and their errors. Never reads or writes the files in such a folder.

use super::home::HOME_VARIABLE;
use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};

const FOLDER_MODE: u32 = 0o700;
/// Mode bits: any user may write to the folder (`o+w`), and each may remove only their own files (the sticky bit).
const WORLD_WRITABLE: u32 = 0o002;
const STICKY: u32 = 0o1000;
/// The limit on symlinks that Linux follows.
const MOST_LINKS: usize = 40;
/// The uid that the kernel shows for users of another user namespace, including root: in a container it may own `/`.
const OVERFLOW_UID: u32 = 65534;

#[derive(Debug, thiserror::Error)]
pub enum HomeError {
    #[error("there is no home directory: HOME is not set")]
    NoHome,
    #[error("{0} can't be used: its path is not valid UTF-8")]
    NotUtf8(PathBuf),
    #[error("the session name {0:?} is not valid")]
    BadSession(String),
    /// The path of the browser's socket would be longer than the system allows.
    #[error("the browser name {name:?} is too long for this home")]
    LongBrowserName { name: String, most: usize },
    #[error("{path} can't be used: {source}")]
    Unusable { path: PathBuf, source: io::Error },
    #[error("{path} belongs to another user (uid {owner}, yours is {own})")]
    Foreign { path: PathBuf, owner: u32, own: u32 },
    #[error("{path} can be written by others (mode {mode:o})")]
    Open { path: PathBuf, mode: u32 },
    /// A folder above the home that another user can replace.
    #[error("every user can replace the contents of {path} (mode {mode:o})")]
    Exchangeable { path: PathBuf, mode: u32 },
}

impl HomeError {
    /// Returns the next step as a sentence.
    pub fn hint(&self) -> String {
        match self {
            Self::NoHome => format!("Set HOME, or set {HOME_VARIABLE} to a folder of yours."),
            Self::BadSession(_) => "Use at most 32 letters, digits, - and _.".to_owned(),
            Self::LongBrowserName { most: 0, .. } => {
                format!("The home's path is too long for a browser with a name. Set {HOME_VARIABLE} to a shorter one.")
            }
            Self::LongBrowserName { most, .. } => format!("Choose a name of at most {most} characters."),
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

/// Rejects a path that another user can redirect: each folder and symlink on the way must belong to us or to root, and
/// a folder that everybody may write to must keep others from replacing ours. Folders that do not exist yet pass.
pub fn check_way(path: &Path) -> Result<(), HomeError> {
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
        // An absolute target starts at the root.
        ahead = if target.is_absolute() { target.join(rest) } else { reached.join(target).join(rest) };
        reached = PathBuf::new();
    }
}

/// Creates a private folder, or checks that the existing one is private. Fails if it is not.
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

/// Returns whether a folder is as `private_folder` leaves it.
pub fn is_private(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| {
        let own = rustix::process::geteuid().as_raw();
        found.is_dir() && found.uid() == own && found.permissions().mode() & 0o777 == FOLDER_MODE
    })
}
