//! The folder for the temporary files of one confined process.
//!
//! Owns creating and removing it. The next daemon's start removes the folders that a killed daemon left.

use gstack_base::home::private_folder;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Dropping it removes the folder with all of its content.
#[derive(Debug)]
pub struct Scratch {
    folder: PathBuf,
    temporary: PathBuf,
}

impl Scratch {
    pub fn make(within: &Path) -> io::Result<Self> {
        let folder = within.join(format!("scratch-{}", uuid::Uuid::new_v4().simple()));
        private_folder(&folder).map_err(io::Error::other)?;
        let scratch = Self { temporary: folder.join("tmp"), folder };
        fs::create_dir(&scratch.temporary)?;
        fs::create_dir(scratch.temporary.join("cache"))?;
        Ok(scratch)
    }

    pub fn temporary(&self) -> &Path {
        &self.temporary
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.folder)
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(%error, "an agent's temporary files could not be removed");
        }
    }
}
