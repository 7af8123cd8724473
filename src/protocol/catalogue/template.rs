//! A sentence of the catalogue, before its values are filled in.
//!
//! Owns the placeholders. The sentences themselves are in the files beside it.

use crate::sentence::{LocalizedPhrase, Sentence};

/// A sentence with placeholders for its values: `$1`, `$2` …
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageTemplate {
    pub(super) name: &'static str,
    pub(super) english: &'static str,
}

impl MessageTemplate {
    /// Returns the code used on the wire and in the panel's message catalogues: `api_failed`.
    pub fn code(self) -> String {
        self.name.to_ascii_lowercase()
    }

    /// Fills in the values: a name, a path, a number, an error.
    pub fn with<const N: usize>(self, values: [&str; N]) -> Sentence {
        debug_assert_eq!(self.english.matches('$').count(), N, "{}", self.name);
        let mut text = String::new();
        let mut rest = self.english.split('$');
        text.push_str(rest.next().unwrap_or_default());
        for part in rest {
            let place = part.chars().next().and_then(|digit| digit.to_digit(10)).unwrap_or_default() as usize;
            text.push_str(place.checked_sub(1).and_then(|at| values.get(at)).copied().unwrap_or_default());
            text.push_str(part.get(1..).unwrap_or_default());
        }
        let values = values.iter().map(|value| (*value).to_owned()).collect();
        Sentence { text, phrase: Some(LocalizedPhrase { code: self.code(), values }), said: None }
    }
}

impl From<MessageTemplate> for Sentence {
    fn from(told: MessageTemplate) -> Self {
        told.with([])
    }
}
