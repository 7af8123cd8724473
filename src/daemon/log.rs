//! `daemon.log`: what the daemon did, never what people and pages said.
//!
//! Owns the file. Each line goes through the rules of `redaction` first: an error may name an address, with its secrets.

use crate::base::append;
use crate::base::home::Home;
use crate::command::redaction;
use std::fs::File;
use std::io::{self, Write};
use std::sync::Mutex;
use tracing_subscriber::EnvFilter;

/// A log that has grown past this is put aside as `daemon.log.1` at the next start.
const LARGEST: u64 = 4 * 1024 * 1024;
/// Overrides what is logged: `GSTACK_LOG=gstack=debug`.
const FILTER_VARIABLE: &str = "GSTACK_LOG";

/// Begins logging into the home's file.
pub fn start(home: &Home) -> io::Result<()> {
    let path = home.daemon_log();
    if std::fs::metadata(&path).is_ok_and(|found| found.len() > LARGEST) {
        std::fs::rename(&path, path.with_extension("log.1"))?;
    }
    let file: File = append::open(&path)?;
    let filter = EnvFilter::try_from_env(FILTER_VARIABLE).unwrap_or_else(|_| EnvFilter::new("gstack=info,warn"));
    let subscriber =
        tracing_subscriber::fmt().with_ansi(false).with_env_filter(filter).with_writer(Mutex::new(Redacting { file }));
    if subscriber.try_init().is_err() {
        // A test process may have one already; the daemon never does.
        tracing::debug!("a log was begun before");
    }
    Ok(())
}

/// A file that no secret of an address reaches. It is given whole lines: the subscriber formats one before it writes.
struct Redacting<W> {
    file: W,
}

impl<W: Write> Write for Redacting<W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let clean = redaction::text(&String::from_utf8_lossy(line));
        self.file.write_all(clean.as_bytes())?;
        Ok(line.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::Redacting;
    use std::io::Write;

    #[test]
    fn a_line_loses_the_secrets_of_its_addresses() {
        let mut log = Redacting { file: Vec::new() };
        log.write_all(b"WARN could not load http://me:pw@a/?token=hunter2 in time\n").unwrap();
        assert_eq!(log.file, b"WARN could not load http://[redacted]@a/?token=[redacted] in time\n");
    }
}
