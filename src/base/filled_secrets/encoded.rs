//! Finds secrets in base64. A page may escape a secret before it encodes it, so searching for the secret's own base64 is not
//! enough.
//!
//! Owns the search for such parts of a text. The caller looks into what they decode to.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// A shorter part holds no escaped secret.
const SHORTEST: usize = 16;
/// Text that only looks like base64 rarely decodes to this many printable characters in a row.
const SHORTEST_TEXT: usize = 8;
/// Base64 within base64.
const MOST_NESTED: usize = 2;
/// The characters before which a group of four may begin.
const GROUP: usize = 4;

/// Accepts what is left of a group that was cut off.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Returns the parts of a text that are base64 in which `has_secret` finds something.
pub(super) fn places(text: &str, has_secret: impl Fn(&[u8]) -> bool) -> Vec<(usize, usize)> {
    parts(text.as_bytes()).filter(|(from, to)| holds(&text.as_bytes()[*from..*to], &has_secret, MOST_NESTED)).collect()
}

fn holds(part: &[u8], has_secret: &impl Fn(&[u8]) -> bool, nested: usize) -> bool {
    // For addresses, two characters are others.
    let standard: Vec<u8> = part.iter().map(|byte| in_standard(*byte)).collect();
    // The base64 may begin anywhere in the run: `/path/` before it consists of the same characters.
    (0..GROUP).any(|offset| {
        let Some(whole) = standard.get(offset..) else { return false };
        // A single character at the end does not make a byte.
        let whole = &whole[..whole.len() - usize::from(whole.len() % GROUP == 1)];
        let Ok(decoded) = LENIENT.decode(whole) else { return false };
        // Skips what only looks like base64.
        if !has_text(&decoded) {
            return false;
        }
        has_secret(&decoded)
            || nested > 1 && parts(&decoded).any(|(from, to)| holds(&decoded[from..to], has_secret, nested - 1))
    })
}

/// Returns true if some characters of ASCII follow each other: every escape consists of them.
fn has_text(decoded: &[u8]) -> bool {
    let mut run = 0;
    decoded.iter().any(|byte| {
        run = if matches!(byte, b' '..=b'~') { run + 1 } else { 0 };
        run == SHORTEST_TEXT
    })
}

/// Returns the runs of characters of base64.
fn parts(text: &[u8]) -> impl Iterator<Item = (usize, usize)> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let from = at + text[at..].iter().position(|byte| is_base64(*byte))?;
            let length = text[from..].iter().position(|byte| !is_base64(*byte)).unwrap_or(text.len() - from);
            at = from + length;
            if length >= SHORTEST {
                return Some((from, at));
            }
        }
    })
}

const fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
}

const fn in_standard(byte: u8) -> u8 {
    match byte {
        b'-' => b'+',
        b'_' => b'/',
        other => other,
    }
}
