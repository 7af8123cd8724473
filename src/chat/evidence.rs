//! What a turn's acts left behind, beside the journal: `evidence.jsonl`, and the pictures in `evidence/`.
//!
//! Owns both and their limits. They are in the conversation's folder, so they are deleted with it. The caller removes
//! what looks like a secret before it hands anything over; the line is written without those that gstack filled in.

use super::conversation::Conversation;
use super::error::ChatError;
use super::store::files;
use gstack_base::{append, filled_secrets};
use gstack_protocol::ids::{FileId, TurnId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

const FILE: &str = "evidence.jsonl";
const OLDER_FILE: &str = "evidence.1.jsonl";
/// The size at which the file becomes the older one, in bytes. The one before it is dropped.
const LARGEST: u64 = 2 * 1024 * 1024;
/// The most turns whose dropped notes are counted.
const MOST_COUNTED: usize = 1000;

/// The first line of a file: how many notes of each turn were dropped before it was begun. A trace has no such field, and
/// this has no turn, so neither is taken for the other.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Dropped {
    dropped: BTreeMap<TurnId, u64>,
}

/// The notes of a turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TurnNotes {
    /// Oldest first.
    pub acts: Vec<ActTrace>,
    /// The number of notes that newer ones have pushed out.
    pub dropped: u64,
}

/// The shown record of one act, without secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ActTrace {
    pub turn_id: Option<TurnId>,
    /// The agent's own id of the call, if it gave one.
    pub call_id: Option<String>,
    pub tool: String,
    /// As the turn's step has them.
    pub arguments: String,
    /// The command line, as the audit has it.
    pub line: String,
    /// When the call came, was permitted and ended, in milliseconds since 1970.
    pub came_at: u64,
    pub permitted_at: Option<u64>,
    pub ended_at: u64,
    /// The pages of the tab before and after.
    pub before: Option<TracedPage>,
    pub after: Option<TracedPage>,
    /// The requests that its tab sent meanwhile. `None` if nobody looked, because it changes nothing.
    pub requests: Option<Vec<TracedRequest>>,
    /// The number of further requests.
    pub more_requests: usize,
    /// One line about the result, in gstack's words.
    pub result: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TracedPage {
    pub url: String,
    pub title: String,
    pub picture: Option<FileId>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TracedRequest {
    pub method: String,
    pub url: String,
    pub status: Option<u16>,
    pub failed: Option<String>,
}

impl Conversation {
    /// Appends what an act did. Blocks on disk I/O.
    pub fn note_act(&self, trace: &ActTrace) -> Result<(), ChatError> {
        let path = self.place.join(FILE);
        let failed = |source| ChatError::storage("write", &path, source);
        let text = serde_json::to_string(trace).map_err(|error| failed(error.into()))?;
        let mut line = filled_secrets::without_in_json(&text).into_owned().into_bytes();
        line.push(b'\n');
        let mut file = append::open(&path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        if length > 0 && length + line.len() as u64 > LARGEST {
            drop(file);
            let older = self.place.join(OLDER_FILE);
            let dropped = count_dropped(&path, &older).map_err(failed)?;
            fs::rename(&path, older).map_err(failed)?;
            file = append::open(&path).map_err(failed)?;
            if !dropped.is_empty() {
                let mut head = serde_json::to_vec(&Dropped { dropped }).map_err(|error| failed(error.into()))?;
                head.push(b'\n');
                head.append(&mut line);
                line = head;
            }
        }
        file.write_all(&line).map_err(failed)
    }

    /// Returns what the acts of a turn did. Skips unreadable lines. Blocks on disk I/O.
    pub fn acts_of(&self, turn_id: &TurnId) -> Result<TurnNotes, ChatError> {
        let mut notes = TurnNotes::default();
        for name in [OLDER_FILE, FILE] {
            let path = self.place.join(name);
            let bytes = read(&path).map_err(|source| ChatError::storage("read", &path, source))?;
            if let Some(Dropped { dropped }) = head_of(&bytes) {
                // The newer file has counted what the older one had.
                notes.dropped = dropped.get(turn_id).copied().unwrap_or_default();
            }
            let read = lines(&bytes).filter_map(|line| serde_json::from_slice::<ActTrace>(line).ok());
            notes.acts.extend(read.filter(|act| act.turn_id.as_ref() == Some(turn_id)));
        }
        notes.acts.sort_by_key(|act| act.came_at);
        Ok(notes)
    }

    /// Keeps the picture of a page (JPEG), and removes the oldest ones above the limit. Blocks on disk I/O.
    pub fn keep_picture(&self, bytes: &[u8]) -> Result<FileId, ChatError> {
        files::keep_picture(&self.place, bytes)
    }

    /// Returns an image of the conversation, if it is still kept and not larger than `most`. Blocks on disk I/O.
    pub fn image(&self, id: &FileId, most: u64) -> Option<Vec<u8>> {
        files::image(&self.place, id, most)
    }
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        outcome => outcome,
    }
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|byte| *byte == b'\n')
}

