//! `audit.jsonl`: every decision about an agent's action, one JSON object per line, each chained to the previous one.
//!
//! Owns the files: mode 0600, appended to, rotated to `audit.1.jsonl` when large, with the end of the chain in
//! `audit.head`. While the daemon runs, the end in its memory is authoritative, not the one in the file.

use super::audit_chain::{self, Head, Lines};
use gstack_base::append;
use gstack_base::atomic::FILE_MODE;
use gstack_base::clock::now_millis;
use gstack_protocol::audit::{AuditEntry, AuditProof};
use rustix::fs::OFlags;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use tokio::sync::watch;

/// In bytes. One older file is kept.
const LARGEST: u64 = 8 * 1024 * 1024;
/// In bytes. The head is overwritten in place, so its length is fixed.
const HEAD_LENGTH: usize = 512;

/// The audit of one home.
#[derive(Debug)]
pub(super) struct Audit {
    path: PathBuf,
    largest: u64,
    /// The end of the chain and its open file. Read when the first line is written or verified.
    head: Option<(Head, File)>,
    /// Notified after each line.
    written: watch::Sender<u64>,
}

impl Audit {
    pub(super) fn at(path: PathBuf) -> Self {
        Self { path, largest: LARGEST, head: None, written: watch::Sender::new(0) }
    }

    /// Appends one line. Blocks during the write. Fails if the line or the head cannot be written.
    pub(super) fn append(&mut self, entry: &AuditEntry) -> io::Result<()> {
        let head = self.head()?;
        let line = head.next_line(entry)?;
        let mut file = append::open(&self.path)?;
        let mut length = file.metadata()?.len();
        let mut next = head.after(&line);
        if length > 0 && length + line.len() as u64 + 1 > self.largest {
            drop(file);
            std::fs::rename(&self.path, before(&self.path))?;
            file = append::open(&self.path)?;
            length = 0;
            // The current file becomes the older one; the previous older file is gone.
            next = Head { oldest: head.file, file: next.number, ..next };
        }
        let gap = if ends_torn(&mut file, length)? { "\n" } else { "" };
        self.set_head(Head { pending: Some(next.hash.clone()), oldest: next.oldest, file: next.file, ..head })?;
        if let Err(error) = file.write_all(format!("{gap}{line}\n").as_bytes()) {
            // Removes a partial line. If that fails, readers skip it.
            file.set_len(length).ok();
            return Err(error);
        }
        self.set_head(next)?;
        self.written.send_modify(|count| *count += 1);
        Ok(())
    }

    /// Verifies that no line was changed, removed or inserted. `known` is a hash that someone recorded earlier.
    pub(super) fn prove(&mut self, known: Option<&str>) -> io::Result<AuditProof> {
        let head = self.head()?;
        let (older, newer) = self.texts()?;
        let (older_name, name) = (name_of(&before(&self.path)), name_of(&self.path));
        let files = [Lines { file: &older_name, text: &older }, Lines { file: &name, text: &newer }];
        let mut proof = audit_chain::prove(&files, &head, known);
        // While the daemon runs, no other process writes it.
        if proof.sound && read_head(&head_path(&self.path)).is_none_or(|written| written != head) {
            proof.sound = false;
            proof.trouble = Some("audit.head was changed or removed".to_owned());
        }
        Ok(proof)
    }

    fn head(&mut self) -> io::Result<Head> {
        if let Some((head, _)) = &self.head {
            return Ok(head.clone());
        }
        let path = head_path(&self.path);
        let (older, newer) = self.texts()?;
        let head = match read_head(&path) {
            Some(head) => {
                let last = older.lines().chain(newer.lines()).rfind(|line| !line.trim().is_empty());
                head.settled(last)
            }
            None => Head::begun(&[&older, &newer], now_millis()),
        };
        let flags = OFlags::NOFOLLOW.bits() as i32;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(FILE_MODE).custom_flags(flags);
        self.head = Some((head.clone(), options.open(path)?));
        self.set_head(head.clone())?;
        Ok(head)
    }

    /// Stores the end of the chain, in memory and in the file.
    fn set_head(&mut self, head: Head) -> io::Result<()> {
        let Some((present, file)) = &mut self.head else { return Ok(()) };
        let mut bytes = serde_json::to_vec(&head)?;
        bytes.resize(HEAD_LENGTH.max(bytes.len() + 1), b' ');
        if let Some(last) = bytes.last_mut() {
            *last = b'\n';
        }
        file.write_all_at(&bytes, 0)?;
        *present = head;
        Ok(())
    }

    /// Returns the text of the older and of the current file.
    fn texts(&self) -> io::Result<(String, String)> {
        let read = |path: &Path| match std::fs::read(path) {
            Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
            Err(error) => Err(error),
        };
        Ok((read(&before(&self.path))?, read(&self.path)?))
    }

    /// Returns the newest `lines` entries, oldest first. Skips unreadable lines.
    pub(super) fn newest(&self, lines: usize) -> io::Result<Vec<AuditEntry>> {
        let (older, newer) = self.texts()?;
        let mut newest: Vec<AuditEntry> = newer
            .lines()
            .rev()
            .chain(older.lines().rev())
            .filter_map(|line| serde_json::from_str(line).ok())
            .take(lines)
            .collect();
        newest.reverse();
        Ok(newest)
    }

