//! Repairs JSON whose strings contain a lone surrogate, as JavaScript strings may.
//!
//! Replaces each lone surrogate with U+FFFD, as `String.prototype.toWellFormed` does. A Rust string cannot hold one, so
//! a single character of a page would make the whole message invalid.

use std::borrow::Cow;

/// The length of `\uXXXX`.
const ESCAPE: usize = 6;

/// Returns the same JSON without lone surrogates. Copies only if it needs a repair.
pub fn repair(json: &[u8]) -> Cow<'_, [u8]> {
    let mut repaired = Cow::Borrowed(json);
    let mut at = 0;
    while let Some(found) = json.get(at..).and_then(|rest| memchr::memchr(b'\\', rest)) {
        at += found;
        at += match unit(json, at) {
            Some(0xD800..=0xDBFF) if matches!(unit(json, at + ESCAPE), Some(0xDC00..=0xDFFF)) => 2 * ESCAPE,
            Some(0xD800..=0xDFFF) => {
                repaired.to_mut()[at..at + ESCAPE].copy_from_slice(br"\ufffd");
                ESCAPE
            }
            Some(_) => ESCAPE,
            // Another escape, which includes the character after the backslash.
            None => 2,
        };
    }
    repaired
}

/// Returns the UTF-16 unit of an escape that begins at `at`.
fn unit(json: &[u8], at: usize) -> Option<u16> {
    let digits = json.get(at..at + ESCAPE)?.strip_prefix(br"\u")?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn halves_are_replaced_and_pairs_stay() {
        for (json, wanted) in [
            (r#""a\ud83d""#, "a\u{fffd}"),
            (r#""\ude00b""#, "\u{fffd}b"),
            (r#""\ud83d\ude00""#, "😀"),
            (r#""\ud83d\ud83d\ude00""#, "\u{fffd}😀"),
            (r#""\\ud83d""#, r"\ud83d"),
            (r#""\uD83D\n\uDE00""#, "\u{fffd}\n\u{fffd}"),
            (r#""é""#, "é"),
        ] {
            assert_eq!(serde_json::from_slice::<String>(&repair(json.as_bytes())).unwrap(), wanted, "{json}");
        }
        assert!(matches!(repair(br#"{"text":"\u00e9 \" \\"}"#), Cow::Borrowed(_)));
        for cut in [&br"\"[..], br"\u", br"\ud8", br#""\ud83d\u"#] {
            repair(cut);
        }
    }

    proptest! {
        #[test]
        fn whatever_units_a_page_gives_can_be_read(units in proptest::collection::vec(any::<u16>(), 0..40)) {
            let mut json = String::from("\"");
            for unit in &units {
                json.push_str(&format!("\\u{unit:04x}"));
            }
            json.push('"');
            let read: String = serde_json::from_slice(&repair(json.as_bytes())).unwrap();
            prop_assert_eq!(read, String::from_utf16_lossy(&units));
        }

        #[test]
        fn what_is_well_formed_stays_as_it_is(text in any::<String>()) {
            let json = serde_json::to_vec(&text).unwrap();
            let repaired = repair(&json).into_owned();
            prop_assert_eq!(repaired, json);
        }
    }
}
