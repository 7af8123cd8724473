//! Full-text search over journals: what persons and agents have said, found without opening the conversations.
//!
//! Owns the reading and its bounds. Never takes a lock and never writes: a journal that grows meanwhile is read as far
//! as it was. Blocks for the disk.

use crate::chat::journal::{Delta, Growth, JOURNAL_FILE, Line};
use crate::protocol::chat::{ChatBody, Seq};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::time::Instant;

/// What one search may read of all journals together.
pub(super) const MOST_READ: u64 = 512 * 1024 * 1024;
/// A longer line is not text of a conversation (pictures lie in files); it is passed over in parts.
const LONGEST_LINE: u64 = 4 * 1024 * 1024;
/// What is shown around a find, in characters on each side.
const AROUND: usize = 60;

/// How much a search may still do.
#[derive(Debug)]
pub(super) struct Budget {
    pub(super) bytes: u64,
    pub(super) until: Instant,
}

impl Budget {
    pub(super) fn is_spent(&self) -> bool {
        self.bytes == 0 || Instant::now() >= self.until
    }
}

/// The words around the first find in a conversation's messages and answers. `wanted` is in lower case.
pub(super) fn find(folder: &Path, wanted: &str, budget: &mut Budget) -> io::Result<Option<String>> {
    let file = match File::open(folder.join(JOURNAL_FILE)) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut reader = BufReader::with_capacity(64 * 1024, file);
    let mut raw = Vec::new();
    let mut block: Option<(Seq, Growth)> = None;
    while !budget.is_spent() {
        raw.clear();
        let read = io::Read::take(&mut reader, LONGEST_LINE.min(budget.bytes)).read_until(b'\n', &mut raw)? as u64;
        if read == 0 {
            break;
        }
        budget.bytes -= read;
        let said = match said(&raw) {
            Said::Nothing => continue,
            Said::Grows(delta) => {
                if let Some((seq, text)) = &mut block
                    && *seq == delta.delta
                {
                    text.take(&delta);
                }
                continue;
            }
            Said::Block(seq, text) => block.replace((seq, Growth::of(text))).map(|(_, before)| before.text),
            Said::Whole(text) => Some(text),
        };
        if let Some(found) = said.and_then(|text| excerpt(&text, wanted)) {
            return Ok(Some(found));
        }
    }
    Ok(block.and_then(|(_, last)| excerpt(&last.text, wanted)))
}

enum Said {
    Nothing,
    Whole(String),
    Block(Seq, String),
    Grows(Delta),
}

/// What a line says. Lines of other kinds are told apart by their beginning and not parsed.
fn said(raw: &[u8]) -> Said {
    let text_comes = raw.starts_with(br#"{"delta":"#)
        || [&br#""type":"message""#[..], br#""type":"text""#]
            .iter()
            .any(|kind| raw.get(..120.min(raw.len())).is_some_and(|start| contains(start, kind)));
    if !text_comes {
        return Said::Nothing;
    }
    match Line::parse(raw.strip_suffix(b"\n").unwrap_or(raw)) {
        Line::Delta(delta) => Said::Grows(delta),
        Line::Event(event) => match event.body {
            ChatBody::Message { text, .. } => Said::Whole(text),
            ChatBody::Text { text, .. } => Said::Block(event.seq, text),
            _ => Said::Nothing,
        },
        _ => Said::Nothing,
    }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// The words around the first place where `text` holds `wanted`, on one line.
fn excerpt(text: &str, wanted: &str) -> Option<String> {
    let at = position(text, wanted)?;
    let before = text[..at].char_indices().rev().nth(AROUND - 1).map_or(0, |(start, _)| start);
    let length = wanted.chars().count() + AROUND;
    let after = text[at..].char_indices().nth(length).map_or(text.len(), |(end, _)| at + end);
    let words: Vec<&str> = text[before..after].split_whitespace().collect();
    let lead = if before > 0 { "…" } else { "" };
    let trail = if after < text.len() { "…" } else { "" };
    Some(format!("{lead}{}{trail}", words.join(" ")))
}

/// Where `text` holds `wanted`, whatever the case of its letters.
fn position(text: &str, wanted: &str) -> Option<usize> {
    let lower = text.to_lowercase();
    let found = lower.find(wanted)?;
    if lower.len() == text.len() && text.is_char_boundary(found) {
        return Some(found);
    }
    // Letters whose small form is longer or shorter shift what follows: the place is counted out.
    let mut passed = 0;
    let mut places = text.char_indices();
    places.find_map(|(at, character)| {
        passed += character.to_lowercase().map(char::len_utf8).sum::<usize>();
        (passed > found).then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_shows_what_stands_around_the_find() {
        assert_eq!(excerpt("Please fix\n the LOGIN form", "login").as_deref(), Some("Please fix the LOGIN form"));
        let long = format!("{} Needle {}", "a ".repeat(200), "b ".repeat(200));
        let found = excerpt(&long, "needle").unwrap();
        assert!(found.starts_with('…') && found.ends_with('…') && found.contains("Needle"), "{found}");
        assert!(found.chars().count() <= 2 * AROUND + 10);
        assert_eq!(excerpt("nothing here", "login"), None);
    }

    #[test]
    fn letters_that_change_their_length_do_not_shift_the_excerpt() {
        let text = "İİİ ÄÖÜ and straße";
        assert_eq!(position(text, "and"), text.find("and"));
        assert_eq!(position(text, "äöü"), text.find("ÄÖÜ"));
        assert!(excerpt(text, "straße").unwrap().ends_with("straße"));
    }
}
