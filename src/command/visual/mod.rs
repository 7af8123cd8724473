//! Commands about a page's appearance: screenshots, PDFs, viewport, styles, comparisons.

pub(super) mod compare;
pub(super) mod compare_pictures;
pub(super) mod mhtml;
pub(super) mod pdf;
mod picture_diff;
pub(crate) mod screenshot;
pub(super) mod styling;
mod text_diff;
pub(crate) mod viewport;

pub(crate) use screenshot::format_of;
pub(crate) use text_diff::diff;
