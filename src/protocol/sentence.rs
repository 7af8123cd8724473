//! Text that a panel can translate: the English, and a code with values.
//!
//! Owns the two structures. `told` owns the sentences, and the commands' specs own the phrases of steps.

use serde::{Deserialize, Serialize};

/// A phrase as a stable code with its values. A panel that has a message for the code shows it in its own language.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct LocalizedPhrase {
    /// `fill_sel`, `read_the_page`; `own_…` for actions of an agent's own tools.
    pub code: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "for-tests", ts(as = "Option<Vec<String>>", optional))]
    pub values: Vec<String>,
}

impl LocalizedPhrase {
    /// Returns the phrase for an action of an agent's own tool, from its English verb.
    pub fn of_own_tool(verb: &str, object: &str) -> Self {
        let code = format!("own_{}", verb.to_lowercase().replace(' ', "_"));
        Self { code, values: vec![object.to_owned()] }
    }
}

/// A sentence of a fault: its English text, and its code if it has one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sentence {
    pub(super) text: String,
    pub(super) phrase: Option<LocalizedPhrase>,
    /// The output of a program about it.
    pub(super) said: Option<String>,
}

impl Sentence {
    /// Splits it into its English text, and its code if it has one.
    pub fn parts(self) -> (String, Option<LocalizedPhrase>) {
        (self.text, self.phrase)
    }

    /// Appends a program's output in parentheses, unless it is empty.
    #[must_use]
    pub fn said(mut self, words: &str) -> Self {
        if !words.is_empty() {
            self.text = format!("{} ({words})", self.text);
            self.said = Some(words.to_owned());
        }
        self
    }
}

/// Dereferences to the English text.
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
