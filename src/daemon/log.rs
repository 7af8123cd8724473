//! `daemon.log`: what the daemon did, never what people and pages said.
//!
//! Owns the file. Each line is redacted first by the rules of `redaction`, because an error may quote an address with
//! secrets. A line that cannot be written is dropped and counted: disk errors never reach the code that logs.

use gstack_base::append;
use gstack_base::counted::counted;
use gstack_base::home::Home;
use gstack_base::log_filter;
use gstack_base::say;
use gstack_command::redaction;
use std::fs::File;
use std::io::{self, Write};
use std::sync::Mutex;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// In bytes. A larger log is renamed to `daemon.log.1` at the next start.
const LARGEST: u64 = 4 * 1024 * 1024;
/// Overrides the log filter: `GSTACK_LOG=gstack=debug`.
const FILTER_VARIABLE: &str = "GSTACK_LOG";

/// Starts logging to the home's file. Without the file the daemon runs without a log.
pub(super) fn start(home: &Home) {
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
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .log_internal_errors(false)
        .with_max_level(LevelFilter::TRACE)
        .with_writer(Mutex::new(Redacting { file, lost: 0 }))
        .finish()
        .with(log_filter::from_variable(FILTER_VARIABLE));
    if subscriber.try_init().is_err() {
        // A test process may already have one; the daemon never does.
        tracing::debug!("a log was begun before");
    }
}

/// Redacts addresses before writing to a file. Gets whole lines, because the subscriber formats a line before it
/// writes.
struct Redacting<W> {
    file: W,
    /// The number of lines that failed since the last successful write.
    lost: u64,
}

impl<W: Write> Redacting<W> {
    fn try_write(&mut self, line: &str) -> io::Result<()> {
        if self.lost > 0 {
            // The previous line may have been cut off.
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
        // Nothing is buffered, so a failed flush loses nothing.
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

    /// Accepts a limited number of bytes, then fails until it has room again.
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
