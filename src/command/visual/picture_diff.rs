//! A pixel-by-pixel comparison of two PNG pictures.
//!
//! Owns the definition of a difference, and the picture that shows it. Reads row by row, so that tall pictures do not
//! fill the memory. Never reads or writes files.

use png::{BitDepth, ColorType, Compression, Decoder, Encoder, Reader, Transformations};
use std::borrow::Cow;
use std::io::{Cursor, Write};

/// The largest weighted squared distance of two colours in YIQ (Kotsarenko and Ramos, 2010), as in pixelmatch.
const LARGEST_DISTANCE: f64 = 35_215.0;
/// A wider picture is a damaged file. One row of this width takes a megabyte.
const WIDEST: u32 = 262_144;
/// The limit for interlaced pictures. They are held in memory as a whole, because their rows are not in order.
const LARGEST_INTERLACED: u64 = 16_000_000;
/// The remaining share of the colour where the pictures are equal.
const FADED: f64 = 0.1;
const WHITE: f64 = 255.0;
const RED: [u8; 3] = [255, 0, 0];

/// Why two pictures cannot be compared.
#[derive(Debug, thiserror::Error)]
pub(super) enum CompareError {
    #[error("it is not a PNG picture that can be read: {0}")]
    Read(#[from] png::DecodingError),
    #[error("the picture of what differs can't be made: {0}")]
    Write(#[from] png::EncodingError),
    #[error("the picture of what differs can't be made: {0}")]
    Io(#[from] std::io::Error),
    #[error("it is an interlaced picture of more than {LARGEST_INTERLACED} pixels")]
    Interlaced,
    #[error("it is {0} pixels wide; the widest is {WIDEST}")]
    TooWide(u32),
}

/// The result of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Comparison {
    pub before: (u32, u32),
    pub after: (u32, u32),
    pub different: u64,
    /// A PNG with the differences in red, if requested.
    pub picture: Option<Vec<u8>>,
}

impl Comparison {
    /// Returns the size that covers both pictures.
    pub(super) fn size(&self) -> (u32, u32) {
        (self.before.0.max(self.after.0), self.before.1.max(self.after.1))
    }

    pub(super) fn pixels(&self) -> u64 {
        u64::from(self.size().0) * u64::from(self.size().1)
    }

    /// Returns the share of different pixels, from 0 to 1.
    pub(super) fn share(&self) -> f64 {
        // Pixel counts are far below 2^53.
        self.different as f64 / self.pixels().max(1) as f64
    }
}

/// Compares two pictures. `threshold`: the tolerated colour distance, from 0 (none) to 1. Areas that only one picture
/// covers count as different.
pub(super) fn compare(
    before: &[u8],
    after: &[u8],
    threshold: f64,
    with_picture: bool,
) -> Result<Comparison, CompareError> {
    let (mut left, mut right) = (Rows::of(before)?, Rows::of(after)?);
    let mut found = Comparison { before: left.size, after: right.size, ..Comparison::default() };
    let (size, most) = (found.size(), LARGEST_DISTANCE * threshold * threshold);
    if !with_picture {
        found.different = count_rows(&mut left, &mut right, size, most, None)?;
        return Ok(found);
    }
    let mut picture = Vec::new();
    let mut encoder = Encoder::new(&mut picture, size.0, size.1);
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Fast);
    let mut writer = encoder.write_header()?;
    let mut lines = writer.stream_writer()?;
    found.different = count_rows(&mut left, &mut right, size, most, Some(&mut lines))?;
    lines.finish()?;
    writer.finish()?;
    found.picture = Some(picture);
    Ok(found)
}

/// Counts the different pixels. `drawn` receives the picture of the differences, as red, green and blue.
fn count_rows(
    left: &mut Rows<'_>,
    right: &mut Rows<'_>,
    (width, height): (u32, u32),
    most: f64,
    mut drawn: Option<&mut dyn Write>,
) -> Result<u64, CompareError> {
    let mut different = 0;
    let mut row = Vec::new();
    for _ in 0..height {
        let (first, second) = (left.next()?, right.next()?);
        row.clear();
        for at in 0..width as usize {
            let pair = (pixel(first.as_deref(), at), pixel(second.as_deref(), at));
            let differs = match pair {
                (Some(one), Some(other)) => one != other && distance(one, other) > most,
                (None, None) => false,
                _ => true,
            };
            different += u64::from(differs);
            if drawn.is_some() {
                row.extend(if differs { RED } else { faded(pair.1.or(pair.0)) });
            }
        }
        if let Some(drawn) = &mut drawn {
            drawn.write_all(&row)?;
        }
    }
    Ok(different)
}

/// The rows of a picture, with red, green, blue and alpha for each pixel.
struct Rows<'a> {
    reader: Reader<Cursor<&'a [u8]>>,
    size: (u32, u32),
    color: ColorType,
    /// The whole picture, if it is interlaced.
    whole: Option<Vec<u8>>,
    done: u32,
}

