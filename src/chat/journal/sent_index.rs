//! `sent.index`: the messages that a long conversation has accepted, so that a repeated one is recognised however old
//! it is.
//!
//! Owns the file: one line `["clientId",seq]` per message, in order. It can be rebuilt from the journal, and every hit
//! is verified there, so a damaged index costs time but never loses a message. Short conversations have no such file.

use super::file::Journal;
use super::line;
use super::read::Limits;
use crate::error::ChatError;
use gstack_base::append;
use gstack_protocol::chat::{ChatBody, Seq};
use gstack_protocol::ids::ClientMessageId;
use std::fs;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

/// The file name in the conversation's folder.
const INDEX_FILE: &str = "sent.index";
/// The longest valid line. Ids are short, so a longer line is damaged.
const LONGEST_LINE: u64 = 4096;

/// The index of one conversation.
#[derive(Debug)]
pub(crate) struct SentIndex {
    path: PathBuf,
    /// The file contains every message of the journal.
    is_complete: bool,
}

impl SentIndex {
    /// Creates an index. `folder` is the conversation's own. Touches no file.
    pub(crate) fn new(folder: &Path) -> Self {
        Self { path: folder.join(INDEX_FILE), is_complete: false }
    }

    /// Returns the number of the message with this id. Blocks on disk I/O.
    pub(crate) fn find(&mut self, journal: &Journal, client_id: &ClientMessageId) -> Result<Option<Seq>, ChatError> {
        for _ in 0..2 {
            if let Err(error) = self.complete(journal) {
                tracing::debug!(%error, "the index of messages can't be written");
                return scan(journal, client_id);
            }
            match self.look_up(client_id) {
                Ok(None) => return Ok(None),
                Ok(Some(seq)) if is_message(journal, seq, client_id)? => return Ok(Some(seq)),
                // Damaged, or of another journal: rebuild it.
                Ok(Some(_)) | Err(_) => self.forget(),
            }
        }
        scan(journal, client_id)
    }

    /// Records a written message.
    pub(crate) fn note(&mut self, client_id: &ClientMessageId, seq: Seq) {
        if self.is_complete {
            let written =
                append::open(&self.path).and_then(|mut file| file.write_all(&line::encode(&(client_id, seq))));
            self.is_complete = written.is_ok();
        }
    }

    /// Adds the messages that the file lacks from the journal.
    fn complete(&mut self, journal: &Journal) -> Result<(), ChatError> {
        if self.is_complete {
            return Ok(());
        }
        let newest = match self.newest() {
            Ok(newest) if newest <= journal.head() => newest,
            // Damaged, or of another journal: rebuild it.
            Ok(_) | Err(_) => {
                self.forget();
                0
            }
        };
        let failed = |source| ChatError::storage("write", &self.path, source);
        let mut file = BufWriter::new(append::open(&self.path).map_err(failed)?);
        let mut written = Ok(());
        journal.forwards(newest, |event| {
            if let ChatBody::Message { client_id, .. } = &event.body {
                written = file.write_all(&line::encode(&(client_id, event.seq)));
            }
            written.is_ok()
        })?;
        written.and_then(|()| file.flush()).map_err(failed)?;
        self.is_complete = true;
        Ok(())
    }

    /// Returns the number in the last line. Cuts off an incomplete line.
    fn newest(&self) -> io::Result<Seq> {
        let mut newest = 0;
        let mut whole = 0;
        let mut lines = Lines::open(&self.path)?;
        while let Some(line) = lines.next()? {
            whole += line.len() as u64;
            newest = parse(line)?.1;
        }
        let file = append::open(&self.path)?;
        if file.metadata()?.len() > whole {
            file.set_len(whole)?;
        }
        Ok(newest)
    }

    fn look_up(&self, client_id: &ClientMessageId) -> io::Result<Option<Seq>> {
        let mut wanted = line::encode(client_id);
        wanted.insert(0, b'[');
        wanted.pop();
        wanted.push(b',');
        let mut lines = Lines::open(&self.path)?;
        while let Some(line) = lines.next()? {
            if line.starts_with(&wanted) {
                return parse(line).map(|(_, seq)| Some(seq));
            }
        }
        Ok(None)
    }

