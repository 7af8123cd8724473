//! `audit.jsonl`: every decision about what an agent wanted, one JSON object a line.
//!
//! Owns the file: 0600, appended to, moved to `audit.1.jsonl` where it has grown. Never holds what was typed into pages.

use crate::base::append;
use crate::protocol::audit::AuditEntry;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use tokio::sync::watch;

/// In bytes; one file before this one is kept.
const LARGEST: u64 = 8 * 1024 * 1024;

/// The audit of one home.
#[derive(Debug)]
pub struct Audit {
    path: PathBuf,
    largest: u64,
    /// Raised with each line.
    written: watch::Sender<u64>,
}

impl Audit {
    pub fn at(path: PathBuf) -> Self {
        Self { path, largest: LARGEST, written: watch::Sender::new(0) }
    }

    /// Writes one line. Blocks for the moment that it takes.
    pub fn append(&self, entry: &AuditEntry) -> io::Result<()> {
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        let mut file = append::open(&self.path)?;
        let length = file.metadata()?.len();
        if length > 0 && length + line.len() as u64 > self.largest {
            drop(file);
            std::fs::rename(&self.path, before(&self.path))?;
            file = append::open(&self.path)?;
        } else if ends_torn(&mut file, length)? {
            line.insert(0, b'\n');
        }
        file.write_all(&line)?;
        self.written.send_modify(|count| *count += 1);
        Ok(())
    }

    /// The newest so many, oldest first. Lines that can't be read are left out.
    pub fn newest(&self, lines: usize) -> io::Result<Vec<AuditEntry>> {
        let mut text = String::new();
        for path in [before(&self.path), self.path.clone()] {
            match std::fs::read_to_string(&path) {
                Ok(more) => text.push_str(&more),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        let mut newest: Vec<AuditEntry> =
            text.lines().rev().filter_map(|line| serde_json::from_str(line).ok()).take(lines).collect();
        newest.reverse();
        Ok(newest)
    }

    /// What is written from now on.
    pub fn follow(&self) -> io::Result<Follower> {
        let written = self.written.subscribe();
        let mut file = append::open(&self.path)?;
        file.seek(SeekFrom::End(0))?;
        Ok(Follower { path: self.path.clone(), file, torn: String::new(), written })
    }
}

/// Reads on where it has read last, into the next file where the one before was moved away.
#[derive(Debug)]
pub struct Follower {
    path: PathBuf,
    file: File,
    torn: String,
    written: watch::Receiver<u64>,
}

impl Follower {
    /// Waits for lines; `None` once nobody writes any more.
    pub async fn next(&mut self) -> Option<io::Result<Vec<AuditEntry>>> {
        self.written.changed().await.ok()?;
        Some(self.read())
    }

    fn read(&mut self) -> io::Result<Vec<AuditEntry>> {
        self.file.read_to_string(&mut self.torn)?;
        let there = append::open(&self.path)?;
        if there.metadata()?.ino() != self.file.metadata()?.ino() {
            self.file = there;
            self.file.read_to_string(&mut self.torn)?;
        }
        let whole = self.torn.rfind('\n').map_or(0, |end| end + 1);
        let entries = self.torn[..whole].lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        self.torn.drain(..whole);
        Ok(entries)
    }
}

/// The file before this one: `audit.1.jsonl`.
fn before(path: &Path) -> PathBuf {
    path.with_extension("1.jsonl")
}

/// A crash in the middle of a line.
fn ends_torn(file: &mut File, length: u64) -> io::Result<bool> {
    if length == 0 {
        return Ok(false);
    }
    let mut last = [0];
    file.seek(SeekFrom::Start(length - 1))?;
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::audit::AuditBy;
    use std::os::unix::fs::PermissionsExt;

    fn entry(at: u64) -> AuditEntry {
        AuditEntry {
            at,
            conversation_id: None,
            agent: None,
            action: "click @e3".to_owned(),
            scope: "act".to_owned(),
            site: None,
            allowed: true,
            by: AuditBy::Default,
            answer: None,
            rule: None,
        }
    }

    fn times(entries: &[AuditEntry]) -> Vec<u64> {
        entries.iter().map(|entry| entry.at).collect()
    }

    #[tokio::test]
    async fn lines_are_kept_followed_and_moved_away_where_the_file_has_grown() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let mut audit = Audit::at(path.clone());
        audit.largest = 500;
        audit.append(&entry(1)).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let mut follower = audit.follow().unwrap();
        let mut seen = Vec::new();
        for at in 2..8 {
            audit.append(&entry(at)).unwrap();
            seen.extend(times(&follower.next().await.unwrap().unwrap()));
        }
        assert_eq!(seen, [2, 3, 4, 5, 6, 7]);
        assert!(before(&path).exists() && std::fs::metadata(&path).unwrap().len() <= 500);
        assert_eq!(times(&audit.newest(3).unwrap()), [5, 6, 7]);
        drop(audit);
        assert!(follower.next().await.is_none());
    }

    #[test]
    fn a_torn_line_spoils_itself_alone_and_a_link_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        std::fs::write(&path, "{\"at\":").unwrap();
        let audit = Audit::at(path.clone());
        audit.append(&entry(2)).unwrap();
        assert_eq!(times(&audit.newest(9).unwrap()), [2]);
        std::fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink(folder.path().join("elsewhere"), &path).unwrap();
        assert!(audit.append(&entry(3)).is_err());
    }
}
