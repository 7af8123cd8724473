//! Locks that a process holds until it ends: `flock` on a file, released by the kernel even on kill -9.
//!
//! Owns taking and testing. Never removes a lock's file: two processes could then hold different files.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// A lock that is held until it is dropped or the process ends.
#[derive(Debug)]
pub struct FileLock {
    file: File,
}

impl Drop for FileLock {
    /// A child that was just forked has a copy of the file until it runs its program, and closing ours alone would leave
    /// the lock held.
    fn drop(&mut self) {
        if let Err(error) = self.file.unlock() {
            tracing::debug!(%error, "a lock was not released before its file was closed");
        }
    }
}

impl FileLock {
    /// Takes the lock, or returns `None` if another process holds it.
    pub fn try_take(path: &Path) -> io::Result<Option<Self>> {
        Self::take_within(path, Duration::ZERO)
    }

    /// Takes the lock if its holder releases it within `limit`, or else returns `None`. Blocks the thread.
    pub fn take_within(path: &Path, limit: Duration) -> io::Result<Option<Self>> {
        let file = open(path)?;
        Ok(lock_within(&file, limit)?.then_some(Self { file }))
    }

    /// Waits until the lock is free. Blocks the thread.
    pub fn take(path: &Path) -> io::Result<Self> {
        let file = open(path)?;
        file.lock()?;
        Ok(Self { file })
    }

    /// Returns whether the lock is held now. Does not create the file, and holds the lock only while it checks.
    pub fn is_held(path: &Path) -> io::Result<bool> {
        let file = match OpenOptions::new().read(true).open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error),
        };
        match file.try_lock_shared() {
            Ok(()) => Ok(false),
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

/// Locks an open file if the holder releases it within `limit`, or else returns `false`. The lock is held until the
/// file is closed. Blocks the thread.
pub fn lock_within(file: &File, limit: Duration) -> io::Result<bool> {
    let until = Instant::now() + limit;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            // The kernel has no wait for a lock with a time limit.
            Err(TryLockError::WouldBlock) if Instant::now() < until => std::thread::sleep(LOOK_AGAIN),
            Err(TryLockError::WouldBlock) => return Ok(false),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

/// Opens the lock's file. Rust opens files close-on-exec, so no child inherits the lock.
fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).truncate(false).write(true).read(true).mode(super::atomic::FILE_MODE).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holds_it_and_the_next_gets_it_when_it_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("daemon.lock");
        assert!(!FileLock::is_held(&path).unwrap());
        assert!(!path.exists(), "looking makes no file");
        let first = FileLock::try_take(&path).unwrap().unwrap();
        assert!(FileLock::try_take(&path).unwrap().is_none());
        assert!(FileLock::is_held(&path).unwrap());
        let waiting = std::thread::spawn({
            let path = path.clone();
            move || FileLock::take(&path)
        });
        drop(first);
        let second = waiting.join().unwrap().unwrap();
        assert!(FileLock::is_held(&path).unwrap());
        assert!(FileLock::take_within(&path, Duration::from_millis(30)).unwrap().is_none());
        let waiting = std::thread::spawn({
            let path = path.clone();
            move || FileLock::take_within(&path, Duration::from_secs(60))
        });
        drop(second);
        drop(waiting.join().unwrap().unwrap().unwrap());
        assert!(!FileLock::is_held(&path).unwrap());
    }
}
