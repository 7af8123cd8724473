//! A folder that is held open, so that what is done in it happens there and nowhere else.
//!
//! Owns the opening without symlinks. A path that was judged can lead elsewhere a moment later: a process exchanges a folder
//! of it for a symlink. From a pinned folder on, only the last name counts.

use rustix::fs::{CWD, Mode, OFlags, openat};
use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};

/// Opens a folder for its names alone, where the system has that: it need not be readable.
#[cfg(target_os = "linux")]
const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// A folder held open.
#[derive(Debug)]
pub struct PinnedFolder {
    folder: OwnedFd,
    path: PathBuf,
}

impl PinnedFolder {
    /// Opens a folder by an absolute path in which no symlink is left. Fails if one has come in since.
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

    /// A path of a name in this folder, good while this is held. On Linux it leads here whatever lies at the folder's own path
    /// meanwhile; other systems have no such path.
    pub fn place(&self, name: &OsStr) -> PathBuf {
        self.itself().unwrap_or_else(|| self.path.clone()).join(name)
    }

    /// Opens a file of this folder for reading; a symlink is not followed, and nothing waits for the other end of a pipe.
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
