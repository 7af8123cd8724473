//! `chat.jsonl`: one conversation's events in an append-only file.
//!
//! Owns the file: its creation, the lock of its one writer, atomic lines, and the repair of a torn end. A line is one
//! `write`, so it survives the daemon's crash; `SyncHandle` makes it survive a power loss. Never decides what is
//! written.

use super::compact::{self, Rewritten};
use super::line::{self, Delta, FORMAT, Header, Line};
use super::read::{Backwards, Limits, Page, Reader};
use crate::error::ChatError;
use gstack_base::atomic::FILE_MODE;
use gstack_base::lock::lock_within;
use gstack_protocol::chat::{ChatEvent, Seq};
use gstack_protocol::ids::ConversationId;
use rustix::fs::OFlags;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The journal's file name in its conversation's folder.
pub const JOURNAL_FILE: &str = "chat.jsonl";
/// The file that keeps torn ends.
const TORN_FILE: &str = "chat.torn";
/// The largest event, as JSON. With its envelope it fits into one frame to Chrome.
pub(crate) const MAX_EVENT: usize = 700 * 1024;
/// How long an ending process may still hold a journal: it closes its files one by one.
const LAST_HOLDER: Duration = Duration::from_secs(2);
/// The largest torn end that is kept. Of a longer one, only the beginning is kept.
const MAX_TORN: u64 = 16 * 1024 * 1024;

/// The journal of one conversation. Its file is created by the first line.
#[derive(Debug)]
pub struct Journal {
    conversation_id: ConversationId,
    path: PathBuf,
    open: Option<Open>,
    head: Seq,
    /// Closed because the daemon is ending; another daemon may hold the file by now.
    is_closed: bool,
}

#[derive(Debug)]
struct Open {
    reader: Reader,
    /// The offset at which the complete lines end.
    end: u64,
    /// A write failed halfway, and the partial line could not be removed yet.
    torn: bool,
}

/// Syncs written lines to disk. Use it only where blocking is allowed.
#[derive(Clone, Debug)]
pub struct SyncHandle {
    file: Arc<File>,
    path: PathBuf,
}

impl SyncHandle {
    pub fn sync(&self) -> Result<(), ChatError> {
        self.file.sync_data().map_err(|source| ChatError::storage("write", &self.path, source))
    }
}

impl Journal {
    /// Creates a journal whose file is created by its first line. `folder` is the conversation's own.
    pub fn new(folder: &Path, conversation_id: ConversationId) -> Self {
        Self { conversation_id, path: folder.join(JOURNAL_FILE), open: None, head: 0, is_closed: false }
    }

    /// Opens the journal in `folder` and repairs its end. A missing journal is treated as a new one. Fails if another
    /// process holds the journal or its format is newer.
    pub fn open(folder: &Path, conversation_id: ConversationId) -> Result<Self, ChatError> {
        let mut journal = Self::new(folder, conversation_id);
        let file = match open_file(&journal.path, false) {
            Ok(file) => file,
            Err(source) if source.kind() == io::ErrorKind::NotFound => return Ok(journal),
            Err(source) => return Err(ChatError::storage("open", &journal.path, source)),
        };
        lock(&file, &journal.path, LAST_HOLDER)?;
        compact::discard_left(folder);
        let reader = Reader::new(Arc::new(file), journal.path.clone());
        journal.check_format(&reader)?;
        let end = journal.repair(&reader)?;
        journal.head = newest(&reader, end).map_err(|source| journal.unreadable(source))?;
        journal.open = Some(Open { reader, end, torn: false });
        Ok(journal)
    }

    /// Returns the number of the newest event, or 0 if there is none.
    pub fn head(&self) -> Seq {
        self.head
    }

    /// Returns the length of the complete lines in bytes.
    pub fn length(&self) -> u64 {
        self.open.as_ref().map_or(0, |open| open.end)
    }

    /// Returns the number of unreadable lines found so far.
    pub fn garbage(&self) -> usize {
        self.open.as_ref().map_or(0, |open| open.reader.garbage())
    }

