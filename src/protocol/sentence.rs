//! Words for a person that a panel can say in its own language: the English, and the same as a code with values.
//!
//! Owns the two shapes. The sentences themselves are in `told`, the phrases of steps in the commands' specs.

use serde::{Deserialize, Serialize};

/// The action as a stable code with its values: a panel that has words for the code shows them in its own language.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct SaidPhrase {
    /// `fill_sel`, `read_the_page`; `own_…` for what an agent's own tools do.
    pub code: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(as = "Option<Vec<String>>", optional))]
    pub values: Vec<String>,
}

impl SaidPhrase {
    /// The action of an agent's own tool, by its English verb.
    pub fn of_own_tool(verb: &str, object: &str) -> Self {
        let code = format!("own_{}", verb.to_lowercase().replace(' ', "_"));
        Self { code, values: vec![object.to_owned()] }
    }
}

/// A sentence of a fault: its English, and the same as a code where there is one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sentence {
    pub(super) text: String,
    pub(super) phrase: Option<SaidPhrase>,
    /// What a program said about it, in its own words.
    pub(super) said: Option<String>,
}

impl Sentence {
    /// Adds in brackets what a program said. Empty: it said nothing.
    #[must_use]
    pub fn said(mut self, words: &str) -> Self {
        if !words.is_empty() {
            self.text = format!("{} ({words})", self.text);
            self.said = Some(words.to_owned());
        }
        self
    }
}

/// Reads as its English.
impl std::ops::Deref for Sentence {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl From<String> for Sentence {
    fn from(text: String) -> Self {
        Self { text, ..Self::default() }
    }
}

impl From<&str> for Sentence {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}
