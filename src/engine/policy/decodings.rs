//! Decodes text from simple encodings: percent-encoding, HTML and JSON escapes, base64, base32, hexadecimal, character
//! codes, letters and hexadecimal pairs with separators, ROT13, reversed text; also up to three of them nested.
//!
//! Owns these decodings and their limits. Countless other encodings exist, as docs/SECURITY.md says. Pure.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use std::collections::{HashMap, HashSet};

/// A shorter run of letters and digits counts as a word.
const SHORTEST_CODE: usize = 12;
/// The limit for decoded runs of one text.
const MOST_RUNS: usize = 50;
/// The limit for nested encodings.
const DEEPEST: usize = 3;
/// The limits for the texts decoded from one text: their number, and their total size in bytes.
const MOST_TEXTS: usize = 200;
const MOST_BYTES: usize = 512 * 1024;

const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT);

/// Returns the text itself, then its decodings. Bounded: a long text is decoded less deeply.
pub(super) fn of(text: &str) -> Vec<String> {
    let mut seen = HashSet::from([text.to_owned()]);
    let mut all = vec![text.to_owned()];
    let mut bytes = text.len();
    let mut from = 0;
    for _ in 0..DEEPEST {
        let to = all.len();
        for at in from..to {
            for decoded in once(&all[at]) {
                if all.len() >= MOST_TEXTS || bytes + decoded.len() > MOST_BYTES {
                    return all;
                }
                if seen.insert(decoded.clone()) {
                    bytes += decoded.len();
                    all.push(decoded);
                }
            }
        }
        from = to;
    }
    all
}

/// Decodes a text once with each encoding.
fn once(text: &str) -> Vec<String> {
    let mut decoded = Vec::new();
    if text.contains('%') {
        decoded.push(percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned());
    }
    if text.contains('+') {
        decoded.push(text.replace('+', " "));
    }
    if text.contains('&') {
        decoded.push(by_entities(text));
    }
    if text.contains('\\') {
        decoded.push(by_escapes(text));
    }
    decoded.extend(by_numbers(text));
    decoded.extend(by_separated(text));
    let of_code = |letter: char| letter.is_ascii_alphanumeric() || is_joint(letter);
    // The characters that join the parts of an address also occur in encodings.
    let runs = text.split(|letter: char| !of_code(letter)).flat_map(|run| {
        let parts = run.split(is_joint).filter(move |part| part.len() < run.len());
        std::iter::once(run).chain(parts)
    });
    for run in runs.filter(|run| run.len() >= SHORTEST_CODE).take(MOST_RUNS) {
        decoded.extend([by_base64(run), by_hex(run), by_base32(run)].into_iter().flatten());
    }
    decoded.push(text.chars().rev().collect());
    decoded.push(text.chars().map(by_rot13).collect());
    decoded
}

fn is_joint(letter: char) -> bool {
    matches!(letter, '+' | '/' | '-' | '_')
}

fn by_base64(run: &str) -> Option<String> {
    let bytes = STANDARD.decode(run).or_else(|_| URL_SAFE.decode(run)).ok()?;
    String::from_utf8(bytes).ok()
}

fn by_hex(run: &str) -> Option<String> {
    if !run.len().is_multiple_of(2) || !run.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let bytes: Option<Vec<u8>> =
        (0..run.len()).step_by(2).map(|at| u8::from_str_radix(&run[at..at + 2], 16).ok()).collect();
    String::from_utf8(bytes?).ok()
}

/// Decodes base32 (RFC 4648, section 6) without padding.
fn by_base32(run: &str) -> Option<String> {
    let (mut bits, mut held, mut bytes) = (0_u32, 0_u32, Vec::new());
    for letter in run.bytes() {
        let value = match letter.to_ascii_uppercase() {
            letter @ b'A'..=b'Z' => letter - b'A',
            digit @ b'2'..=b'7' => digit - b'2' + 26,
            _ => return None,
        };
        bits = (bits << 5) | u32::from(value);
        held += 5;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from((bits >> held) & 0xff).ok()?);
        }
    }
    String::from_utf8(bytes).ok()
}

fn by_rot13(letter: char) -> char {
    let turned = |first: u8, letter: u8| char::from((letter - first + 13) % 26 + first);
    match letter {
        'a'..='z' => turned(b'a', letter as u8),
        'A'..='Z' => turned(b'A', letter as u8),
        other => other,
    }
}

/// Decodes `&#104;`, `&#x68;` and the named entities of HTML's syntax.
fn by_entities(text: &str) -> String {
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        decoded.push_str(&rest[..at]);
        rest = &rest[at..];
        let entity = rest.find(';').filter(|end| *end <= 10).and_then(|end| Some((entity_of(&rest[1..end])?, end + 1)));
        let (letter, length) = entity.unwrap_or(('&', 1));
        decoded.push(letter);
        rest = &rest[length..];
    }
    decoded.push_str(rest);
    decoded
}

fn entity_of(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "nbsp" => Some(' '),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)
        }
    }
}

