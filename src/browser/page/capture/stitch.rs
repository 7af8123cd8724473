//! Joins PNG images: rows of them, from top to bottom.
//!
//! Owns the joining, row by row: only one row of pixels of each image is decompressed at a time. Never takes a screenshot.

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

/// Joins rows of parts from top to bottom. All parts must have the same format, those of a row the same height, and all
/// rows the same width.
pub(super) fn join(rows: &[Vec<Vec<u8>>]) -> Result<Vec<u8>, StitchError> {
    let mut common = None;
    let mut height = 0_u32;
    for row in rows {
        let (mut width, mut tall) = (0_u32, None);
        let mut form = None;
        for part in row {
            let reader = Decoder::new(Cursor::new(part)).read_info()?;
            width = width.saturating_add(reader.info().width);
            let kind = reader.output_color_type();
            if *form.get_or_insert(kind) != kind || *tall.get_or_insert(reader.info().height) != reader.info().height {
                return Err(StitchError::Unlike);
            }
        }
        let ((color, depth), tall) = form.zip(tall).ok_or(StitchError::Empty)?;
        let form = Form { width, color, depth };
        if *common.get_or_insert(form) != form {
            return Err(StitchError::Unlike);
        }
        height = height.saturating_add(tall);
    }
    let Form { width, color, depth } = common.ok_or(StitchError::Empty)?;
    let mut joined = Vec::new();
    let mut encoder = Encoder::new(&mut joined, width, height);
    encoder.set_color(color);
    encoder.set_depth(depth);
    encoder.set_compression(Compression::Fast);
    let mut writer = encoder.write_header()?;
    let mut lines = writer.stream_writer()?;
    for row in rows {
        let readers = row.iter().map(|part| Decoder::new(Cursor::new(part)).read_info());
        let mut readers = readers.collect::<Result<Vec<_>, _>>()?;
        for _ in 0..readers.first().map_or(0, |reader| reader.info().height) {
            for reader in &mut readers {
                let line = reader.next_row()?.ok_or(StitchError::Unlike)?;
                lines.write_all(line.data())?;
            }
        }
    }
    lines.finish()?;
    writer.finish()?;
    Ok(joined)
}

/// Returns the width and height of a PNG image.
pub(super) fn size(part: &[u8]) -> Result<(u32, u32), StitchError> {
    let reader = Decoder::new(Cursor::new(part)).read_info()?;
    Ok((reader.info().width, reader.info().height))
}

#[cfg(test)]
mod tests {
    use super::{Decoder, Encoder, StitchError, join, size};
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
    fn parts_lie_beneath_and_beside_each_other_in_their_order() {
        let joined = join(&[vec![part(2, &[1, 2])], vec![part(2, &[3])], vec![part(2, &[4, 5, 6])]]).unwrap();
        let mut reader = Decoder::new(Cursor::new(&joined)).read_info().unwrap();
        assert_eq!((reader.info().width, reader.info().height), (2, 6));
        for shade in 1..=6 {
            assert_eq!(reader.next_row().unwrap().unwrap().data(), [shade; 6]);
        }
        let beside = join(&[vec![part(1, &[1, 2]), part(2, &[3, 4])], vec![part(3, &[5])]]).unwrap();
        assert_eq!(size(&beside).unwrap(), (3, 3));
        let mut reader = Decoder::new(Cursor::new(&beside)).read_info().unwrap();
        for row in [[1, 1, 1, 3, 3, 3, 3, 3, 3], [2, 2, 2, 4, 4, 4, 4, 4, 4], [5; 9]] {
            assert_eq!(reader.next_row().unwrap().unwrap().data(), row);
        }
        assert!(matches!(join(&[vec![part(2, &[1])], vec![part(3, &[1])]]), Err(StitchError::Unlike)));
        assert!(matches!(join(&[]), Err(StitchError::Empty)));
        assert!(matches!(join(&[vec![b"no picture".to_vec()]]), Err(StitchError::Read(_))));
    }
}
