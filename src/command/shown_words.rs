//! A command line as a question to a person shows it.
//!
//! Owns what is shown whole: a script must be seen to be judged. What is left out otherwise is `redaction`'s to say.

use super::redaction;
use super::spec::Spec;

/// The command line for a person who decides about it: a script must be seen to be judged, what is typed must not.
pub(super) fn shown(spec: &Spec, args: &[String]) -> String {
    const LONGEST_SCRIPT: usize = 500;
    let whole = matches!(spec.name, "js" | "cdp" | "chain" | "tab-each");
    let words = if whole { args.to_vec() } else { redaction::arguments(spec.name, args) };
    let line = format!("{} {}", spec.name, words.join(" "));
    let line = line.trim_end();
    if line.chars().count() <= LONGEST_SCRIPT {
        return line.to_owned();
    }
    line.chars().take(LONGEST_SCRIPT - 1).chain(['…']).collect()
}
