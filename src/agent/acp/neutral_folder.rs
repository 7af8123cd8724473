//! The empty folder in which an agent is started instead of the conversation's.
//!
//! Owns the folders in use. A conversation's next process may start before its last one has ended, in the same folder, so
//! the folder goes with the last of them.

use super::preset::clear;
use gstack_base::home::private_folder;
use gstack_base::mutex::lock;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Weak};

static IN_USE: Mutex<BTreeMap<PathBuf, Weak<NeutralFolder>>> = Mutex::new(BTreeMap::new());

/// A folder in use. Dropping the last handle removes it.
#[derive(Debug)]
pub struct NeutralFolder(PathBuf);

impl NeutralFolder {
    /// Returns the folder, empty unless a process runs in it. Blocks briefly on disk I/O.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be made, or what stands there cannot be removed.
    pub fn of(path: PathBuf) -> io::Result<Arc<Self>> {
        let mut in_use = lock(&IN_USE);
        if let Some(shared) = in_use.get(&path).and_then(Weak::upgrade) {
            return Ok(shared);
        }
        clear(&path)?;
        private_folder(&path).map_err(io::Error::other)?;
        let made = Arc::new(Self(path.clone()));
        in_use.insert(path, Arc::downgrade(&made));
        Ok(made)
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for NeutralFolder {
    fn drop(&mut self) {
        let mut in_use = lock(&IN_USE);
        // Between the last handle's end and here, another process may have begun in it.
        if in_use.get(&self.0).is_some_and(|folder| folder.strong_count() > 0) {
            return;
        }
        in_use.remove(&self.0);
        if let Err(error) = clear(&self.0) {
            tracing::warn!(%error, "an agent's empty folder could not be removed");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_goes_with_the_last_process_in_it() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("folder");
        let old = NeutralFolder::of(path.clone()).unwrap();
        std::fs::write(path.join("file"), "").unwrap();
        let new = NeutralFolder::of(path.clone()).unwrap();
        drop(old);
        assert!(path.join("file").exists(), "the new process runs in it");
        drop(new);
        assert!(!path.exists());
        std::fs::create_dir(&path).unwrap();
        std::fs::write(path.join("file"), "").unwrap();
        let next = NeutralFolder::of(path.clone()).unwrap();
        assert!(std::fs::read_dir(next.path()).unwrap().next().is_none(), "what a crash left is gone");
    }
}
