//! Messages on standard error that may be lost: the file behind it may be on a full disk, or closed.
//!
//! Owns how the roles without a terminal (daemon, keeper, native host, minder) write there. The macros of std panic
//! when the write fails.

use std::fmt::Display;
use std::io::Write;

/// Writes one line.
pub fn line(words: impl Display) {
    // There is nowhere to report a failed write.
    writeln!(std::io::stderr(), "gstack: {words}").ok();
}

/// Writes a message of a command that a person waits for: the words alone.
pub fn tell(words: &str) {
    // Ignore a failed write: the terminal was closed.
    writeln!(std::io::stderr(), "{words}").ok();
}
