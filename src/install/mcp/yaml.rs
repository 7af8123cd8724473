//! Edits a server in a client's YAML file: our entry is one line, in YAML's form of JSON. All other lines stay unchanged.
//!
//! Reads only what it needs: lines of a block with keys. A file in another form is refused.

use super::entry::{EditError, SERVER, Server, Wanted, is_ours};
use serde_json::{Value, json};

/// Returns the file's text with the wanted server under these keys, the outer one first.
pub(super) fn edit(text: &str, keys: &[&str], wanted: &Wanted) -> Result<String, EditError> {
    check(text)?;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut block = Block { start: 0, end: lines.len(), indent: 0 };
    for (depth, key) in keys.iter().enumerate() {
        let Some(at) = block.key(&lines, key)? else {
            return match wanted {
                Wanted::Absent => Ok(text.to_owned()),
                Wanted::Present(server) => Ok(with_keys(&lines, block, &keys[depth..], server)),
            };
        };
        block = inside(&lines, at, block, key)?;
    }
    let old = block.key(&lines, SERVER)?;
    if let Some(at) = old {
        let (command, arguments) = read(&lines[at..end_of(&lines, at, block)]);
        if !is_ours(&command, &arguments) {
            return Err(EditError::Foreign(command));
        }
    }
    let (start, end) = old.map_or((block.start, block.start), |at| (at, end_of(&lines, at, block)));
    let new = match wanted {
        Wanted::Present(server) => format!("{}{}\n", " ".repeat(block.indent), entry(server)),
        Wanted::Absent => String::new(),
    };
    Ok([lines[..start].concat(), new, lines[end..].concat()].concat())
}

/// The lines of a mapping, and how far its keys are indented.
#[derive(Clone, Copy)]
struct Block {
    start: usize,
    end: usize,
    indent: usize,
}

impl Block {
    /// Returns the line of a key. Fails if there are two.
    fn key(self, lines: &[&str], key: &str) -> Result<Option<usize>, EditError> {
        let mut found = (self.start..self.end).filter(|at| {
            let line = lines[*at];
            indent_of(line) == self.indent
                && line.trim_start().strip_prefix(key).is_some_and(|rest| rest.starts_with(':'))
        });
        match (found.next(), found.next()) {
            (_, Some(_)) => Err(EditError::Entangled),
            (at, None) => Ok(at),
        }
    }
}

/// Returns the block under the key at this line.
fn inside(lines: &[&str], at: usize, of: Block, key: &str) -> Result<Block, EditError> {
    let value = lines[at].trim_start()[key.len() + 1..].trim();
    if !value.is_empty() && !value.starts_with('#') {
        return Err(EditError::NoServers(key.to_owned()));
    }
    let end = end_of(lines, at, of);
    let first = lines[at + 1..end].iter().find(|line| is_content(line));
    if first.is_some_and(|line| line.trim_start().starts_with("- ")) {
        return Err(EditError::NoServers(key.to_owned()));
    }
    Ok(Block { start: at + 1, end, indent: first.map_or(of.indent + 2, |line| indent_of(line)) })
}

/// Returns the line after the value of the key at this line.
fn end_of(lines: &[&str], at: usize, of: Block) -> usize {
    let is_next = |line: &&str| is_content(line) && indent_of(line) <= of.indent;
    let next = lines[at + 1..of.end].iter().position(is_next).map_or(of.end, |next| at + 1 + next);
    // Comments and empty lines before the next key belong to it.
    (at + 1..next).rev().find(|line| is_content(lines[*line])).map_or(at + 1, |last| last + 1)
}

fn is_content(line: &str) -> bool {
    let bare = line.trim();
    !bare.is_empty() && !bare.starts_with('#')
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Fails if the text is not one block of keys.
fn check(text: &str) -> Result<(), EditError> {
    let unreadable = |why: &str| Err(EditError::Unreadable { format: "YAML", why: why.to_owned() });
    let mut content = text.lines().filter(|line| is_content(line));
    if text.lines().any(|line| line.trim_start_matches(' ').starts_with('\t')) {
        return unreadable("a line begins with a tab");
    }
    if text
        .lines()
        .filter(|line| is_content(line))
        .skip(1)
        .any(|line| line.starts_with("---") || line.starts_with("..."))
    {
        return unreadable("it has several documents");
    }
    match content.find(|line| *line != "---") {
        Some(first) if first.starts_with([' ', '{', '[', '-', '!', '&', '%']) || !first.contains(':') => {
            unreadable("it is not a block of keys")
        }
        _ => Ok(()),
    }
}

/// Returns the text with these keys, each inside the one before it, and our server, at the end of this block.
fn with_keys(lines: &[&str], block: Block, keys: &[&str], server: &Server) -> String {
    let content = lines[block.start..block.end].iter().rposition(|line| is_content(line));
    let at = content.map_or(block.start, |last| block.start + last + 1);
    let mut before = lines[..at].concat();
    if !before.is_empty() && !before.ends_with('\n') {
        before.push('\n');
    }
    for (depth, key) in keys.iter().enumerate() {
        before.push_str(&format!("{}{key}:\n", " ".repeat(block.indent + 2 * depth)));
    }
    let indent = " ".repeat(block.indent + 2 * keys.len());
    format!("{before}{indent}{}\n{}", entry(server), lines[at..].concat())
}

fn entry(server: &Server) -> String {
    let mut entry = json!({"command": server.command, "args": server.arguments});
    if !server.environment.is_empty() {
        entry["env"] = server.environment.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    }
    format!("{SERVER}: {entry}")
}

/// Returns an entry's command and arguments; empty if it is in another form than ours or a block of keys.
fn read(lines: &[&str]) -> (String, Vec<String>) {
    let first = lines[0].trim().strip_prefix(SERVER).unwrap_or_default().trim_start_matches(':').trim();
    if let Ok(value) = serde_json::from_str::<Value>(first) {
        let arguments = value["args"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
        return (value["command"].as_str().unwrap_or_default().to_owned(), arguments.collect());
    }
    let bare = |text: &str| text.trim().trim_matches(['"', '\'']).to_owned();
    let value = |name: &str| lines.iter().find_map(|line| Some(bare(line.trim().strip_prefix(name)?)));
    let items = lines.iter().filter_map(|line| Some(bare(line.trim().strip_prefix("- ")?)));
    let listed = value("args:").unwrap_or_default();
    let listed = listed.trim_matches(['[', ']']).split(',').map(bare).filter(|word| !word.is_empty());
    (value("command:").unwrap_or_default(), listed.chain(items).collect())
}
