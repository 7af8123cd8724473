//! A file that is written in parts and moved into place once it is complete.
//!
//! Owns the byte count and the error texts. `base::whole_file` owns where the parts are stored.

use gstack_base::whole_file::WholeFile;
use gstack_protocol::fault::{Fault, FaultCode};
use std::path::{Path, PathBuf};
use tokio::fs::File;
use tokio::io::AsyncWriteExt;

pub(crate) struct PartialFile {
    whole: WholeFile,
    /// The same file, for non-blocking writes.
    file: File,
    place: PathBuf,
    size: u64,
}

impl PartialFile {
    /// Creates the file. `place`: a path checked by `path_guard`, or in one of gstack's own folders. It contains no
    /// symlinks.
    pub(crate) fn create(place: &Path) -> Result<Self, Fault> {
        let open = || {
            let whole = WholeFile::create_judged(place)?;
            let file = File::from_std(whole.file().try_clone()?);
            Ok(Self { whole, file, place: place.to_owned(), size: 0 })
        };
        open().map_err(|error| unwritable(place, &error))
    }

    pub(crate) async fn write(&mut self, part: &[u8]) -> Result<(), Fault> {
        self.size += part.len() as u64;
        self.file.write_all(part).await.map_err(|error| unwritable(&self.place, &error))
    }
    /// Returns the bytes written so far.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    pub(crate) async fn finish(self) -> Result<(), Fault> {
        let Self { whole, mut file, place, .. } = self;
        // A failed write may not be reported until the next call.
        file.flush().await.map_err(|error| unwritable(&place, &error))?;
        match tokio::task::spawn_blocking(move || whole.finish()).await {
            Ok(outcome) => outcome.map_err(|error| unwritable(&place, &error)),
            Err(error) => Err(Fault::new(FaultCode::Internal, format!("saving was interrupted: {error}"))),
        }
    }
}

fn unwritable(place: &Path, error: &std::io::Error) -> Fault {
    Fault::new(FaultCode::Storage, format!("{} can't be written: {error}", place.display()))
        .hint("Choose a folder that exists and that you may write to.")
}
