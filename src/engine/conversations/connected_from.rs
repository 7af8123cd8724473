//! The folder from which a person last connected: new conversations work there, even after the daemon restarts.
//!
//! Owns the file that outlives the daemon. A folder that has been removed is not used.

use gstack_base::atomic;
use gstack_base::home::Home;
use std::fs;
use std::path::{Path, PathBuf};

pub(super) struct ConnectedFrom {
    file: PathBuf,
    folder: Option<String>,
}

impl ConnectedFrom {
    pub(super) fn open(home: &Home) -> Self {
        let file = home.connected_file();
        let folder = fs::read(&file).ok().and_then(|text| serde_json::from_slice(&text).ok());
        Self { file, folder }
    }

    pub(super) fn folder(&self) -> Option<String> {
        self.folder.clone().filter(|folder| Path::new(folder).is_dir())
    }

    pub(super) fn set(&mut self, folder: &str) {
        if self.folder.as_deref() == Some(folder) {
            return;
        }
        self.folder = Some(folder.to_owned());
        let written = serde_json::to_vec(folder).map_err(Into::into).and_then(|text| atomic::write(&self.file, &text));
        if let Err(error) = written {
            tracing::warn!(%error, "the next daemon will not know from where it was connected");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ConnectedFrom;
    use gstack_base::home::Home;

    #[test]
    fn the_next_daemon_knows_the_folder_as_long_as_it_exists() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("home")).unwrap();
        let work = folder.path().join("work");
        std::fs::create_dir(&work).unwrap();
        let mut connected = ConnectedFrom::open(&home);
        assert_eq!(connected.folder(), None);
        connected.set(&work.to_string_lossy());
        let next = ConnectedFrom::open(&home);
        assert_eq!(next.folder().as_deref(), work.to_str());
        std::fs::remove_dir(&work).unwrap();
        assert_eq!(next.folder(), None);
    }
}