    /// Writes the next event. Returns the length of its line in bytes. Fails if the event is larger than `MAX_EVENT` or
    /// cannot be written.
    pub fn append(&mut self, event: &ChatEvent) -> Result<usize, ChatError> {
        debug_assert_eq!(event.seq, self.head + 1, "events are numbered without gaps");
        let bytes = line::encode(event);
        if bytes.len() > MAX_EVENT {
            let (bytes, limit) = (bytes.len() as u64, MAX_EVENT as u64);
            return Err(ChatError::TooLarge { what: "the message", bytes, limit });
        }
        self.write(&bytes)?;
        self.head = event.seq;
        Ok(bytes.len())
    }

    /// Writes the next event and syncs it to disk, or writes nothing if it fails. Blocks: an fsync.
    pub fn append_durably(&mut self, event: &ChatEvent) -> Result<usize, ChatError> {
        let (end, head) = (self.opened()?.end, self.head);
        let bytes = self.append(event)?;
        if let Some(Err(error)) = self.sync_handle().map(|handle| handle.sync()) {
            if let Some(open) = &mut self.open {
                open.end = end;
                open.torn = open.reader.file.set_len(end).is_err();
            }
            self.head = head;
            return Err(error);
        }
        Ok(bytes)
    }

    /// Appends text to the event `seq` at `offset` UTF-16 units. Returns the length of its line in bytes.
    pub fn append_text(&mut self, seq: Seq, offset: u64, text: &str) -> Result<usize, ChatError> {
        let bytes = line::encode(&Delta { delta: seq, offset, text: text.to_owned() });
        self.write(&bytes)?;
        Ok(bytes.len())
    }

    /// Returns a handle for syncing; `None` if nothing has been written.
    pub fn sync_handle(&self) -> Option<SyncHandle> {
        self.open.as_ref().map(|open| SyncHandle { file: open.reader.file.clone(), path: self.path.clone() })
    }

    /// Returns events with `after < seq < before`: the newest that the limits allow, oldest first.
    pub fn page(&self, after: Seq, before: Seq, limits: Limits) -> Result<Page, ChatError> {
        match &self.open {
            Some(open) => open.reader.page(after, before.min(self.head.saturating_add(1)), open.end, limits),
            None => Ok(Page::default()),
        }
    }

    /// Calls `see` with every event, newest first, until it returns `false`. Text blocks come without their text. The
    /// second argument is the number of bytes from the event's beginning to the journal's end.
    pub(crate) fn backwards(&self, mut see: impl FnMut(ChatEvent, u64) -> bool) -> Result<(), ChatError> {
        let Some(open) = &self.open else { return Ok(()) };
        let mut lines = Backwards::new(&open.reader, open.end);
        while let Some((offset, raw)) = lines.next().map_err(|source| self.unreadable(source))? {
            if let Line::Event(event) = Line::parse(&raw)
                && !see(*event, open.end - offset)
            {
                break;
            }
        }
        Ok(())
    }

    /// Calls `see` with the events after `after`, oldest first, until it returns `false`. Text blocks come without
    /// their text.
    pub(super) fn forwards(&self, after: Seq, see: impl FnMut(&ChatEvent) -> bool) -> Result<(), ChatError> {
        let Some(open) = &self.open else { return Ok(()) };
        open.reader.forwards(after, open.end, see).map_err(|source| self.unreadable(source))
    }

    /// Closes the file for good and releases its lock.
    pub(crate) fn close(&mut self) {
        self.open = None;
        self.is_closed = true;
    }

    /// Returns what a copy is read from, without a lock: a reader, and the offset at which the complete lines end. `None`
    /// if there is no file.
    pub(crate) fn to_copy(&self) -> Option<(Reader, u64)> {
        self.open.as_ref().filter(|open| !open.torn).map(|open| (open.reader.clone(), open.end))
    }

