//! The keys of one home: those that are confirmed, and those that wait.

use super::file::KeyFile;
use super::waiting::Waiting;
use std::path::PathBuf;

/// The keys of one home.
pub(in crate::engine) struct PanelKeys {
    pub(super) file: KeyFile,
    pub(super) waiting: Waiting,
}

impl PanelKeys {
    pub(in crate::engine) fn open(path: PathBuf) -> Self {
        Self { file: KeyFile::open(path), waiting: Waiting::default() }
    }
}
