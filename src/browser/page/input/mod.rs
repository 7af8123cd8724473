//! Trusted input: keys, mouse and touch as DevTools events, and the input that a client holds down.
//!
//! Owns sending input. Never chooses the element.

pub(super) mod events;
mod held_input;
mod held_keyboard;
mod keyboard;
pub(super) mod keys;
mod mouse;
mod pointer;
mod pointer_watch;
pub(super) mod touch;

pub use events::{ClickButton, Clicks, Offset, PointerKind};
pub(in crate::page) use held_input::HeldInput;
pub use keys::{KeyMeaning, Modifiers, is_named_key};
pub use mouse::MouseAct;
pub(in crate::page) use pointer_watch::Touch;
pub use pointer_watch::{PointerAt, PointerWatch};
pub use touch::Swipe;
