//! Actions on a page: clicks, fills, drags, files, scrolling, clipboard, changes of its styling.
//!
//! Owns the actions on located elements. Never decides what is allowed.

pub(super) mod actions;
mod clipboard;
mod drag;
mod drop;
mod file_chooser;
mod files;
mod focusing;
mod giving_files;
mod password;
mod scrolling;
mod sign_in;
mod style_change;
mod tidy;
mod toggle;

pub(in crate::browser::page) use actions::CLOSING_LIMIT;
pub(crate) use actions::Clicked;
pub(crate) use scrolling::{Edge, ScrollBy, Scrolled};
pub(crate) use sign_in::{SignInField, SignInRefusal, SignInSelectors, SignInValues};
pub(crate) use style_change::StyleChange;
pub(crate) use tidy::Clutter;