    /// Returns a follower of the lines written from now on.
    pub(super) fn follow(&self) -> io::Result<Follower> {
        let written = self.written.subscribe();
        let mut file = append::open(&self.path)?;
        file.seek(SeekFrom::End(0))?;
        Ok(Follower { path: self.path.clone(), file, torn: String::new(), written })
    }
}

/// Continues reading at its last position, across a rotation of the file.
#[derive(Debug)]
pub(super) struct Follower {
    path: PathBuf,
    file: File,
    torn: String,
    written: watch::Receiver<u64>,
}

impl Follower {
    /// Waits for new lines. Returns `None` when there is no writer left.
    pub(super) async fn next(&mut self) -> Option<io::Result<Vec<AuditEntry>>> {
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

/// Returns the path of the older file: `audit.1.jsonl`.
fn before(path: &Path) -> PathBuf {
    path.with_extension("1.jsonl")
}

/// Returns the path of the end of the chain: `audit.head`.
fn head_path(path: &Path) -> PathBuf {
    path.with_extension("head")
}

/// Reads the head from a file. Returns `None` if it does not exist or is not valid.
fn read_head(path: &Path) -> Option<Head> {
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns true if a crash left a partial last line.
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
    use gstack_protocol::audit::AuditBy;
    use std::os::unix::fs::PermissionsExt;

    fn entry(at: u64) -> AuditEntry {
        AuditEntry {
            at,
            conversation_id: None,
            agent: None,
            action: "click @e3".to_owned(),
            record: None,
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
        let proof = audit.prove(None).unwrap();
        assert!(proof.sound && proof.first > 1 && proof.last == 7, "the chain goes over both files: {proof:?}");
        assert_eq!(std::fs::metadata(head_path(&path)).unwrap().permissions().mode() & 0o777, 0o600);
        drop(audit);
        assert!(follower.next().await.is_none());
    }

    #[test]
    fn a_torn_line_spoils_itself_alone_and_a_link_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        std::fs::write(&path, "{\"at\":").unwrap();
        let mut audit = Audit::at(path.clone());
        audit.append(&entry(2)).unwrap();
        assert_eq!(audit.prove(None).unwrap().torn, 1);
        assert_eq!(times(&audit.newest(9).unwrap()), [2]);
        std::fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink(folder.path().join("elsewhere"), &path).unwrap();
        assert!(audit.append(&entry(3)).is_err());
    }

    #[test]
    fn what_is_done_to_the_files_while_the_daemon_runs_or_does_not_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let mut audit = Audit::at(path.clone());
        for at in 1..5 {
            audit.append(&entry(at)).unwrap();
        }
        let whole = std::fs::read_to_string(&path).unwrap();
        let cut: String = whole.lines().take(3).map(|line| format!("{line}\n")).collect();
        let known = audit.prove(None).unwrap().head;
        // The end is cut off while the audit is open, and writing continues.
        std::fs::write(&path, &cut).unwrap();
        assert_eq!(audit.prove(None).unwrap().trouble.unwrap(), "number 4 was removed from the end");
        audit.append(&entry(5)).unwrap();
        let trouble = |audit: &mut Audit| audit.prove(Some(&known)).unwrap().trouble.unwrap_or_default();
        assert_eq!(trouble(&mut audit), "number 4 was removed before audit.jsonl line 4");
        // The same, found by a daemon that started afterwards.
        std::fs::write(&path, &whole).unwrap();
        assert_eq!(trouble(&mut Audit::at(path.clone())), "number 5 was removed from the end");
        // If the head is gone too, only a hash that was recorded elsewhere reveals it.
        std::fs::write(&path, &cut).unwrap();
        std::fs::remove_file(head_path(&path)).unwrap();
        assert_eq!(audit.prove(None).unwrap().trouble.unwrap(), "numbers 4 to 5 were removed from the end");
        let mut later = Audit::at(path.clone());
        let proof = later.prove(None).unwrap();
        assert!(proof.sound && proof.since_number == 3, "the proof says since when the end is known: {proof:?}");
        assert!(trouble(&mut later).starts_with("no line has the hash"));
        std::fs::remove_file(head_path(&path)).unwrap();
        assert_eq!(later.prove(None).unwrap().trouble.unwrap(), "audit.head was changed or removed");
    }

    #[test]
    fn a_line_that_was_being_written_at_a_crash_is_taken_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let mut audit = Audit::at(path.clone());
        audit.append(&entry(1)).unwrap();
        let head = std::fs::read(head_path(&path)).unwrap();
        audit.append(&entry(2)).unwrap();
        let (written, _) = audit.head.take().unwrap();
        let before: Head = serde_json::from_slice(&head).unwrap();
        let pending = Head { pending: Some(written.hash), ..before };
        std::fs::write(head_path(&path), serde_json::to_vec(&pending).unwrap()).unwrap();
        let mut next = Audit::at(path.clone());
        next.append(&entry(3)).unwrap();
        let proof = next.prove(None).unwrap();
        assert!(proof.sound && proof.last == 3, "{proof:?}");
    }
}