    /// Replaces the journal with its rewritten copy. Returns false if the journal has changed since, and keeps it.
    /// Blocks: an fsync.
    pub(crate) fn replace(&mut self, new: Rewritten, made_of: u64) -> Result<bool, ChatError> {
        let is_same = self.open.as_ref().is_some_and(|open| !open.torn && open.end == made_of);
        if !is_same || new.head != self.head {
            compact::discard(&new.path);
            return Ok(false);
        }
        let replaced = lock(&new.file, &new.path, Duration::ZERO).and_then(|()| {
            fs::rename(&new.path, &self.path).map_err(|source| ChatError::storage("replace", &self.path, source))
        });
        if let Err(error) = replaced {
            compact::discard(&new.path);
            return Err(error);
        }
        if !new.garbage.is_empty() {
            self.keep_aside(&new.garbage);
        }
        let reader = Reader::new(Arc::new(new.file), self.path.clone());
        self.open = Some(Open { reader, end: new.length, torn: false });
        // Both files hold the same events, so after a crash either of them will do.
        let folder = self.path.parent().unwrap_or(Path::new("."));
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(|source| self.unwritable(source))?;
        Ok(true)
    }

    fn unreadable(&self, source: io::Error) -> ChatError {
        ChatError::storage("read", &self.path, source)
    }

    /// Returns the error for writes while the remaining disk space is reserved for ends.
    pub(crate) fn full(&self) -> ChatError {
        self.unwritable(rustix::io::Errno::NOSPC.into())
    }

    fn unwritable(&self, source: io::Error) -> ChatError {
        ChatError::storage("write", &self.path, source)
    }

    /// Writes one complete line, or nothing.
    fn write(&mut self, bytes: &[u8]) -> Result<(), ChatError> {
        let path = self.path.clone();
        let open = self.opened()?;
        let failed = |source| ChatError::storage("write", &path, source);
        if open.torn {
            open.reader.file.set_len(open.end).map_err(failed)?;
            open.torn = false;
        }
        match (&*open.reader.file).write_all(bytes) {
            Ok(()) => {
                open.end += bytes.len() as u64;
                Ok(())
            }
            Err(source) => {
                // Remove the partial line, now or before the next write.
                open.torn = open.reader.file.set_len(open.end).is_err();
                Err(failed(source))
            }
        }
    }

    /// Returns the open file, and creates it for the first line.
    fn opened(&mut self) -> Result<&mut Open, ChatError> {
        let open = match self.open.take() {
            Some(open) => open,
            None if self.is_closed => return Err(ChatError::Locked { path: self.path.clone() }),
            None => self.create()?,
        };
        Ok(self.open.insert(open))
    }

