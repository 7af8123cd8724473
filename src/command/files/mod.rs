//! Commands that transfer files: uploads and downloads.

pub(super) mod downloads;
mod partial_file;
pub(super) mod transfer;

pub(in crate::command) use downloads::DOWNLOAD_DIR;
pub(in crate::command) use partial_file::PartialFile;
