//! What a person can do about a disk that takes or gives nothing.
//!
//! Owns the next step in words. What happened is the error itself.

use std::io;
use std::path::Path;

/// The next step.
pub fn hint(path: &Path, source: &io::Error) -> String {
    let place = path.display();
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            format!("The disk that holds {place} is full. Free some space, then try again.")
        }
        io::ErrorKind::ReadOnlyFilesystem => {
            format!(
                "The disk that holds {place} is read-only. Mount it writable, or set GSTACK_HOME to another folder."
            )
        }
        io::ErrorKind::PermissionDenied => {
            format!("Make {place} writable for you, or set GSTACK_HOME to a folder of yours.")
        }
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
            format!("{place} is in the way and is no folder. Move it away, or set GSTACK_HOME to another folder.")
        }
        _ => format!("Check the disk that holds {place}, then try again."),
    }
}
