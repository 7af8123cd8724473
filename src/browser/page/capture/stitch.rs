//! Joins PNG images vertically.
//!
//! Owns the joining, row by row: only one row of pixels is decompressed at a time. Never takes a screenshot.

use png::{BitDepth, ColorType, Compression, Decoder, Encoder};
use std::io::{Cursor, Write};

/// The reason images cannot be joined.
#[derive(Debug, thiserror::Error)]
pub(super) enum StitchError {
    #[error("a part of the picture can't be read: {0}")]
    Read(#[from] png::DecodingError),
    #[error("the picture can't be put together: {0}")]
    Write(#[from] png::EncodingError),
    #[error("the picture can't be put together: {0}")]
    Io(#[from] std::io::Error),
    #[error("the parts of the picture differ in width or colours: the page changed meanwhile")]
    Unlike,
    #[error("there is no part of the picture")]
    Empty,
}

/// The format that all parts share.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Form {
    width: u32,
    color: ColorType,
    depth: BitDepth,
}

/// Joins the parts from top to bottom. All must have the same width and format.
pub(super) fn join(parts: &[Vec<u8>]) -> Result<Vec<u8>, StitchError> {
    let mut common = None;
    let mut height = 0_u32;
    for part in parts {
        let reader = Decoder::new(Cursor::new(part)).read_info()?;
        let (color, depth) = reader.output_color_type();
        let form = Form { width: reader.info().width, color, depth };
        if *common.get_or_insert(form) != form {
            return Err(StitchError::Unlike);
        }
        height = height.saturating_add(reader.info().height);
    }
    let Form { width, color, depth } = common.ok_or(StitchError::Empty)?;
    let mut joined = Vec::new();
    let mut encoder = Encoder::new(&mut joined, width, height);
    encoder.set_color(color);
    encoder.set_depth(depth);
    encoder.set_compression(Compression::Fast);
    let mut writer = encoder.write_header()?;
    let mut rows = writer.stream_writer()?;
    for part in parts {
        let mut reader = Decoder::new(Cursor::new(part)).read_info()?;
        while let Some(row) = reader.next_row()? {
            rows.write_all(row.data())?;
        }
    }
    rows.finish()?;
    writer.finish()?;
    Ok(joined)
}

#[cfg(test)]
mod tests {
    use super::{Decoder, Encoder, StitchError, join};
    use png::ColorType;
    use std::io::Cursor;

    fn part(width: u32, rows: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = Encoder::new(&mut bytes, width, u32::try_from(rows.len()).unwrap());
        encoder.set_color(ColorType::Rgb);
        let mut writer = encoder.write_header().unwrap();
        let pixels: Vec<u8> = rows.iter().flat_map(|shade| vec![*shade; width as usize * 3]).collect();
        writer.write_image_data(&pixels).unwrap();
        writer.finish().unwrap();
        bytes
    }

    #[test]
    fn parts_lie_beneath_each_other_in_their_order() {
        let joined = join(&[part(2, &[1, 2]), part(2, &[3]), part(2, &[4, 5, 6])]).unwrap();
        let mut reader = Decoder::new(Cursor::new(&joined)).read_info().unwrap();
        assert_eq!((reader.info().width, reader.info().height), (2, 6));
        for shade in 1..=6 {
            assert_eq!(reader.next_row().unwrap().unwrap().data(), [shade; 6]);
        }
        assert!(matches!(join(&[part(2, &[1]), part(3, &[1])]), Err(StitchError::Unlike)));
        assert!(matches!(join(&[]), Err(StitchError::Empty)));
        assert!(matches!(join(&[b"no picture".to_vec()]), Err(StitchError::Read(_))));
    }
}
