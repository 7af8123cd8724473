//! A folder that is held open, so that operations in it cannot be redirected.
//!
//! Owns opening it without following symlinks. A validated path can lead elsewhere a moment later, if a process
//! replaces one of its folders with a symlink. In a pinned folder, only the last name is resolved.

use rustix::fs::{CWD, Mode, OFlags, openat};
use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};

/// Opens a folder with `O_PATH` on systems that have it, so the folder need not be readable.
#[cfg(target_os = "linux")]
const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// A folder that is held open.
#[derive(Debug)]
pub struct PinnedFolder {
    folder: OwnedFd,
    path: PathBuf,
}

impl PinnedFolder {
    /// Opens a folder by an absolute path without symlinks. Fails if the path has a symlink now.
    pub fn open(path: &Path) -> io::Result<Self> {
        if !path.is_absolute() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path is not absolute"));
        }
        let mut folder = openat(CWD, "/", FOLDER, Mode::empty())?;
        for part in path.components() {
            folder = match part {
                Component::RootDir | Component::CurDir => continue,
                Component::Normal(name) => openat(&folder, name, FOLDER, Mode::empty())?,
                Component::ParentDir | Component::Prefix(_) => {
                    return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path leads upwards"));
                }
            };
        }
        Ok(Self { folder, path: path.to_owned() })
    }

    /// Returns a path for a name in this folder, valid while this is held. On Linux it leads to this folder even if the
    /// folder's own path was replaced; other systems have no such path.
    pub fn place(&self, name: &OsStr) -> PathBuf {
        self.itself().unwrap_or_else(|| self.path.clone()).join(name)
    }

    /// Opens a file of this folder for reading. Does not follow a symlink and does not block on a pipe. Fails if it is
    /// not a regular file.
    pub fn open_file(&self, name: &OsStr) -> io::Result<File> {
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
        let file = OpenOptions::new().read(true).custom_flags(flags).open(self.place(name))?;
        if file.metadata()?.is_file() {
            return Ok(file);
        }
        Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"))
    }

    #[cfg(target_os = "linux")]
    fn itself(&self) -> Option<PathBuf> {
        use std::os::fd::AsRawFd;
        let path = PathBuf::from(format!("/proc/self/fd/{}", self.folder.as_raw_fd()));
        path.exists().then_some(path)
    }

    #[cfg(not(target_os = "linux"))]
    fn itself(&self) -> Option<PathBuf> {
        let _held = &self.folder;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_symlink_on_the_way_is_refused_and_one_that_comes_later_is_not_followed() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        for folder in ["in/deep", "out/deep"] {
            fs::create_dir_all(root.join(folder)).unwrap();
            fs::write(root.join(folder).join("a"), folder).unwrap();
        }
        symlink(root.join("in"), root.join("link")).unwrap();
        assert!(PinnedFolder::open(&root.join("link/deep")).is_err());
        assert!(PinnedFolder::open(&root.join("in/../out")).is_err() && PinnedFolder::open(Path::new("in")).is_err());
        let pinned = PinnedFolder::open(&root.join("in/deep")).unwrap();
        symlink(root.join("out/deep/a"), root.join("in/deep/b")).unwrap();
        assert!(pinned.open_file(OsStr::new("b")).is_err(), "a symlink in its place");
        assert!(pinned.open_file(OsStr::new(".")).is_err());
        fs::rename(root.join("in"), root.join("gone")).unwrap();
        symlink(root.join("out"), root.join("in")).unwrap();
        if cfg!(target_os = "linux") {
            let mut read = String::new();
            io::Read::read_to_string(&mut pinned.open_file(OsStr::new("a")).unwrap(), &mut read).unwrap();
            assert_eq!(read, "in/deep");
        }
        assert!(PinnedFolder::open(&root.join("in/deep")).is_err());
    }
}
