//! The input that a client holds down in a tab: modifiers, and the mouse with its button.
//!
//! Owns only the state. Sends nothing.

use crate::frames::FrameId;

/// Modifiers as DevTools bits; positions in CSS pixels of the tab's viewport.
#[derive(Debug, Default)]
pub(in crate::page) struct HeldInput {
    pub modifiers: i64,
    /// The last position of the mouse.
    pub mouse: Option<(f64, f64)>,
    /// The document that was at this position before the page could react to the mouse: its frame and loader. `None`: not
    /// determined.
    pub under: Option<(FrameId, String)>,
    /// The pressed button.
    pub button: Option<HeldButton>,
}

/// A pressed button.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::page) enum HeldButton {
    Left,
    Middle,
    Right,
}