impl<'a> Rows<'a> {
    fn of(bytes: &'a [u8]) -> Result<Self, CompareError> {
        let mut decoder = Decoder::new(Cursor::new(bytes));
        decoder.set_transformations(Transformations::normalize_to_color8() | Transformations::ALPHA);
        let mut reader = decoder.read_info()?;
        let size = (reader.info().width, reader.info().height);
        if size.0 > WIDEST {
            return Err(CompareError::TooWide(size.0));
        }
        let (color, _) = reader.output_color_type();
        let mut whole = None;
        if reader.info().interlaced {
            let room =
                reader.output_buffer_size().filter(|_| u64::from(size.0) * u64::from(size.1) <= LARGEST_INTERLACED);
            let mut pixels = vec![0; room.ok_or(CompareError::Interlaced)?];
            reader.next_frame(&mut pixels)?;
            whole = Some(pixels);
        }
        Ok(Self { reader, size, color, whole, done: 0 })
    }

    /// Returns `None` after the last row.
    fn next(&mut self) -> Result<Option<Cow<'_, [u8]>>, CompareError> {
        if self.done == self.size.1 {
            return Ok(None);
        }
        let at = self.done as usize;
        self.done += 1;
        let row: &[u8] = match &self.whole {
            Some(pixels) => {
                let length = pixels.len() / self.size.1 as usize;
                &pixels[at * length..(at + 1) * length]
            }
            None => match self.reader.next_row()? {
                Some(row) => row.data(),
                None => return Ok(None),
            },
        };
        Ok(Some(match self.color {
            ColorType::Rgba => Cow::Borrowed(row),
            _ => Cow::Owned(row.chunks_exact(2).flat_map(|pair| [pair[0], pair[0], pair[0], pair[1]]).collect()),
        }))
    }
}

/// Returns the pixel on a white background, as red, green and blue. `None` outside the picture.
fn pixel(row: Option<&[u8]>, at: usize) -> Option<[f64; 3]> {
    let four = row?.get(at * 4..at * 4 + 4)?;
    let opacity = f64::from(four[3]) / WHITE;
    Some([0, 1, 2].map(|channel| WHITE + (f64::from(four[channel]) - WHITE) * opacity))
}

/// Returns the squared perceptual distance of two colours.
fn distance(one: [f64; 3], other: [f64; 3]) -> f64 {
    let [red, green, blue] = [0, 1, 2].map(|channel| one[channel] - other[channel]);
    let y = red * 0.298_895_31 + green * 0.586_622_47 + blue * 0.114_482_23;
    let i = red * 0.595_977_99 - green * 0.274_171_76 - blue * 0.321_801_89;
    let q = red * 0.211_470_17 - green * 0.522_617_11 + blue * 0.311_146_94;
    0.5053 * y * y + 0.299 * i * i + 0.1957 * q * q
}

fn faded(pixel: Option<[f64; 3]>) -> [u8; 3] {
    let Some([red, green, blue]) = pixel else { return [u8::MAX; 3] };
    let grey = red * 0.298_895_31 + green * 0.586_622_47 + blue * 0.114_482_23;
    // Between 0 and 255.
    [(WHITE + (grey - WHITE) * FADED).clamp(0.0, WHITE) as u8; 3]
}

#[cfg(test)]
mod tests {
    use super::{ColorType, CompareError, Comparison, Encoder, compare};

    fn picture(width: u32, height: u32, color: ColorType, pixels: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = Encoder::new(&mut bytes, width, height);
        encoder.set_color(color);
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(pixels).unwrap();
        writer.finish().unwrap();
        bytes
    }

    #[test]
    fn only_what_differs_by_more_than_the_threshold_counts() {
        let before = picture(2, 1, ColorType::Rgb, &[255, 0, 0, 10, 10, 10]);
        let after = picture(2, 1, ColorType::Rgb, &[0, 0, 255, 12, 10, 10]);
        let count = |threshold: f64| compare(&before, &after, threshold, false).unwrap().different;
        assert_eq!((count(0.0), count(0.1), count(1.0)), (2, 1, 0));
        assert_eq!(compare(&before, &before, 0.0, false).unwrap().different, 0);
    }

    #[test]
    fn grey_and_transparent_pictures_are_compared_by_what_they_show() {
        let grey = picture(1, 1, ColorType::Grayscale, &[255]);
        let clear = picture(1, 1, ColorType::Rgba, &[0, 0, 0, 0]);
        assert_eq!(compare(&grey, &clear, 0.0, false).unwrap().different, 0);
    }

    #[test]
    fn what_one_of_them_does_not_cover_is_different_and_red() {
        let before = picture(2, 2, ColorType::Rgb, &[9; 12]);
        let after = picture(3, 1, ColorType::Rgb, &[9; 9]);
        let found = compare(&before, &after, 0.1, true).unwrap();
        assert_eq!((found.size(), found.pixels(), found.different), ((3, 2), 6, 3));
        assert!((found.share() - 0.5).abs() < f64::EPSILON);
        let drawn = compare(found.picture.as_deref().unwrap(), found.picture.as_deref().unwrap(), 0.0, false).unwrap();
        assert_eq!(drawn, Comparison { before: (3, 2), after: (3, 2), different: 0, picture: None });
    }

    #[test]
    fn other_files_are_refused() {
        let one = picture(1, 1, ColorType::Rgb, &[0; 3]);
        assert!(matches!(compare(&one, b"no picture", 0.1, false), Err(CompareError::Read(_))));
    }
}
