//! A file that appears at its path only once it is complete.
//!
//! Owns the place of the bytes until then. On Linux the file has no name (`O_TMPFILE`), so nothing is left if the process
//! is killed; on file systems without that, it is a hidden file in the same folder. Never follows a symlink at its
//! path.

use super::atomic::FILE_MODE;
use super::pinned::PinnedFolder;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

pub struct WholeFile {
    file: File,
    place: PathBuf,
    /// The file's name until it is moved into place. On Linux only used while an existing file is replaced.
    temporary: PathBuf,
    /// Whether the file has that name now.
    is_named: bool,
    /// The folder through which the two paths lead, if it is pinned.
    _pinned: Option<PinnedFolder>,
}

impl WholeFile {
    /// Creates a new file for `place`, mode 0600.
    pub fn create(place: &Path) -> io::Result<Self> {
        Self::create_through(None, place)
    }

    fn create_through(pinned: Option<PinnedFolder>, place: &Path) -> io::Result<Self> {
        let folder = folder(place);
        let name =
            place.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "a file name is missing"))?;
        let temporary = folder.join(format!(".{}.{}", name.to_string_lossy(), uuid::Uuid::new_v4().simple()));
        let place = place.to_owned();
        match os::open_unnamed(folder)? {
            Some(file) => Ok(Self { file, place, temporary, is_named: false, _pinned: pinned }),
            None => {
                let file = OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(&temporary)?;
                Ok(Self { file, place, temporary, is_named: true, _pinned: pinned })
            }
        }
    }

    /// Creates a file like [`Self::create`], for a validated absolute path without symlinks. Fails if the path has a
    /// symlink now. The file goes into the folder that is there now, even if that folder is replaced before the file is
    /// complete.
    pub fn create_judged(place: &Path) -> io::Result<Self> {
        let pinned = PinnedFolder::open(folder(place))?;
        let place = pinned.place(place.file_name().unwrap_or_default());
        Self::create_through(Some(pinned), &place)
    }

    /// Returns the file to write to.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Finishes like [`Self::finish`], but fails if the path exists already.
    pub fn finish_new(self) -> io::Result<()> {
        self.file.sync_all()?;
        if self.is_named { fs::hard_link(&self.temporary, &self.place) } else { os::give_name(&self.file, &self.place) }
    }

    /// Syncs the content to disk, then moves it into place, replacing any existing file. Blocks on disk I/O.
    pub fn finish(self) -> io::Result<()> {
        self.file.sync_all()?;
        self.finish_unsynced()
    }

    /// Moves the content into place, replacing any existing file. After a power loss the file may be empty.
    pub fn finish_unsynced(mut self) -> io::Result<()> {
        if !self.is_named {
            // The common case: the path does not exist yet.
            match os::give_name(&self.file, &self.place) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                other => return other,
            }
            os::give_name(&self.file, &self.temporary)?;
            self.is_named = true;
        }
        fs::rename(&self.temporary, &self.place)?;
        self.is_named = false;
        Ok(())
    }

    /// Finishes like [`Self::finish`], and also syncs the folder's entry to disk.
    pub fn finish_synced(self) -> io::Result<()> {
        let folder = File::open(folder(&self.place))?;
        self.finish()?;
        folder.sync_all()
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        if self.is_named
            && let Err(error) = fs::remove_file(&self.temporary)
        {
            tracing::warn!(%error, "an unfinished file could not be removed");
        }
    }
}

/// Returns the folder of a path.
pub(super) fn folder(place: &Path) -> &Path {
    place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(target_os = "linux")]
mod os {
    use super::super::atomic::FILE_MODE;
    use rustix::fs::{AtFlags, CWD, OFlags, linkat};
    use std::fs::{File, OpenOptions};
    use std::io;
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::OpenOptionsExt;
    use std::path::Path;

    /// Opens a file without a name, or returns `None` if the file system does not support that.
    pub(super) fn open_unnamed(folder: &Path) -> io::Result<Option<File>> {
        let flags = OFlags::TMPFILE.bits().cast_signed();
        let opened = OpenOptions::new().write(true).custom_flags(flags).mode(FILE_MODE).open(folder);
        match opened {
            Ok(file) => Ok(path_of(&file).exists().then_some(file)),
            // The errors of a kernel or file system without `O_TMPFILE`, see open(2).
            Err(error) if matches!(error.raw_os_error(), Some(EISDIR | EOPNOTSUPP | EINVAL)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) fn give_name(file: &File, name: &Path) -> io::Result<()> {
        Ok(linkat(CWD, path_of(file), CWD, name, AtFlags::SYMLINK_FOLLOW)?)
    }

    fn path_of(file: &File) -> std::path::PathBuf {
        format!("/proc/self/fd/{}", file.as_raw_fd()).into()
    }

    const EISDIR: i32 = rustix::io::Errno::ISDIR.raw_os_error();
    const EOPNOTSUPP: i32 = rustix::io::Errno::OPNOTSUPP.raw_os_error();
    const EINVAL: i32 = rustix::io::Errno::INVAL.raw_os_error();
}

#[cfg(not(target_os = "linux"))]
mod os {
    use std::fs::File;
    use std::io;
    use std::path::Path;

    pub(super) fn open_unnamed(_folder: &Path) -> io::Result<Option<File>> {
        Ok(None)
    }

    pub(super) fn give_name(_file: &File, _name: &Path) -> io::Result<()> {
        Err(io::Error::from(io::ErrorKind::Unsupported))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn names(folder: &Path) -> Vec<String> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn nothing_appears_before_it_is_whole_and_nothing_else_after() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("a.pdf");
        for text in ["first", "second, longer"] {
            let before = fs::read(&place).ok();
            let new = WholeFile::create(&place).unwrap();
            new.file().write_all(text.as_bytes()).unwrap();
            assert_eq!(fs::read(&place).ok(), before);
            new.finish().unwrap();
            assert_eq!(fs::read_to_string(&place).unwrap(), text);
            assert_eq!(names(folder.path()), ["a.pdf"]);
        }
        let other = WholeFile::create(&place).unwrap();
        assert_eq!(other.finish_new().unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(&place).unwrap(), "second, longer");
        WholeFile::create(&folder.path().join("b")).unwrap().finish_new().unwrap();
        fs::remove_file(folder.path().join("b")).unwrap();
        assert_eq!(names(folder.path()), ["a.pdf"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_that_is_killed_leaves_no_part() {
        let folder = tempfile::tempdir().unwrap();
        let new = WholeFile::create(&folder.path().join("a.pdf")).unwrap();
        new.file().write_all(b"half").unwrap();
        // As in a kill, `drop` does not run.
        std::mem::forget(new);
        assert!(names(folder.path()).is_empty());
    }
}
