//! Compacts a journal: an answer that was written as thousands of deltas becomes one line.
//!
//! Owns the new file: it contains every event with its number and complete text, and it is synced to disk before it
//! replaces the old file. It replaces the old file only if that has not changed since. Unreadable lines are kept with
//! torn ends.

use super::file::open_file;
use super::line::{self, Growth, Line};
use super::read::Reader;
use crate::error::ChatError;
use gstack_protocol::chat::{ChatEvent, Seq};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// The new file, in the journal's folder until it replaces the journal.
const NEW_FILE: &str = "chat.jsonl.new";

/// A rewritten journal that has not replaced the old one yet.
#[derive(Debug)]
pub(crate) struct Rewritten {
    pub(super) file: File,
    pub(super) path: PathBuf,
    pub(crate) length: u64,
    pub(super) head: Seq,
    /// The unreadable lines.
    pub(super) garbage: Vec<u8>,
}

/// Rewrites the first `end` bytes of a journal into a new file in the same folder. Blocks on disk I/O.
pub(crate) fn rewrite(reader: &Reader, end: u64) -> Result<Rewritten, ChatError> {
    let path = reader.path.with_file_name(NEW_FILE);
    discard(&path);
    let failed = |source| ChatError::storage("write", &path, source);
    let file = open_file(&path, true).map_err(failed)?;
    match copy(reader, end, &file) {
        Ok((length, head, garbage)) => Ok(Rewritten { file, path, length, head, garbage }),
        Err(source) => {
            discard(&path);
            Err(failed(source))
        }
    }
}

/// Removes the new file of an interrupted compaction.
pub(super) fn discard_left(folder: &Path) {
    discard(&folder.join(NEW_FILE));
}

pub(super) fn discard(path: &Path) {
    if let Err(error) = fs::remove_file(path)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::debug!(%error, "an unfinished journal can't be removed");
    }
}

fn copy(reader: &Reader, end: u64, file: &File) -> io::Result<(u64, Seq, Vec<u8>)> {
    let mut copy = Copy { out: BufWriter::new(file), length: 0, head: 0, block: None, behind: Vec::new() };
    let mut garbage = Vec::new();
    reader.lines(end, |raw| {
        match Line::parse(raw) {
            Line::Event(event) => copy.event(*event)?,
            Line::Delta(delta) => match &mut copy.block {
                Some((block, growth)) if block.seq == delta.delta => growth.take(&delta),
                // A delta without an event, which no panel shows.
                _ => {}
            },
            Line::Header => copy.raw(raw)?,
            Line::Foreign(seq) => {
                copy.end_block()?;
                copy.raw(raw)?;
                copy.head = seq;
            }
            Line::Garbage => {
                garbage.extend_from_slice(raw);
                garbage.push(b'\n');
            }
        }
        Ok(())
    })?;
    copy.end_block()?;
    copy.out.flush()?;
    file.sync_all()?;
    Ok((copy.length, copy.head, garbage))
}

struct Copy<'a> {
    out: BufWriter<&'a File>,
    length: u64,
    head: Seq,
    /// The block whose deltas may still follow.
    block: Option<(ChatEvent, Growth)>,
    /// Events that came while the block grew.
    behind: Vec<ChatEvent>,
}

impl Copy<'_> {
    fn event(&mut self, mut event: ChatEvent) -> io::Result<()> {
        if self.block.is_some() && line::leaves_block_open(&event.body) {
            self.behind.push(event);
            return Ok(());
        }
        self.end_block()?;
        match line::block_text(&mut event.body) {
            Some(text) => {
                let growth = Growth::of(std::mem::take(text));
                self.block = Some((event, growth));
                Ok(())
            }
            None => self.write(&event),
        }
    }

    fn end_block(&mut self) -> io::Result<()> {
        if let Some((mut event, growth)) = self.block.take() {
            if let Some(text) = line::block_text(&mut event.body) {
                *text = growth.text;
            }
            self.write(&event)?;
        }
        for event in std::mem::take(&mut self.behind) {
            self.write(&event)?;
        }
        Ok(())
    }

    fn write(&mut self, event: &ChatEvent) -> io::Result<()> {
        let bytes = line::encode(event);
        self.length += bytes.len() as u64;
        self.head = event.seq;
        self.out.write_all(&bytes)
    }

    fn raw(&mut self, raw: &[u8]) -> io::Result<()> {
        self.length += raw.len() as u64 + 1;
        self.out.write_all(raw)?;
        self.out.write_all(b"\n")
    }
}
