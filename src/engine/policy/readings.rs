//! What a text may say in one of the simplest codes: percent signs, base64, hexadecimal, backwards.
//!
//! Owns these readings and their bounds. Whoever means to hide words has a thousand others: docs/SECURITY.md says so. Pure.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// A shorter run of letters and digits is a word.
const SHORTEST_CODE: usize = 12;
/// Runs of one text that are read.
const MOST_RUNS: usize = 200;

const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT);

/// The text itself, and what it says where it is taken for a code.
pub(super) fn of(text: &str) -> Vec<String> {
    let plain = percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned();
    let backwards: String = plain.chars().rev().collect();
    let of_code = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '+' | '/' | '-' | '_');
    let runs = plain.split(|letter: char| !of_code(letter)).filter(|run| run.len() >= SHORTEST_CODE).take(MOST_RUNS);
    let decoded: Vec<String> = runs.flat_map(|run| [by_base64(run), by_hex(run)]).flatten().collect();
    [text.to_owned(), plain, backwards].into_iter().chain(decoded).collect()
}

fn by_base64(run: &str) -> Option<String> {
    let bytes = STANDARD.decode(run).or_else(|_| URL_SAFE.decode(run)).ok()?;
    String::from_utf8(bytes).ok()
}

fn by_hex(run: &str) -> Option<String> {
    if run.len() % 2 != 0 || !run.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let bytes: Option<Vec<u8>> =
        (0..run.len()).step_by(2).map(|at| u8::from_str_radix(&run[at..at + 2], 16).ok()).collect();
    String::from_utf8(bytes?).ok()
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn simple_codes_are_read_and_anything_else_stays_what_it_is() {
        let reads = |text: &str, said: &str| of(text).iter().any(|reading| reading.contains(said));
        for text in [
            "a secret of mine",
            "a%20secret%20of%20mine",
            "YSBzZWNyZXQgb2YgbWluZQ==",
            "x=YSBzZWNyZXQgb2YgbWluZQ",
            "6120736563726574206f66206d696e65",
            "enim fo terces a",
        ] {
            assert!(reads(text, "a secret of mine"), "{text}");
        }
        assert_eq!(of("plain words").len(), 3);
        assert!(of(&"ä%ff\u{0}".repeat(5000)).len() >= 3, "nothing panics");
    }
}
