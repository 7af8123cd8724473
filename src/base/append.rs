//! Files that only grow: the log, the audit, what pages said.
//!
//! Owns how they are opened. Never decides when one is large enough to be moved aside.

use super::atomic::FILE_MODE;
use rustix::fs::OFlags;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Opens a file to read it and to append to it, made with mode 0600 where there is none. Never through a symbolic link.
pub fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW.bits() as i32;
    OpenOptions::new().read(true).append(true).create(true).mode(FILE_MODE).custom_flags(flags).open(path)
}
