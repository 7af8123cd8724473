//! Words on standard error that may get lost: the file behind it may lie on a full disk, or nobody may listen.
//!
//! Owns the only way in which the roles without a terminal (daemon, keeper, native host, minder) speak there. Std's
//! macros panic when the write fails.

use std::fmt::Display;
use std::io::Write;

/// Says one line.
pub fn line(words: impl Display) {
    // Nothing can be told where telling fails.
    writeln!(std::io::stderr(), "gstack: {words}").ok();
}