    fn forget(&mut self) {
        self.is_complete = false;
        if let Err(error) = fs::remove_file(&self.path)
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::debug!(%error, "a damaged index of messages can't be removed");
        }
    }
}

/// The complete lines of the file, with their line breaks.
struct Lines {
    file: BufReader<fs::File>,
    line: Vec<u8>,
}

impl Lines {
    fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { file: BufReader::with_capacity(64 * 1024, append::open(path)?), line: Vec::new() })
    }

    fn next(&mut self) -> io::Result<Option<&[u8]>> {
        self.line.clear();
        io::Read::take(&mut self.file, LONGEST_LINE).read_until(b'\n', &mut self.line)?;
        if self.line.len() as u64 == LONGEST_LINE {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok(self.line.ends_with(b"\n").then_some(&self.line))
    }
}

fn parse(line: &[u8]) -> io::Result<(ClientMessageId, Seq)> {
    serde_json::from_slice(line).map_err(io::Error::from)
}

fn is_message(journal: &Journal, seq: Seq, client_id: &ClientMessageId) -> Result<bool, ChatError> {
    let limits = Limits { events: 1, bytes: usize::MAX };
    let page = journal.page(seq.saturating_sub(1), seq.saturating_add(1), limits)?;
    let is = |body: &ChatBody| matches!(body, ChatBody::Message { client_id: of, .. } if of == client_id);
    Ok(page.events.first().is_some_and(|event| is(&event.body)))
}

/// Reads the whole journal, if the index cannot be written.
fn scan(journal: &Journal, client_id: &ClientMessageId) -> Result<Option<Seq>, ChatError> {
    let mut found = None;
    journal.forwards(0, |event| {
        if matches!(&event.body, ChatBody::Message { client_id: of, .. } if of == client_id) {
            found = Some(event.seq);
        }
        found.is_none()
    })?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gstack_protocol::chat::{ChatEvent, MessageSource};
    use gstack_protocol::ids::ConversationId;

    fn id(n: u64) -> ClientMessageId {
        ClientMessageId::new(format!("m\"{n}"))
    }

    fn journal(folder: &Path, messages: u64) -> Journal {
        let mut journal = Journal::new(folder, ConversationId::new("a"));
        for seq in 1..=messages {
            append(&mut journal, seq);
        }
        journal
    }

    fn append(journal: &mut Journal, seq: Seq) {
        let body = ChatBody::Message {
            client_id: id(seq),
            text: "t".repeat(200),
            page: None,
            attachments: Vec::new(),
            from: MessageSource::Panel,
            model: None,
        };
        journal.append(&ChatEvent { seq, at: 1, body }).unwrap();
    }

    /// Returns how many of the ids are found, each under its own number. Asserts that only the first ones are.
    fn found(index: &mut SentIndex, journal: &Journal) -> usize {
        let is_known: Vec<bool> = (1..=110).map(|n| index.find(journal, &id(n)).unwrap() == Some(n)).collect();
        let count = is_known.iter().filter(|known| **known).count();
        assert!(is_known[..count].iter().all(|known| *known), "the first {count} are not the known ones");
        count
    }

    #[test]
    fn every_message_is_known_whatever_became_of_the_index() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = journal(folder.path(), 100);
        let mut index = SentIndex::new(folder.path());
        assert_eq!(found(&mut index, &journal), 100);
        append(&mut journal, 101);
        index.note(&id(101), 101);
        assert_eq!(index.find(&journal, &id(101)).unwrap(), Some(101));
        // A message that only the journal has, as after a kill between the two writes.
        append(&mut journal, 102);
        let path = folder.path().join(INDEX_FILE);
        let whole = fs::read(&path).unwrap();
        let damages: [&[u8]; 5] =
            [&whole, &whole[..whole.len() - 7], b"", b"nonsense\n", b"[\"m\\\"9\",12]\n[\"x\",99999]\n"];
        for damaged in damages {
            fs::write(&path, damaged).unwrap();
            let mut index = SentIndex::new(folder.path());
            assert_eq!(found(&mut index, &journal), 102, "{}", damaged.len());
        }
        // If the index cannot be written, the journal itself is read.
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert_eq!(SentIndex::new(folder.path()).find(&journal, &id(3)).unwrap(), Some(3));
        assert_eq!(SentIndex::new(folder.path()).find(&journal, &id(3000)).unwrap(), None);
    }
}
