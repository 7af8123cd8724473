//! Error and notice sentences that a panel can translate: each with a code, its English text and placeholders.
//!
//! Owns the codes and the English text, grouped by topic. `extension/_locales` holds the other languages, where the
//! sentence of `API_FAILED` is `fault_api_failed`; a test keeps them consistent. A fault without such a sentence is
//! shown in English.

macro_rules! catalogue {
    ($($name:ident = $english:literal;)*) => {
        $(pub const $name: MessageTemplate = MessageTemplate { name: stringify!($name), english: $english };)*
        /// The sentences of this file.
        pub(super) const SENTENCES: &[MessageTemplate] = &[$($name),*];
    };
}

mod agents;
mod browser;
mod connection;
mod conversations;
mod policy;
mod template;

pub use agents::*;
pub use browser::*;
pub use connection::*;
pub use conversations::*;
pub use policy::*;
pub use template::MessageTemplate;

pub use super::sentence::Sentence;

/// Returns the next step for a disk error (`base::trouble`), by its code. `place`: the path.
pub fn next_step_of_disk(code: &str, place: &str) -> Option<Sentence> {
    let told = all().find(|told| told.code() == code)?;
    Some(if told.english.contains('$') { told.with([place]) } else { told.with([]) })
}

/// Returns all sentences that reach a panel as codes.
fn all() -> impl Iterator<Item = &'static MessageTemplate> {
    let files =
        [agents::SENTENCES, browser::SENTENCES, connection::SENTENCES, conversations::SENTENCES, policy::SENTENCES];
    files.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::{AGENT_ENDED_SAYING, API_FAILED, Sentence, all};
    use std::collections::BTreeSet;
    use std::path::Path;

    #[test]
    fn every_sentence_has_its_words_in_every_language_and_the_english_ones_are_these() {
        let locales = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join("extension/_locales");
        let mut languages = 0;
        for locale in std::fs::read_dir(locales).unwrap() {
            let path = locale.unwrap().path();
            let catalogue: serde_json::Value =
                serde_json::from_slice(&std::fs::read(path.join("messages.json")).unwrap()).unwrap();
            for told in all() {
                let words = catalogue[format!("fault_{}", told.code())]["message"].as_str().unwrap_or_default();
                assert!(!words.is_empty(), "{}: no words for {}", path.display(), told.code());
                if path.ends_with("en") {
                    assert_eq!(words, told.english, "{}", told.code());
                }
                for place in 1..=told.english.matches('$').count() {
                    assert!(
                        words.contains(&format!("${place}")),
                        "{}: {} without ${place}",
                        path.display(),
                        told.code()
                    );
                }
            }
            let known: BTreeSet<_> = all().map(|told| format!("fault_{}", told.code())).collect();
            let kept = catalogue.as_object().unwrap().keys().filter(|name| name.starts_with("fault_"));
            assert_eq!(kept.filter(|name| !known.contains(*name)).collect::<Vec<_>>(), Vec::<&String>::new());
            languages += 1;
        }
        assert_eq!(languages, 7);
    }

    #[test]
    fn values_stand_where_they_belong_and_are_not_read_for_places() {
        let sentence = AGENT_ENDED_SAYING.with(["Codex", "signal $3", "no $1 left"]);
        assert_eq!(sentence.text, "Codex ended unexpectedly (signal $3): no $1 left");
        assert_eq!(sentence.phrase.unwrap().values, ["Codex", "signal $3", "no $1 left"]);
        assert_eq!(API_FAILED.with(["X"]).said("").text, "X's API failed");
        assert_eq!(API_FAILED.with(["X"]).said("boom").text, "X's API failed (boom)");
        assert_eq!(Sentence::from("plain").phrase, None);
    }
}
