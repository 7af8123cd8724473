//! What the last snapshot gave refs to, and what is drawn of it in a tab.

use crate::browser::frames::FrameId;
use crate::browser::page::locate::RefName;
use std::collections::HashSet;

/// One line of the last snapshot that has a ref.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedRef {
    pub name: RefName,
    /// For what is clickable without a role: why it is (`cursor:pointer`).
    pub role: String,
    pub label: String,
}

/// What a tab's marks are like now. In the tab's memory.
#[derive(Debug, Default)]
pub(in crate::browser::page) struct Drawn {
    /// Badges are wanted, also for the snapshots to come.
    pub(in crate::browser::page) refs: bool,
    /// The frames in which something was drawn: our element may be there.
    pub(super) frames: HashSet<FrameId>,
    /// The frame that has the outline.
    pub(super) pointed: Option<FrameId>,
}
