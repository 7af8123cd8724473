//! A flow as a shell script.

use super::{Piece, chain, pieces, variable};
use crate::file::Flow;
use crate::fill::Values;
use crate::sites::FIRST_TAB;

/// Prints the id of the current tab.
const CURRENT_TAB: &str =
    "gstack tabs --json | tr '{' '\\n' | sed -n 's/.*\"id\":\\([0-9]*\\).*\"current\":true.*/\\1/p' | head -n 1";
/// Prints the id of the newest tab: ids only grow.
const NEWEST_TAB: &str =
    "gstack tabs --json | tr '{' '\\n' | sed -n 's/.*\"id\":\\([0-9]*\\).*/\\1/p' | sort -n | tail -n 1";

pub(super) fn script(name: &str, flow: &Flow, set: &Values) -> Result<String, String> {
    let mut text = format!(
        "#!/usr/bin/env bash\n# Made from the flow {name} by `gstack flow export`. Environment variables set other values.\nset -euo pipefail\n"
    );
    for (name, parameter) in &flow.parameters {
        let variable = variable(name);
        let from = variable.to_uppercase();
        text.push_str(&match set.get(name).or(parameter.default.as_ref()) {
            Some(default) => format!("{variable}=${{{from}-{}}}\n", double_quoted(default)),
            None => format!("{variable}=${{{from}:?set {from}}}\n"),
        });
    }
    let mut tabs = FIRST_TAB;
    for (at, step) in flow.steps.iter().enumerate() {
        let tab = step.tab.filter(|tab| *tab != FIRST_TAB).map(|tab| format!("--tab \"$tab{tab}\" "));
        let opens = step.wait.as_ref().and_then(|wait| wait.tab.as_ref());
        if opens.is_some() && tabs == FIRST_TAB {
            // From here on, the current tab may be another one.
            text.push_str(&format!("tab1=$({CURRENT_TAB})\n"));
        }
        let first = (tabs > FIRST_TAB || opens.is_some()).then(|| "--tab \"$tab1\" ".to_owned());
        let tab = tab.or(first).unwrap_or_default();
        for words in chain::lines(step).map_err(|why| format!("step {}: {why}", at + 1))? {
            let words: Vec<String> = words.iter().map(|word| word_of(word)).collect();
            text.push_str(&format!("gstack {tab}{}\n", words.join(" ")));
        }
        if let Some(pattern) = opens {
            tabs += 1;
            text.push_str(&format!("tab{tabs}=$({NEWEST_TAB})\n"));
            text.push_str(&format!("gstack --tab \"$tab{tabs}\" wait {}\n", word_of(&format!("--url={pattern}"))));
        }
    }
    Ok(text)
}

fn word_of(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@=,+%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    let piece = |piece: &Piece<'_>| match piece {
        Piece::Text(text) => format!("'{}'", text.replace('\'', "'\\''")),
        Piece::Parameter(name) => format!("\"${{{}}}\"", variable(name)),
    };
    let pieces: String = pieces(word).iter().map(piece).collect();
    if pieces.is_empty() { "''".to_owned() } else { pieces }
}

/// Quotes a default within `${NAME-…}`.
fn double_quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        if matches!(character, '"' | '\\' | '$' | '`') {
            quoted.push('\\');
        }
        quoted.push(character);
    }
    quoted.push('"');
    quoted
}