fn head_of(bytes: &[u8]) -> Option<Dropped> {
    serde_json::from_slice(lines(bytes).next()?).ok()
}

/// Counts the notes of each turn that were dropped before the newer file was begun, and those that the older one holds.
fn count_dropped(newer: &Path, older: &Path) -> io::Result<BTreeMap<TurnId, u64>> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct OfTurn {
        turn_id: Option<TurnId>,
    }
    let mut counts = head_of(&read(newer)?).map(|head| head.dropped).unwrap_or_default();
    for of in lines(&read(older)?).filter_map(|line| serde_json::from_slice::<OfTurn>(line).ok()) {
        if let Some(turn_id) = of.turn_id
            && (counts.len() < MOST_COUNTED || counts.contains_key(&turn_id))
        {
            *counts.entry(turn_id).or_default() += 1;
        }
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{NewConversation, Store};
    use gstack_base::home::Home;

    #[test]
    fn traces_are_read_by_turn_and_pictures_by_id() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&Home::at(folder.path().to_owned()).unwrap()).unwrap();
        let conversation = store.create(NewConversation { folder: String::new(), page: None });
        fs::create_dir_all(&conversation.place).unwrap();
        for (turn, tool) in [("a", "click"), ("b", "fill"), ("a", "goto")] {
            let trace = ActTrace { turn_id: Some(TurnId::new(turn)), tool: tool.to_owned(), ..ActTrace::default() };
            conversation.note_act(&trace).unwrap();
        }
        let mut torn = append::open(&conversation.place.join(FILE)).unwrap();
        torn.write_all(b"{\"turnId\":\"a\"").unwrap();
        let tools: Vec<String> =
            conversation.acts_of(&TurnId::new("a")).unwrap().acts.into_iter().map(|act| act.tool).collect();
        assert_eq!(tools, ["click", "goto"]);
        let id = conversation.keep_picture(b"jpeg").unwrap();
        assert_eq!(conversation.image(&id, 10).unwrap(), b"jpeg");
        assert!(conversation.image(&id, 3).is_none());
        assert!(conversation.image(&FileId::new("../session.json"), 1000).is_none());
    }
    #[test]
    fn notes_that_newer_ones_push_out_are_counted_by_turn() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&Home::at(folder.path().to_owned()).unwrap()).unwrap();
        let conversation = store.create(NewConversation { folder: String::new(), page: None });
        fs::create_dir_all(&conversation.place).unwrap();
        let turns = [TurnId::new("a"), TurnId::new("b")];
        let mut written = [0_u64; 2];
        let large = "x".repeat(LARGEST as usize / 3);
        for round in 0..20 {
            let which = usize::from(round >= 4);
            written[which] += 1;
            let trace = ActTrace { turn_id: Some(turns[which].clone()), result: large.clone(), ..ActTrace::default() };
            conversation.note_act(&trace).unwrap();
            for (turn, written) in turns.iter().zip(written) {
                let notes = conversation.acts_of(turn).unwrap();
                assert_eq!(notes.acts.len() as u64 + notes.dropped, written, "{turn:?} after {round}");
            }
        }
        assert_eq!(conversation.acts_of(&turns[0]).unwrap(), TurnNotes { acts: Vec::new(), dropped: 4 });
        assert_eq!(conversation.acts_of(&TurnId::new("other")).unwrap(), TurnNotes::default());
    }
}
