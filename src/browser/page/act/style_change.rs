//! Changes of an element's style, recorded so that they can be undone.

use crate::page::locate::ElementPlace;
use serde::{Deserialize, Serialize};

/// One change of one property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StyleChange {
    /// The element as the client named it.
    pub target: String,
    pub property: String,
    /// The computed value before.
    pub old: String,
    pub new: String,
    pub reverted: bool,
    pub(super) place: ElementPlace,
    pub(super) before: Inline,
}

/// An inline declaration; an empty value means there was none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Inline {
    value: String,
    priority: String,
}
