//! A file that is written part by part beside its place and takes it when it is whole.
//!
//! Owns the removal of what was not finished. Never follows a symlink in its place.

use crate::base::atomic::FILE_MODE;
use crate::protocol::fault::{Fault, FaultCode};
use std::path::{Path, PathBuf};
use tokio::fs::{File, OpenOptions};
use tokio::io::AsyncWriteExt;

pub(super) struct PartialFile {
    file: File,
    /// Where it lies until it is whole; none once it has its place.
    temporary: Option<PathBuf>,
    place: PathBuf,
    size: u64,
}

impl PartialFile {
    pub(super) async fn create(place: &Path) -> Result<Self, Fault> {
        let name = place.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let temporary = place.with_file_name(format!(".{name}.{}", uuid::Uuid::new_v4().simple()));
        let opened = OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(&temporary).await;
        let file = opened.map_err(|error| unwritable(place, &error))?;
        Ok(Self { file, temporary: Some(temporary), place: place.to_owned(), size: 0 })
    }

    pub(super) async fn write(&mut self, part: &[u8]) -> Result<(), Fault> {
        self.size += part.len() as u64;
        self.file.write_all(part).await.map_err(|error| unwritable(&self.place, &error))
    }
    /// In bytes, so far.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    pub(super) async fn finish(mut self) -> Result<(), Fault> {
        self.file.sync_all().await.map_err(|error| unwritable(&self.place, &error))?;
        if let Some(temporary) = &self.temporary {
            tokio::fs::rename(temporary, &self.place).await.map_err(|error| unwritable(&self.place, &error))?;
        }
        self.temporary = None;
        Ok(())
    }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary
            && let Err(error) = std::fs::remove_file(temporary)
        {
            tracing::warn!(%error, "an unfinished file could not be removed");
        }
    }
}

fn unwritable(place: &Path, error: &std::io::Error) -> Fault {
    Fault::new(FaultCode::Storage, format!("{} can't be written: {error}", place.display()))
        .hint("Choose a folder that exists and that you may write to.")
}
