//! Pictures that commands wrote, as models are given them.
//!
//! Owns which files are pictures and how large one may be. Never makes one.

use std::path::Path;

/// More than any model takes.
const LARGEST: u64 = 8 * 1024 * 1024;

/// Its media type and its bytes; none for another file and for one that is too large.
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
