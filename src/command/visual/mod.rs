//! Commands about a page's appearance: screenshots, PDFs, viewport, styles, comparisons.

pub(super) mod compare;
pub(super) mod compare_pictures;
pub(super) mod mhtml;
pub(super) mod pdf;
mod picture_diff;
pub(in crate::command) mod screenshot;
pub(super) mod styling;
mod text_diff;
pub(in crate::command) mod viewport;

pub(in crate::command) use screenshot::format_of;
pub(in crate::command) use text_diff::diff;
