//! Screenshots and PDFs of a page.
//!
//! Owns rendering and composition. Never decides where a file goes.

mod annotate;
mod picture;
mod print;
mod stitch;
mod stitched;

pub use picture::{Area, Capture, ImageFormat, Region, Truncated};
pub use print::PdfOptions;
