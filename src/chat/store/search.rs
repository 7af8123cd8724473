//! Full-text search over journals: the messages and answers, without opening the conversations.
//!
//! Owns the reading and its limits. Never takes a lock and never writes; text appended during the search may be missed.
//! Blocks on disk I/O.

use crate::journal::{Delta, Growth, JOURNAL_FILE, Line};
use gstack_protocol::chat::{ChatBody, Seq};
use gstack_protocol::ids::TurnId;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::time::Instant;

/// The limit of bytes that one search may read from all journals.
pub(super) const MOST_READ: u64 = 512 * 1024 * 1024;
/// A longer line has no text of a conversation (pictures are files). It is skipped in parts.
const LONGEST_LINE: u64 = 4 * 1024 * 1024;
/// The length of an excerpt on each side of the match, in characters.
const AROUND: usize = 60;

/// The remaining limits of a search.
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

/// Returns an excerpt around the first match in a conversation's messages and answers. `wanted` is in lower case.
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
        let said = match text_of_line(&raw) {
            LineText::Nothing => continue,
            LineText::Grows(delta) => {
                if let Some((seq, text)) = &mut block
                    && *seq == delta.delta
                {
                    text.take(&delta);
                }
                continue;
            }
            LineText::Block(seq, text) => block.replace((seq, Growth::of(text))).map(|(_, before)| before.text),
            LineText::Whole(text) => Some(text),
        };
        if let Some(found) = said.and_then(|text| excerpt(&text, wanted)) {
            return Ok(Some(found));
        }
    }
    Ok(block.and_then(|(_, last)| excerpt(&last.text, wanted)))
}

/// Returns the turns of a conversation whose ids begin so. Blocks on disk I/O.
pub(super) fn turns(folder: &Path, beginning: &str) -> io::Result<Vec<TurnId>> {
    let file = match File::open(folder.join(JOURNAL_FILE)) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut reader = BufReader::with_capacity(64 * 1024, file);
    let (mut raw, mut found) = (Vec::new(), Vec::new());
    loop {
        raw.clear();
        if io::Read::take(&mut reader, LONGEST_LINE).read_until(b'\n', &mut raw)? == 0 {
            return Ok(found);
        }
        if type_of(&raw) != Some(b"turn-started") {
            continue;
        }
        if let Line::Event(event) = Line::parse(raw.strip_suffix(b"\n").unwrap_or(&raw))
            && let ChatBody::TurnStarted { turn_id, .. } = event.body
            && turn_id.as_str().starts_with(beginning)
        {
            found.push(turn_id);
        }
    }
}

enum LineText {
    Nothing,
    Whole(String),
    Block(Seq, String),
    Grows(Delta),
}

/// Returns the text of a line. Lines of other types are recognised by their beginning and not parsed.
fn text_of_line(raw: &[u8]) -> LineText {
    if !raw.starts_with(br#"{"delta":"#) && !matches!(type_of(raw), Some(b"message" | b"text")) {
        return LineText::Nothing;
    }
    match Line::parse(raw.strip_suffix(b"\n").unwrap_or(raw)) {
        Line::Delta(delta) => LineText::Grows(delta),
        Line::Event(event) => match event.body {
            ChatBody::Message { text, .. } => LineText::Whole(text),
            ChatBody::Text { text, .. } => LineText::Block(event.seq, text),
            _ => LineText::Nothing,
        },
        _ => LineText::Nothing,
    }
}

/// Returns the type of an event's line: its first three fields are the number, the time and the type. The rest of the line is not
/// looked at, because a search does this for every line of every conversation.
fn type_of(raw: &[u8]) -> Option<&[u8]> {
    const KEY: &[u8] = br#""type":""#;
    let start = raw.get(..120.min(raw.len()))?;
    let value = start.get(start.windows(KEY.len()).position(|window| window == KEY)? + KEY.len()..)?;
    value.split(|byte| *byte == b'"').next()
}

/// Returns an excerpt around the first match of `wanted` in `text`, on one line.
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

/// Returns the offset of `wanted` in `text`, ignoring case.
fn position(text: &str, wanted: &str) -> Option<usize> {
    let lower = text.to_lowercase();
    let found = lower.find(wanted)?;
    if lower.len() == text.len() && text.is_char_boundary(found) {
        return Some(found);
    }
    // Lower-casing may change a character's length, so map the offset back character by character.
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