/// Decodes `\u0068`, `\u{68}`, `\x68`.
fn by_escapes(text: &str) -> String {
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        decoded.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let (digits, skipped) = match after.as_bytes() {
            [b'u', b'{', ..] => (after[2..].find('}').and_then(|end| after.get(2..2 + end)), 3),
            [b'u', ..] => (after.get(1..5), 1),
            [b'x', ..] => (after.get(1..3), 1),
            _ => (None, 0),
        };
        let letter = digits
            .and_then(|digits| Some((char::from_u32(u32::from_str_radix(digits, 16).ok()?)?, skipped + digits.len())));
        match letter {
            Some((letter, length)) => {
                decoded.push(letter);
                rest = &after[length..];
            }
            None => {
                decoded.push('\\');
                rest = after;
            }
        }
    }
    decoded.push_str(rest);
    decoded
}

/// Decodes ASCII codes with any separator: `99 111 114`.
fn by_numbers(text: &str) -> Option<String> {
    let numbers = text.split(|letter: char| !letter.is_ascii_digit()).filter(|number| !number.is_empty());
    let letters: Option<Vec<u8>> = numbers.map(|number| number.parse().ok()).collect();
    let letters = letters.filter(|letters| letters.len() >= SHORTEST_CODE)?;
    letters.iter().all(|letter| (9..127).contains(letter)).then(|| letters.into_iter().map(char::from).collect())
}

/// Decodes separated letters or hexadecimal pairs: `c-o-r-r-e-c-t`, `63:6f:72`, `0x63, 0x6f`. Removes the most frequent
/// separator and replaces any other one with a space.
fn by_separated(text: &str) -> Vec<String> {
    let is_part = |letter: char| letter.is_alphanumeric();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for separator in text.split(is_part).filter(|separator| !separator.is_empty()) {
        *counts.entry(separator).or_default() += 1;
    }
    let Some((common, count)) = counts.into_iter().max_by_key(|(_, count)| *count) else { return Vec::new() };
    if count < SHORTEST_CODE / 2 {
        return Vec::new();
    }
    let mut joined = String::with_capacity(text.len());
    for part in text.split_inclusive(is_part) {
        let separator = part.trim_end_matches(is_part);
        if !separator.is_empty() && separator != common {
            joined.push(' ');
        }
        joined.push_str(&part[separator.len()..]);
    }
    // Removes the `0x` before each pair, so that only digits remain.
    let digits = joined.replace("0x", "").replace(char::is_whitespace, "");
    by_hex(&digits).into_iter().chain([joined]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SAID: &str = "a secret of mine";

    fn reads(text: &str) -> bool {
        of(text).iter().any(|decoded| decoded.contains(SAID))
    }

    fn percent(text: &str) -> String {
        text.bytes().map(|byte| format!("%{byte:02X}")).collect()
    }

    fn base64(text: &str) -> String {
        base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(text)
    }

    fn hex(text: &str) -> String {
        text.bytes().map(|byte| format!("{byte:02X}")).collect()
    }

    fn backwards(text: &str) -> String {
        text.chars().rev().collect()
    }

    #[test]
    fn simple_codes_are_read_also_upon_one_another() {
        let numbers: Vec<String> = SAID.bytes().map(|byte| byte.to_string()).collect();
        let pairs: Vec<String> = SAID.bytes().map(|byte| format!("{byte:02x}")).collect();
        for text in [
            SAID.to_owned(),
            "a%20secret%20of%20mine".to_owned(),
            "a+secret+of+mine".to_owned(),
            percent(SAID),
            percent(&percent(SAID)),
            "YSBzZWNyZXQgb2YgbWluZQ==".to_owned(),
            "x=YSBzZWNyZXQgb2YgbWluZQ".to_owned(),
            "/p/YSBzZWNyZXQgb2YgbWluZQ/".to_owned(),
            hex(SAID),
            hex(SAID).to_lowercase(),
            "MEQHGZLDOJSXIIDPMYQG22LOMU======".to_owned(),
            "meqhgzldojsxiidpmyqg22lomu".to_owned(),
            "n frperg bs zvar".to_owned(),
            "enim fo terces a".to_owned(),
            "&#97; secret&nbsp;of &#x6d;ine".to_owned(),
            "\\u0061 secret \\x6ff \\u{6d}ine".to_owned(),
            numbers.join(","),
            pairs.join(":"),
            pairs.join("-"),
            format!("0x{}", pairs.join(" 0x")),
            "a s-e-c-r-e-t o-f m-i-n-e".to_owned(),
            "a..s.e.c.r.e.t..o.f..m.i.n.e".to_owned(),
            base64(&base64(SAID)),
            base64(&hex(SAID)),
            base64(&backwards(SAID)),
            backwards(&base64(SAID)),
            percent(&base64(&base64(SAID))),
            hex("n frperg bs zvar"),
        ] {
            assert!(reads(&text), "{text}");
        }
    }

    #[test]
    fn what_is_decoded_has_an_end() {
        let nested = (0..30).fold("x".repeat(50), |text, _| percent(&text).chars().take(100_000).collect());
        let all = of(&nested);
        assert!(all.len() <= MOST_TEXTS && all.iter().map(String::len).sum::<usize>() <= nested.len() + MOST_BYTES);
        assert_eq!(of("x y").first().map(String::as_str), Some("x y"));
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(text in any::<String>()) {
            prop_assert_eq!(&of(&text)[0], &text);
        }
    }
}
