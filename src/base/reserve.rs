//! Disk space that is reserved for writes when the disk is full: the ends of turns, and the daemon's start.
//!
//! Owns a folder of small files that hold space and inodes (a disk can run out of either). Never decides when to use
//! it: the journal releases it to record an end, the daemon to start.

use super::atomic::FILE_MODE;
use super::home::private_folder;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The number of files. A start needs five: two sockets, the log, and `browse.json` with its temporary file.
const FILES: u64 = 8;
/// The size of each file.
const FILE_SIZE: usize = 32 * 1024;
/// The size of all files together.
const SIZE: u64 = FILES * FILE_SIZE as u64;
/// The reserve is created only if the disk has more free space than this, so that it does not take the last of it.
const FREE_TO_MAKE: u64 = 2 * SIZE;
/// A smaller disk gets no reserve.
const SMALLEST_DISK: u64 = 4 * SIZE;
/// The time before trying again on a disk that refused the files.
const TRY_AGAIN: Duration = Duration::from_secs(1);

/// The reserve on one folder's disk.
#[derive(Debug)]
pub struct Reserve {
    folder: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    kept: bool,
    /// The time at which a disk with free space refused the files, for example because of a quota.
    refused: Option<Instant>,
}

/// Returns whether an error means that no space is left.
pub fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

impl Reserve {
    /// Opens the reserve in `folder`, and creates it if the disk has room.
    pub fn open(folder: PathBuf) -> Self {
        let kept = make(&folder);
        Self { folder, state: Mutex::new(State { kept, refused: None }) }
    }

    /// Returns whether the space is reserved. Recreates a released reserve once the disk has room.
    pub fn is_kept(&self) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.kept || !has_room(&self.folder) || state.refused.is_some_and(|at| at.elapsed() < TRY_AGAIN) {
            return state.kept;
        }
        state.kept = make(&self.folder);
        state.refused = (!state.kept).then(Instant::now);
        state.kept
    }

    /// Frees the reserved space. Returns false if there was none.
    pub fn release(&self) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let had_any = remove(&self.folder);
        state.kept &= !had_any;
        had_any
    }
}

/// Releases the reserve in `folder` if there is too little room for a start.
pub fn release_if_full(folder: &Path) {
    if !has_room(folder) && remove(folder) {
        tracing::debug!(folder = %folder.display(), "the reserve was released for the start");
    }
}

/// Returns false if the disk is full. A disk that cannot be read counts as having room.
fn has_room(folder: &Path) -> bool {
    let Some(disk) = look(folder) else { return true };
    let has_files = disk.f_files == 0 || disk.f_favail > FILES;
    disk.f_bavail.saturating_mul(disk.f_frsize) >= FREE_TO_MAKE && has_files
}

/// Reads the disk's state, from the parent if the folder does not exist yet.
fn look(folder: &Path) -> Option<rustix::fs::StatVfs> {
    let parent = folder.parent()?;
    rustix::fs::statvfs(folder).or_else(|_| rustix::fs::statvfs(parent)).ok()
}

/// Returns true if the space is reserved, or no reserve is needed here. Returns false if the disk is full.
fn make(folder: &Path) -> bool {
    if look(folder).is_some_and(|disk| disk.f_blocks.saturating_mul(disk.f_frsize) < SMALLEST_DISK) {
        return true;
    }
    if (0..FILES).all(|n| fs::metadata(place(folder, n)).is_ok_and(|found| found.len() == FILE_SIZE as u64)) {
        return true;
    }
    if !has_room(folder) {
        return false;
    }
    let made = private_folder(folder)
        .map_err(io::Error::other)
        .and_then(|()| (0..FILES).try_for_each(|n| fill(&place(folder, n))));
    match made {
        Ok(()) => true,
        Err(error) if is_full(&error) => {
            remove(folder);
            false
        }
        // For example a read-only home: gstack works without a reserve as far as it can.
        Err(error) => {
            tracing::debug!(%error, "no reserve is kept");
            true
        }
    }
}

fn place(folder: &Path, n: u64) -> PathBuf {
    folder.join(n.to_string())
}

fn fill(path: &Path) -> io::Result<()> {
    // Random bytes: a disk with compression would reserve no space for zeros.
    let bytes: Vec<u8> = (0..FILE_SIZE).map(|_| rand::random()).collect();
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(FILE_MODE).open(path)?;
    file.write_all(&bytes)?;
    file.sync_data()
}

/// Returns true if anything was removed.
fn remove(folder: &Path) -> bool {
    (0..FILES).filter(|n| fs::remove_file(place(folder, *n)).is_ok()).count() > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reserve_is_made_released_and_made_again() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("reserve");
        let reserve = Reserve::open(folder.clone());
        let held = || fs::read_dir(&folder).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).sum::<u64>();
        assert!(reserve.is_kept());
        assert_eq!(held(), SIZE);
        assert!(reserve.release());
        assert_eq!(held(), 0);
        assert!(!reserve.release(), "nothing is left to give");
        assert!(reserve.is_kept(), "this disk has room again");
        assert_eq!(held(), SIZE);
        drop(Reserve::open(folder.clone()));
        assert_eq!(held(), SIZE, "the next daemon keeps the same");
        release_if_full(&folder);
        assert_eq!(held(), SIZE, "a start on a disk with room needs none of it");
    }
}
