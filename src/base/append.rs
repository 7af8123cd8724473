//! Append-only files: the log, the audit and captured page output.
//!
//! Owns opening them. Never decides when to rotate a file.

use super::atomic::FILE_MODE;
use rustix::fs::OFlags;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Opens a file for reading and appending; creates it with mode 0600 if it does not exist. Does not follow a symbolic
/// link.
pub fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW.bits() as i32;
    OpenOptions::new().read(true).append(true).create(true).mode(FILE_MODE).custom_flags(flags).open(path)
}
