//! The person's npm registries for a confined agent: `~/.npmrc` contains tokens and is closed, so its harmless lines
//! are passed on as variables.
//!
//! Owns the choice of these lines. Never passes on a password or a token.

use crate::adapter::AgentEnvironment;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;

/// The allowed keys, besides `@SCOPE:registry`.
const HARMLESS: [&str; 4] = ["registry", "cafile", "prefix", "strict-ssl"];

pub(super) fn pass_on_registries(environment: &mut AgentEnvironment) {
    let Some(home) = environment.variables.get(OsStr::new("HOME")) else { return };
    let text = fs::read_to_string(Path::new(home).join(".npmrc")).unwrap_or_default();
    for (key, value) in harmless(&text) {
        environment.variables.entry(format!("npm_config_{key}").into()).or_insert_with(|| OsString::from(value));
    }
}

fn harmless(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = text.lines().filter_map(|line| line.split_once('='));
    let trimmed = lines.map(|(key, value)| (key.trim(), value.trim().trim_matches('"')));
    let known = |key: &str| HARMLESS.contains(&key) || key.starts_with('@') && key.ends_with(":registry");
    // A URL may contain a password before an `@`, and a variable may contain anything.
    trimmed.filter(move |(key, value)| known(key) && !value.contains(['@', '$', '?']))
}

#[cfg(test)]
mod tests {
    use super::harmless;

    #[test]
    fn registries_are_handed_on_and_never_a_token() {
        let text = "registry = https://npm.example/\n@a:registry=\"https://a.example\"\n//npm.example/:_authToken=T\n\
                    _auth=T\n@b:registry=https://me:T@b.example/\n; registry=https://other.example\ncafile=${HOME}/c\n";
        let found: Vec<_> = harmless(text).collect();
        assert_eq!(found, [("registry", "https://npm.example/"), ("@a:registry", "https://a.example")]);
    }
}
