//! What `gstack run` runs for each item: a script, a flow of `gstack flow`, or a file of browser commands.
//!
//! Owns reading it and filling an item into it. An item fills words of a command and never adds a word, an option or a
//! command.

use super::steps;
use gstack_base::home::Home;
use gstack_flows::Found;

use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Far above any real flow, below the limit of `chain`.
const LARGEST_FLOW: usize = 256 * 1024;

/// The flow or script, read once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// Run by `node`.
    Node,
    /// Run by itself.
    Program,
    /// The words of each command, with placeholders.
    Commands(Vec<Vec<String>>),
    /// A flow of `gstack flow`, which may run.
    Steps(Found),
}

impl Flow {
    /// Finds and reads a file, or the flow of a name. Returns its absolute path and its content too.
    pub(crate) fn read(home: &Home, wanted: &Path) -> Result<(PathBuf, Vec<u8>, Self), Fault> {
        let text = wanted.to_str().unwrap_or_default();
        let is_name = !text.contains('/') && !wanted.exists();
        if is_name || wanted.extension().is_some_and(|ending| ending == "toml") {
            let folder = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
            let found = gstack_flows::find(home, &folder, text)?;
            found.flow()?;
            found.check_seen()?;
            return Ok((found.file.clone(), found.text.clone().into_bytes(), Self::Steps(found)));
        }
        let failed = |why: String| {
            Fault::new(FaultCode::BadRequest, format!("{} cannot be run: {why}", wanted.display()))
                .hint("See `gstack help run`.")
        };
        let file = std::fs::canonicalize(wanted).map_err(|error| failed(error.to_string()))?;
        let content = std::fs::read(&file).map_err(|error| failed(error.to_string()))?;
        let flow = Self::of(&file, &content).map_err(failed)?;
        Ok((file, content, flow))
    }

    /// Fails if an item cannot give a flow its values. The error is a message. Other items are checked when they run.
    pub(crate) fn check_items(&self, items: &[Value]) -> Result<(), String> {
        let Self::Steps(found) = self else { return Ok(()) };
        let flow = found.flow().map_err(|error| error.to_string())?;
        let wrong = items.iter().enumerate().find_map(|(at, item)| Some((at, steps::values(&flow, item).err()?)));
        wrong.map_or(Ok(()), |(at, why)| Err(format!("item {}: {why}", at + 1)))
    }

    /// Determines how to run the file with this content. The error is a message.
    fn of(file: &Path, content: &[u8]) -> Result<Self, String> {
        let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if matches!(ending, "mjs" | "js" | "cjs") {
            return Ok(Self::Node);
        }
        let mode = std::fs::metadata(file).map_err(|error| error.to_string())?.permissions().mode();
        if mode & 0o111 != 0 {
            return Ok(Self::Program);
        }
        if content.len() > LARGEST_FLOW {
            return Err(format!("a flow has at most {LARGEST_FLOW} bytes"));
        }
        let text = std::str::from_utf8(content).map_err(|_| "a flow is UTF-8 text".to_owned())?;
        commands(text).map(Self::Commands)
    }
}

fn commands(text: &str) -> Result<Vec<Vec<String>>, String> {
    let mut all = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            continue;
        }
        let words = split(line).map_err(|why| format!("line {}: {why}", number + 1))?;
        if words[0].contains("{{") {
            return Err(format!("line {}: an item cannot name the command", number + 1));
        }
        all.push(words);
    }
    if all.is_empty() { Err("it has no command".to_owned()) } else { Ok(all) }
}

