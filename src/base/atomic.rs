//! Atomic file replacement: a file is written to a temporary place, then renamed into its own.
//!
//! Owns whole-file replacement. Never appends: journals do that themselves.

use super::whole_file::WholeFile;
use std::io::{self, Write};
use std::path::Path;

/// Only the owner may read the files that gstack writes.
pub const FILE_MODE: u32 = 0o600;

/// Replaces the content of `path` with `bytes`, mode 0600. A reader sees the old file or the new one, never a part of
/// either. The content is synced to disk before this returns.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let new = WholeFile::create(path)?;
    new.file().write_all(bytes)?;
    new.finish_synced()
}

/// Replaces a file like [`write`](fn@write), for a validated path: absolute and without symlinks. Does not sync, because
/// a command's output (a screenshot, a text) can be produced again. Fails if the path has a symlink now.
pub fn write_judged(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let new = WholeFile::create_judged(path)?;
    new.file().write_all(bytes)?;
    new.finish_unsynced()
}

/// Replaces a file like [`write_judged`], but syncs the content to disk before it returns.
pub fn write_judged_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let new = WholeFile::create_judged(path)?;
    new.file().write_all(bytes)?;
    new.finish_synced()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_file_is_replaced_whole_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("session.json");
        fs::write(&path, "old and longer").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        write(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, FILE_MODE);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn what_can_not_be_replaced_stays_and_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let taken = folder.path().join("taken");
        fs::create_dir(&taken).unwrap();
        fs::write(taken.join("inside"), "kept").unwrap();
        assert!(write(&taken, b"new").is_err());
        assert_eq!(fs::read(taken.join("inside")).unwrap(), b"kept");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(write(Path::new("/"), b"new").is_err());
    }
}
