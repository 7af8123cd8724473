//! The folders that a command may read and write in, for whom.
//!
//! Owns nothing but the data; `path_guard` judges.

use std::path::PathBuf;

impl From<&Folders> for Folders {
    fn from(folders: &Folders) -> Self {
        folders.clone()
    }
}

/// The folders of a client.
#[derive(Clone, Debug)]
pub struct Folders {
    /// The client's working directory, absolute. `None` restricts paths to the temp directories.
    pub cwd: Option<PathBuf>,
    /// A private folder for files without a given path. It exists.
    pub temp_folder: PathBuf,
    /// Only the working directory is open, and not the temp directories: the client is on another machine.
    pub is_confined: bool,
    /// gstack's home folder. A model's paths must stay outside it.
    pub gstack_home: PathBuf,
    /// A model chooses the paths.
    pub for_model: bool,
}
