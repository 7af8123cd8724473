//! `daemon.log`: what the daemon did, never what people and pages said.
//!
//! Owns the file. Each line goes through the rules of `redaction` first: an error may name an address, with its secrets.
//! A line that cannot be written is dropped and counted: no trouble of the disk reaches the code that logs.

use crate::base::append;
use crate::base::counted::counted;
use crate::base::home::Home;
use crate::base::say;
use crate::command::redaction;
use std::fs::File;
use std::io::{self, Write};
use std::sync::Mutex;
use tracing_subscriber::EnvFilter;

/// A log that has grown past this is put aside as `daemon.log.1` at the next start.
const LARGEST: u64 = 4 * 1024 * 1024;
/// Overrides what is logged: `GSTACK_LOG=gstack=debug`.
const FILTER_VARIABLE: &str = "GSTACK_LOG";

/// Begins logging into the home's file. Without the file the daemon works on, unlogged.
pub fn start(home: &Home) {
    let path = home.daemon_log();
    if std::fs::metadata(&path).is_ok_and(|found| found.len() > LARGEST)
        && let Err(error) = std::fs::rename(&path, path.with_extension("log.1"))
    {
        say::line(format_args!("daemon.log stays as long as it is: {error}"));
    }
    let file: File = match append::open(&path) {
        Ok(file) => file,
        Err(error) => return say::line(format_args!("nothing is logged: {}: {error}", path.display())),
    };
    let filter = EnvFilter::try_from_env(FILTER_VARIABLE).unwrap_or_else(|_| EnvFilter::new("gstack=info,warn"));
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .log_internal_errors(false)
        .with_env_filter(filter)
        .with_writer(Mutex::new(Redacting { file, lost: 0 }));
    if subscriber.try_init().is_err() {
        // A test process may have one already; the daemon never does.
        tracing::debug!("a log was begun before");
    }
}

/// A file that no secret of an address reaches. It is given whole lines: the subscriber formats one before it writes.
struct Redacting<W> {
    file: W,
    /// Lines that could not be written since the last one that could.
    lost: u64,
}

impl<W: Write> Redacting<W> {
    fn try_write(&mut self, line: &str) -> io::Result<()> {
        if self.lost > 0 {
            // The line before may have been cut off.
            self.file
                .write_all(format!("\n[{} could not be written here]\n", counted(self.lost, "line")).as_bytes())?;
            self.lost = 0;
        }
        self.file.write_all(line.as_bytes())
    }
}

impl<W: Write> Write for Redacting<W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let clean = redaction::text(&String::from_utf8_lossy(line));
        if self.try_write(&clean).is_err() {
            self.lost = self.lost.saturating_add(1);
        }
        Ok(line.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        // Nothing is held back that a failed flush could lose.
        self.file.flush().or(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::Redacting;
    use std::io::Write;

    #[test]
    fn a_line_loses_the_secrets_of_its_addresses() {
        let mut log = Redacting { file: Vec::new(), lost: 0 };
        log.write_all(b"WARN could not load http://me:pw@a/?token=hunter2 in time\n").unwrap();
        assert_eq!(log.file, b"WARN could not load http://[redacted]@a/?token=[redacted] in time\n");
    }

    /// Takes so many bytes and then nothing until it is given more room.
    struct Disk {
        written: Vec<u8>,
        room: usize,
    }

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            let taken = bytes.len().min(self.room);
            self.room -= taken;
            self.written.extend(&bytes[..taken]);
            if taken == 0 { Err(std::io::ErrorKind::StorageFull.into()) } else { Ok(taken) }
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
    }

    #[test]
    fn a_full_disk_costs_lines_and_nothing_else() {
        let mut log = Redacting { file: Disk { written: Vec::new(), room: 8 }, lost: 0 };
        for line in ["first\n", "second\n", "third\n"] {
            log.write_all(line.as_bytes()).unwrap();
            log.flush().unwrap();
        }
        assert_eq!(log.lost, 2);
        log.file.room = 1000;
        log.write_all(b"fourth\n").unwrap();
        let said = String::from_utf8(log.file.written).unwrap();
        assert_eq!(said, "first\nse\n[2 lines could not be written here]\nfourth\n");
    }
}
