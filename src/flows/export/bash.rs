//! A flow as a shell script.

use super::{Piece, chain, pieces, variable};
use crate::file::Flow;
use crate::fill::Values;

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
    for (at, step) in flow.steps.iter().enumerate() {
        for words in chain::lines(step).map_err(|why| format!("step {}: {why}", at + 1))? {
            let words: Vec<String> = words.iter().map(|word| word_of(word)).collect();
            text.push_str(&format!("gstack {}\n", words.join(" ")));
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
