//! Actions on a page: clicks, fills, drags, files, scrolling, clipboard, changes of its styling.
//!
//! Owns the actions on located elements. Never decides what is allowed.

pub(super) mod actions;
mod clipboard;
mod code_editor;
mod custom_list;
mod drag;
mod drop;
mod file_chooser;
mod files;
mod filling;
mod focusing;
mod giving_files;
mod other_documents;
mod password;
mod scrolling;
mod sign_in;
mod style_change;
mod tidy;
mod toggle;

pub(in crate::page) use actions::CLOSING_LIMIT;
pub use actions::Clicked;
pub use drag::{Dragged, LONGEST_HOLD};
pub use filling::Filled;
pub(in crate::page) use filling::ReadBack;
pub use giving_files::Given;
pub use scrolling::{Edge, ScrollBy, Scrolled};
pub use sign_in::{SignInField, SignInRefusal, SignInSelectors, SignInValues};
pub use style_change::StyleChange;
pub use tidy::Clutter;
