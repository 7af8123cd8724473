//! What a client has left held in a tab: modifiers, and the mouse with its button.
//!
//! Owns nothing but the state. Sends nothing.

/// As DevTools has them: bits, and pixels of the tab's viewport.
#[derive(Debug, Default)]
pub(in crate::browser::page) struct HeldInput {
    pub modifiers: i64,
    /// Where the mouse was moved last.
    pub mouse: Option<(f64, f64)>,
    /// The button that is down.
    pub button: Option<HeldButton>,
}

/// A button that is down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::browser::page) enum HeldButton {
    Left,
    Middle,
    Right,
}
