//! The keys of one home: those that are confirmed, and those that wait.

use super::file::KeyFile;
use super::waiting::Waiting;
use std::path::PathBuf;

/// The keys of one home.
pub(super) struct KnownKeys {
    pub(super) file: KeyFile,
    pub(super) waiting: Waiting,
}

impl KnownKeys {
    pub(super) fn open(path: PathBuf) -> Self {
        Self { file: KeyFile::open(path), waiting: Waiting::default() }
    }
}
