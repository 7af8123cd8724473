//! Reads where the members of an object in a JSON text are. Comments and commas before a closing bracket are allowed, as the clients
//! that document them allow them.
//!
//! Owns the grammar. Never changes a text.

use super::entry::EditError;
use serde_json::value::RawValue;
use std::ops::Range;

/// As deep as serde_json reads.
const DEEPEST: usize = 128;

/// The places of an object's parts, in bytes of the text.
#[derive(Debug)]
pub(super) struct Object {
    pub open: usize,
    pub close: usize,
    pub members: Vec<Member>,
}

#[derive(Debug)]
pub(super) struct Member {
    pub name: String,
    pub key: usize,
    pub value: Range<usize>,
    /// The comma after it.
    pub comma: Option<usize>,
}

impl Object {
    /// Returns the member of this name. Fails if there are two: clients differ in which one counts.
    pub(super) fn member(&self, name: &str) -> Result<Option<&Member>, EditError> {
        let mut named = self.members.iter().filter(|member| member.name == name);
        match (named.next(), named.next()) {
            (_, Some(_)) => Err(EditError::Entangled),
            (member, None) => Ok(member),
        }
    }
}

/// Reads the object that begins at `at`, after space and comments. At 0, it must be the whole text.
pub(super) fn read_object(text: &str, at: usize) -> Result<Object, EditError> {
    let mut reader = Reader { text, at };
    reader.space()?;
    let object = reader.object(0)?;
    if at == 0 {
        reader.space()?;
        if reader.at < text.len() {
            return Err(reader.unreadable("there is text after its end"));
        }
    }
    Ok(object)
}

/// Returns the text without comments and without commas before a closing bracket.
pub(super) fn plain(text: &str) -> String {
    let mut reader = Reader { text, at: 0 };
    let mut plain = String::with_capacity(text.len());
    while reader.at < text.len() {
        let start = reader.at;
        if reader.space().is_err() {
            return text.to_owned();
        }
        match reader.peek() {
            Some('"') => {
                let from = reader.at;
                if reader.string().is_err() {
                    return text.to_owned();
                }
                plain.push_str(&text[from..reader.at]);
            }
            Some(']' | '}') => {
                if plain.trim_end().ends_with(',') {
                    plain.truncate(plain.trim_end().len() - 1);
                }
                plain.push_str(&text[reader.at..=reader.at]);
                reader.at += 1;
            }
            Some(other) => {
                plain.push(other);
                reader.at += other.len_utf8();
            }
            None => {}
        }
        if reader.at == start {
            break;
        }
    }
    plain
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn unreadable(&self, why: &str) -> EditError {
        let line = self.text[..self.at.min(self.text.len())].lines().count().max(1);
        EditError::Unreadable { format: "JSON", why: format!("{why} (line {line})") }
    }

    fn space(&mut self) -> Result<(), EditError> {
        loop {
            let rest = self.rest();
            let length = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if let Some(inside) = rest.strip_prefix("/*") {
                inside.find("*/").ok_or_else(|| self.unreadable("a comment has no end"))? + 4
            } else {
                match rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len() {
                    0 => return Ok(()),
                    length => length,
                }
            };
            self.at += length;
        }
    }

    fn takes(&mut self, expected: char) -> bool {
        let takes = self.peek() == Some(expected);
        self.at += usize::from(takes);
        takes
    }

    fn string(&mut self) -> Result<String, EditError> {
        let start = self.at;
        let mut is_escaped = false;
        let end = self.rest().char_indices().skip(1).find(|(_, letter)| {
            let escapes = *letter == '\\' && !is_escaped;
            let was_escaped = std::mem::replace(&mut is_escaped, escapes);
            *letter == '"' && !was_escaped
        });
        let (length, _) = end.ok_or_else(|| self.unreadable("a text has no end"))?;
        self.at += length + 1;
        serde_json::from_str(&self.text[start..self.at]).map_err(|_| self.unreadable("a text is not valid"))
    }

    fn value(&mut self, depth: usize) -> Result<Range<usize>, EditError> {
        let start = self.at;
        match self.peek() {
            Some('{') => {
                self.object(depth)?;
            }
            Some('[') => self.array(depth)?,
            Some('"') => {
                self.string()?;
            }
            _ => {
                let rest = self.rest();
                let end = rest.find([',', ']', '}', '/', ' ', '\t', '\r', '\n']).unwrap_or(rest.len());
                if serde_json::from_str::<&RawValue>(&rest[..end]).is_err() {
                    return Err(self.unreadable("a value is expected"));
                }
                self.at += end;
            }
        }
        Ok(start..self.at)
    }

    fn array(&mut self, depth: usize) -> Result<(), EditError> {
        if depth > DEEPEST {
            return Err(self.unreadable("it is too deep"));
        }
        self.at += 1;
        loop {
            self.space()?;
            if self.takes(']') {
                return Ok(());
            }
            self.value(depth + 1)?;
            self.space()?;
            if !self.takes(',') && self.peek() != Some(']') {
                return Err(self.unreadable("a comma or ] is expected"));
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Object, EditError> {
        if depth > DEEPEST {
            return Err(self.unreadable("it is too deep"));
        }
        let open = self.at;
        if !self.takes('{') {
            return Err(self.unreadable("an object is expected"));
        }
        let mut members = Vec::new();
        loop {
            self.space()?;
            let key = self.at;
            if self.takes('}') {
                return Ok(Object { open, close: key, members });
            }
            if self.peek() != Some('"') {
                return Err(self.unreadable("a name or } is expected"));
            }
            let name = self.string()?;
            self.space()?;
            if !self.takes(':') {
                return Err(self.unreadable("a colon is expected"));
            }
            self.space()?;
            let value = self.value(depth + 1)?;
            self.space()?;
            let comma = self.at;
            let comma = self.takes(',').then_some(comma);
            if comma.is_none() && self.peek() != Some('}') {
                return Err(self.unreadable("a comma or } is expected"));
            }
            members.push(Member { name, key, value, comma });
        }
    }
}
