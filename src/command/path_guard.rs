//! Which paths a command may touch: the client's folder and the private temp folder, symlinks resolved.
//!
//! Owns the check and the opening of files for writing, which never follows a link in the last place.

use crate::base::atomic::FILE_MODE;
use crate::protocol::fault::{Fault, FaultCode};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum PathError {
    #[error("Path must be within: {}", allowed.iter().map(|p| p.display().to_string()).collect::<Vec<_>>().join(", "))]
    Outside { allowed: Vec<PathBuf> },
    #[error("{path} can't be used: {source}")]
    Io { path: PathBuf, source: io::Error },
}

impl From<PathError> for Fault {
    fn from(error: PathError) -> Self {
        let (code, hint) = match &error {
            PathError::Outside { .. } => {
                (FaultCode::PathRefused, "Run gstack in the folder that the file shall lie in, or name a path beneath it.")
            }
            PathError::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                (FaultCode::NotFound, "Check the path; folders are not made.")
            }
            PathError::Io { .. } => (FaultCode::Storage, "Check the path's permissions and the disk's free space."),
        };
        Self::new(code, error.to_string()).hint(hint)
    }
}

/// The folders that are open to one call.
#[derive(Clone, Debug)]
pub struct PathGuard {
    /// Relative paths start here.
    base: PathBuf,
    /// Resolved; the base, if the client named one, and the temp folder.
    allowed: Vec<PathBuf>,
}

impl PathGuard {
    /// `cwd`: the client's folder, where it named one; `temporary`: always open.
    pub fn new(cwd: Option<&Path>, temporary: &Path) -> Self {
        let resolve = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let temporary = resolve(temporary);
        let base = cwd.filter(|path| path.is_absolute()).map(resolve);
        let allowed = base.iter().cloned().chain([temporary.clone()]).collect();
        Self { base: base.unwrap_or(temporary), allowed }
    }

    /// Where files without a path of their own go.
    pub fn temporary(&self) -> &Path {
        self.allowed.last().map_or(&self.base, PathBuf::as_path)
    }

    /// A file to read: it exists, and lies within after all links are resolved.
    pub fn existing(&self, path: &str) -> Result<PathBuf, PathError> {
        let path = self.base.join(path);
        let resolved = path.canonicalize().map_err(|source| PathError::Io { path, source })?;
        self.check(resolved)
    }

    /// A file to write: its folder exists and lies within after all links are resolved.
    pub fn writable(&self, path: &str) -> Result<PathBuf, PathError> {
        let path = self.base.join(path);
        let name = match path.components().next_back() {
            Some(Component::Normal(name)) => name.to_owned(),
            _ => return Err(self.outside()),
        };
        let folder = path.parent().unwrap_or(&self.base).to_owned();
        let folder = folder.canonicalize().map_err(|source| PathError::Io { path: folder, source })?;
        self.check(folder.join(name))
    }

    /// Writes a whole file, replacing a plain one. A link in its place is refused, not followed.
    pub fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), PathError> {
        let failed = |source| PathError::Io { path: path.to_owned(), source };
        let found = path.symlink_metadata();
        if found.as_ref().is_ok_and(|found| !found.is_file()) {
            return Err(failed(io::Error::other("it is a link or no plain file")));
        }
        let no_follow = i32::try_from(rustix::fs::OFlags::NOFOLLOW.bits()).unwrap_or(0);
        let mut options = OpenOptions::new();
        options.write(true).mode(FILE_MODE).custom_flags(no_follow);
        let options = if found.is_ok() { options.truncate(true) } else { options.create_new(true) };
        let mut file: File = options.open(path).map_err(failed)?;
        io::Write::write_all(&mut file, bytes).map_err(failed)
    }

    fn check(&self, resolved: PathBuf) -> Result<PathBuf, PathError> {
        if self.allowed.iter().any(|folder| resolved.starts_with(folder)) { Ok(resolved) } else { Err(self.outside()) }
    }

    fn outside(&self) -> PathError {
        PathError::Outside { allowed: self.allowed.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn folders() -> (tempfile::TempDir, PathGuard) {
        let root = tempfile::tempdir().unwrap();
        for name in ["work", "temp", "secret"] {
            std::fs::create_dir(root.path().join(name)).unwrap();
        }
        std::fs::write(root.path().join("secret/key"), "k").unwrap();
        let guard = PathGuard::new(Some(&root.path().join("work")), &root.path().join("temp"));
        (root, guard)
    }

    #[test]
    fn paths_beneath_the_folder_and_the_temp_folder_are_open() {
        let (root, guard) = folders();
        let path = guard.writable("shot.png").unwrap();
        guard.write(&path, b"1").unwrap();
        guard.write(&path, b"22").unwrap();
        assert_eq!(std::fs::read(root.path().join("work/shot.png")).unwrap(), b"22");
        assert!(guard.existing("shot.png").is_ok());
        let temp = root.path().join("temp/x");
        assert!(guard.writable(temp.to_str().unwrap()).is_ok());
    }

    #[test]
    fn no_path_and_no_link_leads_out() {
        let (root, guard) = folders();
        let secret = root.path().join("secret");
        symlink(&secret, root.path().join("work/folder")).unwrap();
        symlink(secret.join("key"), root.path().join("work/file")).unwrap();
        for out in ["../secret/key", "folder/key", "file", secret.join("key").to_str().unwrap()] {
            assert!(matches!(guard.existing(out), Err(PathError::Outside { .. })), "{out}");
        }
        for out in ["../secret/new", "folder/new", "..", "/"] {
            assert!(guard.writable(out).is_err(), "{out}");
        }
        let link = guard.writable("file").unwrap();
        assert!(guard.write(&link, b"x").is_err(), "a link in the last place is not followed");
        assert_eq!(std::fs::read(secret.join("key")).unwrap(), b"k");
    }

    #[test]
    fn without_a_folder_only_the_temp_folder_is_open() {
        let root = tempfile::tempdir().unwrap();
        let guard = PathGuard::new(None, root.path());
        assert!(guard.writable("a.png").unwrap().starts_with(root.path().canonicalize().unwrap()));
        assert!(guard.writable("/etc/a.png").is_err());
    }
}
