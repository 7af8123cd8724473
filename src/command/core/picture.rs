//! Pictures written by commands, in the form a model receives.
//!
//! Owns the detection of pictures and their size limit. Never creates one.

use std::path::Path;

/// Larger than any model accepts.
const LARGEST: u64 = 8 * 1024 * 1024;

/// Returns the picture's media type and bytes, or `None` if the file is not a picture or is too large.
pub fn read(path: &Path) -> Option<(&'static str, Vec<u8>)> {
    let mime = match path.extension()?.to_str()? {
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        _ => return None,
    };
    if std::fs::metadata(path).ok()?.len() > LARGEST {
        return None;
    }
    std::fs::read(path).ok().map(|bytes| (mime, bytes))
}
