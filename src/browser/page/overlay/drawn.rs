//! The refs of the last snapshot, and the marks drawn for them in a tab.

use crate::frames::FrameId;
use crate::page::locate::RefName;
use std::collections::HashSet;

/// A line of the last snapshot that has a ref.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedRef {
    pub name: RefName,
    /// The role; for a clickable element without one, the reason it counts as clickable (`cursor:pointer`).
    pub role: String,
    pub label: String,
    /// The origin of its frame's document.
    pub origin: String,
}

/// The state of a tab's marks. Part of the tab's memory.
#[derive(Debug, Default)]
pub(in crate::page) struct Drawn {
    /// Badges are on, for later snapshots too.
    pub(in crate::page) refs: bool,
    /// The frames in which something was drawn: they may contain our element.
    pub(super) frames: HashSet<FrameId>,
    /// The frame with the outline.
    pub(super) pointed: Option<FrameId>,
}
