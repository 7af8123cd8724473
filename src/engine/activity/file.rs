//! The activity log on disk, so that a panel that opens after the daemon restarted still shows it.
//!
//! Owns the file: one line for each entry that has ended, compacted when the file grows too large. The entries are
//! already redacted. A full or broken disk loses the record but never fails the command.

use gstack_base::{append, atomic, filled_secrets};
use gstack_protocol::activity::ActivityEntry;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// In bytes. A larger file is rewritten with only the entries that are kept.
const LARGEST: u64 = 2 * 1024 * 1024;

#[derive(Default)]
pub(super) struct ActivityFile {
    /// `None` keeps nothing (tests).
    path: Option<PathBuf>,
    file: Option<File>,
    size: u64,
}

impl ActivityFile {
    /// Opens the file and reads what earlier daemons wrote, oldest first. A line that cannot be read is skipped.
    pub(super) fn open(path: PathBuf) -> (Self, Vec<ActivityEntry>) {
        let text = std::fs::read(&path).unwrap_or_default();
        let lines = text.split(|byte| *byte == b'\n');
        let mut entries: Vec<ActivityEntry> = lines.filter_map(|line| serde_json::from_slice(line).ok()).collect();
        entries.sort_by_key(|entry| entry.id);
        entries.dedup_by_key(|entry| entry.id);
        let file = append::open(&path).inspect_err(warn).ok();
        (Self { path: Some(path), file, size: text.len() as u64 }, entries)
    }

    /// Appends an entry that has ended. `kept` holds every entry that a rewritten file would contain.
    pub(super) fn add<'a>(&mut self, entry: &ActivityEntry, kept: impl Iterator<Item = &'a ActivityEntry>) {
        let Some(path) = &self.path else { return };
        let outcome = if self.size > LARGEST {
            rewrite(path, kept).map(|(file, size)| (self.file, self.size) = (Some(file), size))
        } else {
            line(entry).and_then(|line| {
                let Some(file) = &mut self.file else { return Ok(()) };
                file.write_all(&line)?;
                self.size += line.len() as u64;
                Ok(())
            })
        };
        if let Err(error) = outcome {
            warn(&error);
        }
    }
}

fn warn(error: &io::Error) {
    tracing::warn!(%error, "the activity is not kept for the next daemon");
}

fn line(entry: &ActivityEntry) -> io::Result<Vec<u8>> {
    let text = serde_json::to_string(entry)?;
    let mut line = filled_secrets::without_in_json(&text).into_owned().into_bytes();
    line.push(b'\n');
    Ok(line)
}

fn rewrite<'a>(path: &Path, kept: impl Iterator<Item = &'a ActivityEntry>) -> io::Result<(File, u64)> {
    let mut text = Vec::new();
    for entry in kept {
        text.extend(line(entry)?);
    }
    atomic::write(path, &text)?;
    Ok((append::open(path)?, text.len() as u64))
}

#[cfg(test)]
mod tests {
    use super::{ActivityFile, LARGEST};
    use gstack_protocol::activity::{ActivityEntry, ActivityOutcome, ActivitySource};
    use std::os::unix::fs::PermissionsExt;

    fn entry(id: u64, words: &str) -> ActivityEntry {
        ActivityEntry {
            id,
            at: 1,
            source: ActivitySource::Terminal,
            driver: None,
            turn: None,
            tab_id: None,
            command: "click".to_owned(),
            args: vec![words.to_owned()],
            elements: Vec::new(),
            outcome: ActivityOutcome::Ok,
            duration_ms: Some(1),
            result: String::new(),
        }
    }

    #[test]
    fn what_has_ended_is_there_for_the_next_daemon_and_the_file_stays_small() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("activity.jsonl");
        let (mut file, before) = ActivityFile::open(path.clone());
        assert!(before.is_empty());
        // The entries end in reverse order, with a torn line between them.
        for id in [2, 1] {
            file.add(&entry(id, "x"), std::iter::empty());
        }
        std::fs::write(&path, [std::fs::read(&path).unwrap(), b"{\"torn\n".to_vec()].concat()).unwrap();
        let (mut file, before) = ActivityFile::open(path.clone());
        assert_eq!(before.iter().map(|entry| entry.id).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        let long = entry(3, &"y".repeat(usize::try_from(LARGEST).unwrap()));
        file.add(&long, std::iter::empty());
        let last = entry(4, "z");
        file.add(&last, [&last].into_iter());
        assert!(path.metadata().unwrap().len() < 1000);
        assert_eq!(ActivityFile::open(path).1, [last]);
    }
}
