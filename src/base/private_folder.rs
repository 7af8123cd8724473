//! Folders that are ours alone, and the way to them that nobody else can change.
//!
//! Owns the checks and their errors. Never reads or writes what lies in such a folder.

use super::home::HOME_VARIABLE;
use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};

const FOLDER_MODE: u32 = 0o700;
/// Any user may write there (`o+w`), and whether each may then remove only what is theirs (the sticky bit).
const WORLD_WRITABLE: u32 = 0o002;
const STICKY: u32 = 0o1000;
/// As many links as Linux follows.
const MOST_LINKS: usize = 40;
/// What the kernel shows instead of users of another user namespace, root among them: in a container `/` may belong to it.
const OVERFLOW_UID: u32 = 65534;

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

/// Refuses a path that another user can lead elsewhere: each folder and link on the way belongs to us or to root, and in a folder
/// that everybody may write to nobody can exchange what is ours. What does not exist yet is ours to make.
pub(super) fn check_way(path: &Path) -> Result<(), HomeError> {
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
pub(super) fn is_private(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| {
        let own = rustix::process::geteuid().as_raw();
        found.is_dir() && found.uid() == own && found.permissions().mode() & 0o777 == FOLDER_MODE
    })
}
