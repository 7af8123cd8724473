//! The VP8 frame in a lossy WebP file.
//!
//! Owns the parsing of the RIFF container. Never decodes.
//! Source: <https://developers.google.com/speed/webp/docs/riff_container>

/// `RIFF`, the size of the rest, `WEBP`.
const HEAD: usize = 12;
/// The name of a chunk and its size.
const PART_HEAD: usize = 8;

/// Returns the frame of a lossy WebP file; `None` for any other file.
pub(super) fn frame_of(file: &[u8]) -> Option<&[u8]> {
    if file.get(..4)? != b"RIFF" || file.get(8..HEAD)? != b"WEBP" {
        return None;
    }
    let mut rest = file.get(HEAD..)?;
    loop {
        let (name, size) = (rest.get(..4)?, rest.get(4..PART_HEAD)?);
        let size = usize::try_from(u32::from_le_bytes(size.try_into().ok()?)).ok()?;
        let end = PART_HEAD.checked_add(size)?;
        let body = rest.get(PART_HEAD..end)?;
        if name == b"VP8 " {
            return Some(body);
        }
        // Chunks are padded to an even size.
        rest = rest.get(end + size % 2..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::frame_of;

    fn part(name: &str, body: &[u8]) -> Vec<u8> {
        let mut part = name.as_bytes().to_vec();
        part.extend(u32::try_from(body.len()).unwrap().to_le_bytes());
        part.extend(body);
        part.extend(vec![0; body.len() % 2]);
        part
    }

    fn file(parts: &[Vec<u8>]) -> Vec<u8> {
        let body = parts.concat();
        let size = u32::try_from(body.len() + 4).unwrap().to_le_bytes();
        [b"RIFF".as_slice(), &size, b"WEBP", &body].concat()
    }

    #[test]
    fn the_frame_is_found_behind_other_parts() {
        let plain = file(&[part("VP8 ", b"frame")]);
        assert_eq!(frame_of(&plain), Some(b"frame".as_slice()));
        let extended = file(&[part("VP8X", &[0; 10]), part("ICCP", b"odd"), part("VP8 ", b"frame")]);
        assert_eq!(frame_of(&extended), Some(b"frame".as_slice()));
    }

    #[test]
    fn other_and_broken_files_have_none() {
        let whole = file(&[part("VP8X", &[0; 10]), part("VP8 ", b"frame")]);
        for end in 0..whole.len() - 1 {
            assert_eq!(frame_of(&whole[..end]), None, "{end}");
        }
        assert_eq!(frame_of(&file(&[part("VP8L", b"lossless")])), None);
        let mut endless = whole;
        endless[16..20].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(frame_of(&endless), None);
    }
}
