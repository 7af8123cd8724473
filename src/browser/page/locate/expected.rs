//! What input may go to: the element that was judged, or that a person was asked about.
//!
//! Owns the comparison just before input is sent. What is judged, and how, is the caller's.

use super::target::Target;
use crate::browser::page::read::{Activation, ClickDestination};

/// An element as it was when it was judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// How the call named it; none for what has the focus.
    pub(super) target: Option<String>,
    pub(super) how: Activation,
    /// None if it was not there.
    pub(super) subject: Option<ClickDestination>,
}

impl Expected {
    pub fn new(target: Option<&Target>, how: Activation, subject: Option<ClickDestination>) -> Self {
        Self { target: target.map(ToString::to_string), how, subject }
    }
}
