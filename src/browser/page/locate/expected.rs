//! The elements and the document that a call may act on: those that the policy checked or the user approved.
//!
//! Owns only what they are. `recheck` compares them just before input is sent.

use super::target::Target;
use crate::page::read::{Activation, ClickDestination};

/// The elements of a call at the time they were checked, and its document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// How the call activates its first element.
    pub(super) how: Activation,
    /// Each element that the call acts on.
    pub(super) elements: Vec<ExpectedElement>,
    /// The id of the document that a call without elements acts in; `None` if its elements name their documents.
    pub(super) document: Option<String>,
    /// The fingerprint of the page's tool, if the call is one of those.
    pub(in crate::page) tool: Option<String>,
}

/// An element at the time it was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedElement {
    /// The target in the call; `None` for the focused element.
    pub target: Option<Target>,
    /// `None` if it did not exist.
    pub subject: Option<ClickDestination>,
}

impl Expected {
    pub fn new(how: Activation, elements: Vec<ExpectedElement>, document: Option<String>) -> Self {
        Self { how, elements, document, tool: None }
    }

    /// Expects the page's tool with this fingerprint.
    pub fn of_tool(fingerprint: String) -> Self {
        Self { tool: Some(fingerprint), ..Self::new(Activation::Click, Vec::new(), None) }
    }
}
