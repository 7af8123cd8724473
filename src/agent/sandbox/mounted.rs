//! The identity of what the plan opens, so that nothing else takes its place between the plan and the mount.
//!
//! Owns the comparison. An agent of another conversation may replace a folder of its repository by a link at any moment, and
//! bubblewrap follows links. So each path is read without following links, and compared again inside, before the program starts.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// A path, and the file or folder that it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mounted {
    path: PathBuf,
    device: u64,
    number: u64,
}

impl Mounted {
    /// Returns what a path names. `None` if a component of it is a link, or it is gone.
    pub(super) fn at(path: &Path) -> Option<Self> {
        let (device, number) = os::identity(path).ok()?;
        Some(Self { path: path.to_owned(), device, number })
    }

    /// Returns it as an argument of the role that checks it.
    pub(super) fn argument(&self) -> OsString {
        let mut bytes = format!("{}:{}:", self.device, self.number).into_bytes();
        bytes.extend(self.path.as_os_str().as_bytes());
        OsString::from_vec(bytes)
    }

    pub(super) fn parse(argument: &OsStr) -> Option<Self> {
        let mut parts = argument.as_bytes().splitn(3, |byte| *byte == b':');
        let mut number = || std::str::from_utf8(parts.next()?).ok()?.parse().ok();
        let (device, number) = (number()?, number()?);
        Some(Self { path: OsStr::from_bytes(parts.next()?).into(), device, number })
    }

    /// Fails if the path names something else now.
    pub(super) fn check(&self) -> io::Result<()> {
        match os::identity(&self.path) {
            Ok(found) if found == (self.device, self.number) => Ok(()),
            _ => Err(io::Error::other(format!("{} was replaced while the sandbox started", self.path.display()))),
        }
    }
}

#[cfg(target_os = "linux")]
mod os {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, fstat, openat2, stat};
    use rustix::io::Errno;
    use std::io;
    use std::path::Path;

    pub(super) fn identity(path: &Path) -> io::Result<(u64, u64)> {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let found = match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
            Ok(file) => fstat(file)?,
            // Linux before 5.6.
            Err(Errno::NOSYS) => stat(path)?,
            Err(error) => return Err(error.into()),
        };
        Ok((found.st_dev, found.st_ino))
    }
}

#[cfg(not(target_os = "linux"))]
mod os {
    use std::io;
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;

    pub(super) fn identity(path: &Path) -> io::Result<(u64, u64)> {
        let found = path.metadata()?;
        Ok((found.dev(), found.ino()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_folder_that_becomes_a_link_or_another_folder_is_noticed() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let (folder, keys) = (root.join("a: folder"), root.join("keys"));
        for path in [&folder, &keys] {
            fs::create_dir(path).unwrap();
        }
        let seen = Mounted::at(&folder).unwrap();
        assert_eq!(Mounted::parse(&seen.argument()), Some(seen.clone()));
        assert!(seen.check().is_ok());
        fs::rename(&folder, root.join("away")).unwrap();
        assert!(seen.check().is_err());
        symlink(&keys, &folder).unwrap();
        assert!(seen.check().is_err() && Mounted::at(&folder).is_none());
        symlink(root.join("away"), root.join("way")).unwrap();
        fs::create_dir(root.join("away/inner")).unwrap();
        assert!(Mounted::at(&root.join("way/inner")).is_none() && Mounted::at(&root.join("away/inner")).is_some());
    }
}
