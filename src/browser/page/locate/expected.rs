//! The element that input may go to: the one that the policy checked or the user approved.
//!
//! Owns the comparison just before input is sent. The caller decides how to judge an element.

use super::target::Target;
use crate::browser::page::read::{Activation, ClickDestination};

/// An element at the time it was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// The target in the call; `None` for the focused element.
    pub(super) target: Option<String>,
    pub(super) how: Activation,
    /// `None` if it did not exist.
    pub(super) subject: Option<ClickDestination>,
}

impl Expected {
    pub fn new(target: Option<&Target>, how: Activation, subject: Option<ClickDestination>) -> Self {
        Self { target: target.map(ToString::to_string), how, subject }
    }
}