/// Splits a line as `chain` does: spaces separate words, quotes group them, a backslash escapes the next character.
/// Returns at least one word.
fn split(line: &str) -> Result<Vec<String>, String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match (character, quote) {
            (_, Some(open)) if character == open => quote = None,
            ('\\', Some('"') | None) => {
                let escaped = characters.next().ok_or("a backslash ends the line")?;
                word.get_or_insert_default().push(escaped);
            }
            ('"' | '\'', None) => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            ('|', None) if word.is_none() => return Err("a line of a flow is one command".to_owned()),
            (space, None) if space.is_whitespace() => words.extend(word.take()),
            // A placeholder may have spaces in it.
            ('{', _) if characters.as_str().starts_with('{') => {
                let (name, rest) = characters.as_str()[1..].split_once("}}").ok_or("{{ has no }}")?;
                word.get_or_insert_default().push_str(&format!("{{{{{name}}}}}"));
                characters = rest.chars();
            }
            (other, _) => word.get_or_insert_default().push(other),
        }
    }
    if quote.is_some() {
        return Err("a quote is not closed".to_owned());
    }
    words.extend(word);
    if words.is_empty() { Err("the line has no command".to_owned()) } else { Ok(words) }
}

/// Fills an item into the commands. The error is a message: the item lacks a field, or would become an option.
pub(crate) fn fill(commands: &[Vec<String>], item: &Value) -> Result<Vec<Vec<String>>, String> {
    commands.iter().map(|words| fill_command(words, item)).collect()
}

fn fill_command(words: &[String], item: &Value) -> Result<Vec<String>, String> {
    let mut filled = Vec::with_capacity(words.len());
    for word in words {
        let text = fill_word(word, item)?;
        let options_end = filled.iter().any(|before| before == "--");
        if text.starts_with('-') && !word.starts_with('-') && !options_end {
            return Err("the item starts with -, which would be an option; write -- before its placeholder".to_owned());
        }
        filled.push(text);
    }
    Ok(filled)
}

fn fill_word(word: &str, item: &Value) -> Result<String, String> {
    let (mut filled, mut rest) = (String::new(), word);
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").ok_or_else(|| format!("{word:?} has {{{{ without }}}}"))?;
        filled.push_str(before);
        filled.push_str(&value(name.trim(), item)?);
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}

fn value(name: &str, item: &Value) -> Result<String, String> {
    let mut found = item;
    let mut parts = name.split('.');
    if parts.next() != Some("item") {
        return Err(format!("{{{{{name}}}}} is unknown; use {{{{item}}}} or {{{{item.field}}}}"));
    }
    for part in parts {
        found = found.get(part).ok_or_else(|| format!("the item has no {name}"))?;
    }
    Ok(match found {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_item_fills_words_and_adds_none() {
        let flow =
            commands("# find\ngoto \"https://a.example/?q={{item.q}}\"\n\nfill '#name' {{ item.name }}\n").unwrap();
        let item = json!({ "q": "a b\" | js 'x'\ngoto evil", "name": "{{item.q}}" });
        let filled = fill(&flow, &item).unwrap();
        assert_eq!(filled[0], ["goto", "https://a.example/?q=a b\" | js 'x'\ngoto evil"]);
        assert_eq!(filled[1], ["fill", "#name", "{{item.q}}"], "a value is not filled again");
    }

    #[test]
    fn an_item_cannot_become_an_option_or_a_command() {
        let flow = commands("goto {{item}}").unwrap();
        assert!(fill(&flow, &json!("--new-tab")).unwrap_err().contains("option"));
        let ended = commands("type -- {{item}}").unwrap();
        assert_eq!(fill(&ended, &json!("-5")).unwrap()[0], ["type", "--", "-5"]);
        assert!(commands("{{item}} x").unwrap_err().contains("line 1"));
        assert!(commands("goto a | js b").is_err());
    }

    #[test]
    fn what_is_missing_is_said() {
        let flow = commands("goto {{item.url}}").unwrap();
        assert_eq!(fill(&flow, &json!({})).unwrap_err(), "the item has no item.url");
        assert!(fill(&commands("goto {{x}}").unwrap(), &json!(1)).is_err());
        assert!(commands("goto {{item").is_err() && commands("goto '{{item'").is_err());
        assert!(commands("  \n# only\n").is_err() && commands("goto 'x").is_err() && commands("goto \\").is_err());
    }
}
