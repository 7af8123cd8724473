//! Drawings over a page for the user, and picking an element there.
//!
//! Owns the outlines and ref labels. Never changes the page's own elements.

mod approval_mark;
mod drawn;
pub(super) mod marks;
mod picker;

pub use approval_mark::ApprovalMark;
pub(in crate::page) use drawn::Drawn;
pub use drawn::ListedRef;
pub use marks::Marks;
pub use picker::PickedElement;
