//! Reads a journal from its end: events in pages, found by number without an index and without reading the whole file.
//!
//! Never writes. Skips and counts lines that cannot be parsed.

use super::line::{self, Delta, Growth, Line};
use crate::error::ChatError;
use gstack_protocol::chat::{ChatEvent, Seq};
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// The number of bytes in one read.
const BLOCK: u64 = 64 * 1024;
/// The number of garbage lines that are remembered, so that each is counted only once.
const REMEMBERED_GARBAGE: usize = 1000;

/// Reads a journal's file. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Reader {
    pub(super) file: Arc<File>,
    pub(super) path: PathBuf,
    garbage: Arc<Mutex<HashSet<u64>>>,
}

/// A page of events.
#[derive(Debug, Default, PartialEq)]
pub struct Page {
    /// Oldest first. Each text block has its complete text.
    pub events: Vec<ChatEvent>,
    /// A limit ended the page: the requested range has older events.
    pub older: bool,
}

/// The limits of a page.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub events: usize,
    /// The limit of the events' JSON. A larger single event is still returned, alone.
    pub bytes: usize,
}

impl Reader {
    pub(super) fn new(file: Arc<File>, path: PathBuf) -> Self {
        Self { file, path, garbage: Arc::default() }
    }

    /// Returns the number of lines skipped because they cannot be parsed.
    pub(super) fn garbage(&self) -> usize {
        self.garbage.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn note_garbage(&self, offset: u64) {
        let mut garbage = self.garbage.lock().unwrap_or_else(PoisonError::into_inner);
        if garbage.len() < REMEMBERED_GARBAGE && garbage.insert(offset) {
            tracing::warn!(journal = %self.path.display(), offset, "a line of the journal can't be read and is skipped");
        }
    }

    /// Returns events with `after < seq < before`, the newest that the limits allow. `end`: the offset at which the
    /// complete lines end.
    pub(super) fn page(&self, after: Seq, before: Seq, end: u64, limits: Limits) -> Result<Page, ChatError> {
        self.read_page(after, before, end, limits).map_err(|source| ChatError::storage("read", &self.path, source))
    }

    fn read_page(&self, after: Seq, before: Seq, end: u64, limits: Limits) -> io::Result<Page> {
        let mut page = Page::default();
        if before <= after.saturating_add(1) {
            return Ok(page);
        }
        let mut backwards = Backwards::new(self, self.no_text_behind(before, end)?);
        let mut deltas: HashMap<Seq, Vec<Delta>> = HashMap::new();
        let mut bytes = 0;
        while let Some((offset, raw)) = backwards.next()? {
            let mut event = match Line::parse(&raw) {
                Line::Delta(delta) if delta.delta > after && delta.delta < before => {
                    deltas.entry(delta.delta).or_default().push(delta);
                    continue;
                }
                Line::Event(event) => event,
                Line::Foreign(seq) if seq <= after => break,
                Line::Garbage => {
                    self.note_garbage(offset);
                    continue;
                }
                Line::Delta(_) | Line::Foreign(_) | Line::Header => continue,
            };
            if event.seq <= after {
                break;
            }
            if event.seq >= before {
                continue;
            }
            let mut size = raw.len();
            if let Some(text) = line::block_text(&mut event.body) {
                let mut growth = Growth::of(std::mem::take(text));
                deltas.remove(&event.seq).unwrap_or_default().iter().rev().for_each(|delta| growth.take(delta));
                *text = growth.text;
                size += line::encode(text).len();
            }
            if page.events.len() >= limits.events || (!page.events.is_empty() && bytes + size > limits.bytes) {
                page.older = true;
                break;
            }
            bytes += size;
            page.events.push(*event);
        }
        page.events.reverse();
        Ok(page)
    }

    /// Returns an offset at or after the event `seq` that no text of an earlier event follows.
    fn no_text_behind(&self, seq: Seq, end: u64) -> io::Result<u64> {
        // Binary search by offset, because the numbers only increase.
        let (mut low, mut high) = (0, end);
        while high - low > BLOCK {
            let middle = low + (high - low) / 2;
            match self.first_event(middle, high)? {
                Some((_, found)) if found < seq => low = middle,
                Some(_) | None => high = middle,
            }
        }
        let mut forwards = Forwards::new(self, low, end)?;
        if low > 0 {
            // Skip the line that contains `low`.
            forwards.next()?;
        }
        while let Some((offset, raw)) = forwards.next()? {
            match Line::parse(&raw) {
                Line::Event(event) if event.seq >= seq && !line::leaves_block_open(&event.body) => return Ok(offset),
                _ => {}
            }
        }
        Ok(end)
    }

    /// Calls `see` with every line that begins before `end`, without its line break, oldest first.
    pub(super) fn lines(&self, end: u64, mut see: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let mut forwards = Forwards::new(self, 0, end)?;
        while let Some((_, raw)) = forwards.next()? {
            see(&raw)?;
        }
        Ok(())
    }

    /// Calls `see` with the events after `after`, oldest first, until it returns `false`. Text blocks come without
    /// their text.
    pub(super) fn forwards(&self, after: Seq, end: u64, mut see: impl FnMut(&ChatEvent) -> bool) -> io::Result<()> {
        // Binary search by offset, as above.
        let (mut low, mut high) = (0, if after == 0 { 0 } else { end });
        while high - low > BLOCK {
            let middle = low + (high - low) / 2;
            match self.first_event(middle, high)? {
                Some((_, found)) if found <= after => low = middle,
                Some(_) | None => high = middle,
            }
        }
        let mut forwards = Forwards::new(self, low, end)?;
        if low > 0 {
            // Skip the line that contains `low`.
            forwards.next()?;
        }
        while let Some((offset, raw)) = forwards.next()? {
            match Line::parse(&raw) {
                Line::Event(event) if event.seq > after && !see(&event) => break,
                Line::Garbage => self.note_garbage(offset),
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns the first event that begins between `from` and `to`, with its offset.
    fn first_event(&self, from: u64, to: u64) -> io::Result<Option<(u64, Seq)>> {
        let mut forwards = Forwards::new(self, from, to)?;
        if from > 0 {
            forwards.next()?;
        }
        while let Some((offset, raw)) = forwards.next()? {
            if let Some(seq) = Line::parse(&raw).seq() {
                return Ok(Some((offset, seq)));
            }
        }
        Ok(None)
    }

    fn read(&self, from: u64, to: u64) -> io::Result<Vec<u8>> {
        // The range is at most one block, or a line that this process has written or read in full.
        let mut bytes = vec![0; usize::try_from(to - from).map_err(io::Error::other)?];
        self.file.read_exact_at(&mut bytes, from)?;
        Ok(bytes)
    }
}

/// Iterates over complete lines from an offset back to the beginning of the file.
pub(super) struct Backwards<'a> {
    reader: &'a Reader,
    /// The offset of `buffer` in the file.
    start: u64,
    /// Ends with a line break, or is empty.
    buffer: Vec<u8>,
}

impl<'a> Backwards<'a> {
    /// Starts at `end`, which must follow a line break.
    pub(super) fn new(reader: &'a Reader, end: u64) -> Self {
        Self { reader, start: end, buffer: Vec::new() }
    }

    /// Returns the end offset of the lines not yet returned.
    pub(super) fn position(&self) -> u64 {
        self.start + self.buffer.len() as u64
    }

    /// Returns the next older line without its line break, and its offset.
    pub(super) fn next(&mut self) -> io::Result<Option<(u64, Vec<u8>)>> {
        loop {
            let body = self.buffer.len().saturating_sub(1);
            if let Some(before) = self.buffer[..body].iter().rposition(|&b| b == b'\n') {
                let mut line = self.buffer.split_off(before + 1);
                line.pop();
                return Ok(Some((self.position(), line)));
            }
            if self.start == 0 {
                let mut line = std::mem::take(&mut self.buffer);
                return Ok(line.pop().map(|_| (0, line)));
            }
            // Read a long line in growing steps, so that it is not copied once per block.
            let step = (self.buffer.len() as u64).max(BLOCK).min(self.start);
            let mut older = self.reader.read(self.start - step, self.start)?;
            older.append(&mut self.buffer);
            self.buffer = older;
            self.start -= step;
        }
    }
}

/// Iterates over the complete lines between two offsets. The first one may be the rest of a line.
struct Forwards<'a> {
    reader: &'a Reader,
    /// The offset of the next line in the file.
    next: u64,
    /// The unreturned part begins at `used`.
    buffer: Vec<u8>,
    used: usize,
    /// Lines that begin at or after this offset are not returned.
    end: u64,
    length: u64,
}

impl<'a> Forwards<'a> {
    fn new(reader: &'a Reader, from: u64, end: u64) -> io::Result<Self> {
        let length = reader.file.metadata()?.len();
        Ok(Self { reader, next: from, buffer: Vec::new(), used: 0, end, length })
    }

    fn next(&mut self) -> io::Result<Option<(u64, Vec<u8>)>> {
        while self.next < self.end {
            let unread = &self.buffer[self.used..];
            if let Some(length) = unread.iter().position(|&b| b == b'\n') {
                let line = unread[..length].to_vec();
                let offset = self.next;
                self.used += length + 1;
                self.next += length as u64 + 1;
                return Ok(Some((offset, line)));
            }
            let from = self.next + unread.len() as u64;
            let to = (from + (unread.len() as u64).max(BLOCK)).min(self.length);
            if from >= to {
                break;
            }
            self.buffer.drain(..self.used);
            self.used = 0;
            self.buffer.extend(self.reader.read(from, to)?);
        }
        Ok(None)
    }
}
