//! What input may go to: the element that was judged, or that a person was asked about.
//!
//! Owns the comparison just before input is sent. What is judged, and how, is the caller's.

use super::element::Target;
use super::error::PageError;
use super::page::Page;
use super::read::Leading;

/// An element as it was when it was judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// How the call named it; none for what has the focus.
    target: Option<String>,
    /// None if it was not there.
    subject: Option<Leading>,
}

impl Expected {
    pub fn new(target: Option<&Target>, subject: Option<Leading>) -> Self {
        Self { target: target.map(ToString::to_string), subject }
    }
}

impl Page {
    /// Compares once more. `target`: none for what has the focus. Other elements of the same command (where something
    /// is dropped) were not judged.
    pub(super) async fn check_expected(&self, target: Option<&Target>) -> Result<(), PageError> {
        let Some(expected) = &self.expected else { return Ok(()) };
        if expected.target != target.map(ToString::to_string) || self.leads_to(target).await == expected.subject {
            return Ok(());
        }
        let what = target.map_or_else(|| "what has the focus".to_owned(), ToString::to_string);
        Err(PageError::Changed { what })
    }
}
