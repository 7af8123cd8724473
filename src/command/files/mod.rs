//! Commands that transfer files: uploads and downloads.

pub(super) mod downloads;
mod partial_file;
pub(super) mod transfer;

pub(crate) use downloads::DOWNLOAD_DIR;
pub(crate) use partial_file::PartialFile;
