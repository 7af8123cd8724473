//! Pictures written by commands, in the form a model receives.
//!
//! Owns the detection of pictures and their limits. Never creates one.

use std::path::Path;

/// Larger than any model accepts.
const LARGEST: u64 = 8 * 1024 * 1024;
/// Models refuse a picture with a longer side, in pixels, and some clients drop it without a word.
const LONGEST_SIDE: u32 = 8000;

/// A file of a command, as a model receives it.
pub enum Given {
    /// The media type and the bytes.
    Picture(&'static str, Vec<u8>),
    /// Why the picture is not in the answer.
    LeftOut(String),
    /// The file is not a picture, or it no longer exists.
    Other,
}

/// Reads a file.
pub fn read(path: &Path) -> Given {
    let mime = match path.extension().and_then(|extension| extension.to_str()) {
        Some("png") => "image/png",
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("webp") => "image/webp",
        _ => return Given::Other,
    };
    let Ok(found) = std::fs::metadata(path) else { return Given::Other };
    let left_out = |why: String| Given::LeftOut(format!("The picture is not shown: {why}. {NEXT}"));
    if found.len() > LARGEST {
        return left_out(format!("it has {} MiB, and models take {}", found.len() >> 20, LARGEST >> 20));
    }
    let Ok(bytes) = std::fs::read(path) else { return Given::Other };
    match png_size(&bytes) {
        Some((width, height)) if width.max(height) > LONGEST_SIDE => {
            left_out(format!("it is {width} × {height} pixels, and models take {LONGEST_SIDE} on a side"))
        }
        _ => Given::Picture(mime, bytes),
    }
}

const NEXT: &str = "Take the viewport, one element, or a clip.";

/// Reads files. Returns the pictures, and a line for each that is left out.
pub fn read_all<'a>(paths: impl Iterator<Item = &'a Path>) -> (Vec<(&'static str, Vec<u8>)>, Vec<String>) {
    let (mut pictures, mut left_out) = (Vec::new(), Vec::new());
    for path in paths {
        match read(path) {
            Given::Picture(mime, bytes) => pictures.push((mime, bytes)),
            Given::LeftOut(why) => left_out.push(why),
            Given::Other => {}
        }
    }
    (pictures, left_out)
}

/// Returns width and height of a PNG file, from its first chunk.
fn png_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let header = bytes.strip_prefix(b"\x89PNG\r\n\x1a\n")?;
    let number = |at: usize| header.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes);
    Some((number(8)?, number(12)?))
}

#[cfg(test)]
mod tests {
    use super::{Given, read, read_all};

    #[test]
    fn a_picture_that_no_model_takes_says_so_instead_of_vanishing() {
        let folder = tempfile::tempdir().unwrap();
        let png = |name: &str, height: u32| {
            let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x01\x90".to_vec();
            bytes.extend(height.to_be_bytes());
            std::fs::write(folder.path().join(name), bytes).unwrap();
            folder.path().join(name)
        };
        assert!(matches!(read(&png("a.png", 8000)), Given::Picture("image/png", _)));
        let Given::LeftOut(why) = read(&png("b.png", 40_000)) else { panic!() };
        assert!(why.starts_with("The picture is not shown: it is 400 × 40000 pixels"), "{why}");
        std::fs::write(folder.path().join("c.jpg"), vec![0; 9 << 20]).unwrap();
        let paths = ["a.png", "b.png", "c.jpg", "d.txt"].map(|name| folder.path().join(name));
        let (pictures, left_out) = read_all(paths.iter().map(std::path::PathBuf::as_path));
        assert_eq!((pictures.len(), left_out.len()), (1, 2));
    }
}