    /// Creates the folder (0700) and the file (0600) with its header, and syncs both to disk.
    fn create(&self) -> Result<Open, ChatError> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)
            .map_err(|source| ChatError::storage("create", folder, source))?;
        let file = open_file(&self.path, true).map_err(|source| ChatError::storage("create", &self.path, source))?;
        let header = line::encode(&Header { gstack_chat: FORMAT, conversation_id: self.conversation_id.clone() });
        let sync = |folder: &Path| File::open(folder).and_then(|folder| folder.sync_all());
        let made = lock(&file, &self.path, Duration::ZERO).and_then(|()| {
            (&file)
                .write_all(&header)
                .and_then(|()| sync(folder))
                .and_then(|()| folder.parent().map_or(Ok(()), sync))
                .map_err(|source| self.unwritable(source))
        });
        if let Err(error) = made {
            // A file without a header is not a journal; the next write tries again.
            fs::remove_file(&self.path).ok();
            fs::remove_dir(folder).ok();
            return Err(error);
        }
        Ok(Open { reader: Reader::new(Arc::new(file), self.path.clone()), end: header.len() as u64, torn: false })
    }

    /// Rejects a header of a newer format. A damaged header counts as garbage like any other line.
    fn check_format(&self, reader: &Reader) -> Result<(), ChatError> {
        let mut start = Vec::new();
        let mut file = &*reader.file;
        io::Seek::seek(&mut file, io::SeekFrom::Start(0))
            .and_then(|_| file.take(4096).read_to_end(&mut start))
            .map_err(|source| self.unreadable(source))?;
        let first = start.split(|&b| b == b'\n').next().unwrap_or_default();
        match serde_json::from_slice::<Header>(first) {
            Ok(header) if header.gstack_chat > FORMAT => {
                Err(ChatError::Newer { path: self.path.clone(), version: header.gstack_chat })
            }
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// Makes the file end with a complete line, and returns its length.
    fn repair(&self, reader: &Reader) -> Result<u64, ChatError> {
        let file = &reader.file;
        let length = file.metadata().map_err(|source| self.unreadable(source))?.len();
        let whole = last_line_end(file, length).map_err(|source| self.unreadable(source))?;
        if whole < length {
            let mut torn = vec![0; usize::try_from((length - whole).min(MAX_TORN)).unwrap_or(usize::MAX)];
            file.read_exact_at(&mut torn, whole).map_err(|source| self.unreadable(source))?;
            let parsed = Line::parse(&torn);
            if length - whole <= MAX_TORN && !matches!(parsed, Line::Garbage) {
                // Only the line break was lost.
                (&**file).write_all(b"\n").map_err(|source| self.unwritable(source))?;
                return Ok(length + 1);
            }
            self.keep_aside(&torn);
            file.set_len(whole).map_err(|source| self.unwritable(source))?;
        }
        if whole == 0 {
            let header = line::encode(&Header { gstack_chat: FORMAT, conversation_id: self.conversation_id.clone() });
            (&**file).write_all(&header).map_err(|source| self.unwritable(source))?;
            return Ok(header.len() as u64);
        }
        Ok(whole)
    }

    /// Keeps a torn end, on a best-effort basis: it was never shown as complete, and losing it loses no event.
    fn keep_aside(&self, torn: &[u8]) {
        let kept = self.path.with_file_name(TORN_FILE);
        let written = OpenOptions::new()
            .append(true)
            .create(true)
            .mode(FILE_MODE)
            .open(&kept)
            .and_then(|mut file| file.write_all(torn).and_then(|()| file.write_all(b"\n")));
        match written {
            Ok(()) => tracing::warn!(kept = %kept.display(), bytes = torn.len(), "the journal's last line was torn"),
            Err(error) => tracing::warn!(%error, bytes = torn.len(), "the journal's last line was torn and is dropped"),
        }
    }
}

/// Opens a file for reading and appending. Does not follow a symbolic link.
pub(super) fn open_file(path: &Path, create: bool) -> io::Result<File> {
    // NOFOLLOW is a small positive constant on every platform that we build for.
    let flags = OFlags::NOFOLLOW.bits() as i32;
    OpenOptions::new().read(true).append(true).create_new(create).mode(FILE_MODE).custom_flags(flags).open(path)
}

/// Locks the file until it is closed, including by a crash. `limit`: how long to wait for the last holder to release
/// it.
fn lock(file: &File, path: &Path, limit: Duration) -> Result<(), ChatError> {
    match lock_within(file, limit) {
        Ok(true) => Ok(()),
        Ok(false) => Err(ChatError::Locked { path: path.to_owned() }),
        Err(source) => Err(ChatError::storage("lock", path, source)),
    }
}

/// Returns the offset after the last line break before `length`.
fn last_line_end(file: &File, length: u64) -> io::Result<u64> {
    const STEP: u64 = 64 * 1024;
    let mut end = length;
    while end > 0 {
        let start = end.saturating_sub(STEP);
        let mut bytes = vec![0; usize::try_from(end - start).unwrap_or(usize::MAX)];
        file.read_exact_at(&mut bytes, start)?;
        if let Some(at) = bytes.iter().rposition(|&b| b == b'\n') {
            return Ok(start + at as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

/// Returns the number of the newest event.
fn newest(reader: &Reader, end: u64) -> io::Result<Seq> {
    let mut lines = Backwards::new(reader, end);
    while let Some((_, raw)) = lines.next()? {
        let parsed = Line::parse(&raw);
        if let Some(seq) = parsed.seq() {
            return Ok(seq);
        }
    }
    Ok(0)
}

#[cfg(test)]
#[path = "journal_tests.rs"]
mod tests;
