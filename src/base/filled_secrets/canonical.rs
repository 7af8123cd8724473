//! The canonical form of a text: what is left when every escape is decoded, so that all spellings of a secret are equal.
//!
//! Owns the decoding and where each decoded byte was in the text. Knows no secret. Decodes percent escapes, JSON's and
//! JavaScript's escapes and HTML's entities, one within the other and mixed in one text, as browsers show addresses.
//! Folds what different writers write differently: case, `+` and `-` as a space, `_` as `/`. Leaves out backslashes and zeros.

/// How often a text is decoded. Each pass decodes any number of escapes of the same kind within each other (`%2525…`), so
/// this counts only changes of the kind.
const MOST_PASSES: usize = 6;
/// The longest escape, a JavaScript one: `\u{10ffff}`.
const LONGEST_ESCAPE: usize = 10;

/// The named entities of the characters that have to be escaped, and of those that browsers escape.
const ENTITIES: [(&[u8], &str); 7] = [
    (b"amp;", "&"),
    (b"lt;", "<"),
    (b"gt;", ">"),
    (b"quot;", "\""),
    (b"apos;", "'"),
    (b"nbsp;", "\u{a0}"),
    (b"sol;", "/"),
];

/// The folded form of each byte.
const FOLDED: [u8; 256] = {
    let mut folded = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        folded[byte] = match byte as u8 {
            b'+' | b'-' => b' ',
            b'_' => b'/',
            other => other.to_ascii_lowercase(),
        };
        byte += 1;
    }
    folded
};

#[derive(Debug)]
pub(super) struct Canonical {
    pub(super) bytes: Vec<u8>,
    /// For each byte where in the text its spelling begins, and at last the end of the text. A spelling ends where the next one begins.
    /// `None`: not recorded, which halves the time.
    starts: Option<Vec<u32>>,
}

impl Canonical {
    /// Returns a text in any encoding.
    pub(super) fn of(text: &[u8]) -> Self {
        let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
        Self::new(text, Some((0..=end).collect()))
    }

    /// Returns the same without places.
    pub(super) fn bytes_of(text: &[u8]) -> Vec<u8> {
        Self::new(text, None).bytes
    }

    fn new(text: &[u8], starts: Option<Vec<u32>>) -> Self {
        let mut found = Self { bytes: text.to_vec(), starts };
        for _ in 0..MOST_PASSES {
            let Some(decoded) = found.decoded() else { break };
            found = decoded;
        }
        found.fold();
        found
    }

    /// The range of the text that spells these bytes.
    pub(super) fn place(&self, from: usize, to: usize) -> (usize, usize) {
        let start = |at: usize| self.starts.as_ref().map_or(at, |starts| starts[at] as usize);
        (start(from), start(to))
    }

    /// The character before a byte. `None` at the beginning.
    pub(super) fn before(&self, at: usize) -> Option<char> {
        let from = at.saturating_sub(4);
        (from..at).find_map(|from| std::str::from_utf8(&self.bytes[from..at]).ok()?.chars().next_back())
    }

    /// The character at a byte. `None` at the end.
    pub(super) fn after(&self, at: usize) -> Option<char> {
        let to = (at + 4).min(self.bytes.len());
        (at + 1..=to).find_map(|to| std::str::from_utf8(&self.bytes[at..to]).ok()?.chars().next())
    }

    /// The ends of what may have been cut off at `end`: there, and before an escape of which only a part is left.
    pub(super) fn cuts(&self, end: usize) -> impl Iterator<Item = usize> {
        let from = end.saturating_sub(LONGEST_ESCAPE);
        let escapes = (from..end).filter(|at| matches!(self.bytes[*at], b'%' | b'\\' | b'&')).rev();
        std::iter::once(end).chain(escapes)
    }

    /// Decodes every escape once. `None` if there is none.
    fn decoded(&self) -> Option<Self> {
        let (text, end) = (&self.bytes, self.bytes.len());
        let mut to: Option<Self> = None;
        // Where the next escape may be, and up to where everything is in `to`.
        let (mut at, mut done) = (0, 0);
        while let Some(next) = memchr::memchr3(b'%', b'\\', b'&', &text[at..]).map(|found| at + found) {
            let Some((unit, length)) = escape(&text[next..]) else {
                at = next + 1;
                continue;
            };
            let starts = || self.starts.as_ref().map(|_| Vec::with_capacity(end + 1));
            let to = to.get_or_insert_with(|| Self { bytes: Vec::with_capacity(end), starts: starts() });
            to.bytes.extend_from_slice(&text[done..next]);
            let mut bytes = [0; 4];
            let decoded = match unit {
                Unit::Byte(byte) => {
                    bytes[0] = byte;
                    &bytes[..1]
                }
                Unit::Letter(letter) => letter.encode_utf8(&mut bytes).as_bytes(),
            };
            to.bytes.extend_from_slice(decoded);
            if let (Some(starts), Some(before)) = (&mut to.starts, &self.starts) {
                starts.extend_from_slice(&before[done..next]);
                starts.extend(std::iter::repeat_n(before[next], decoded.len()));
            }
            (at, done) = (next + length, next + length);
        }
        let mut to = to?;
        to.bytes.extend_from_slice(&text[done..]);
        if let (Some(starts), Some(before)) = (&mut to.starts, &self.starts) {
            starts.extend_from_slice(&before[done..]);
        }
        Some(to)
    }

    /// Folds in place, and leaves out backslashes and zeros: what follows begins with them.
    fn fold(&mut self) {
        self.bytes.iter_mut().for_each(|byte| *byte = FOLDED[usize::from(*byte)]);
        if memchr::memchr2(b'\\', 0, &self.bytes).is_none() {
            return;
        }
        let Some(starts) = &mut self.starts else {
            self.bytes.retain(|byte| !matches!(byte, b'\\' | 0));
            return;
        };
        let mut kept = 0;
        let mut begins = None;
        for at in 0..self.bytes.len() {
            let byte = self.bytes[at];
            let start = begins.take().unwrap_or(starts[at]);
            if matches!(byte, b'\\' | 0) {
                begins = Some(start);
                continue;
            }
            self.bytes[kept] = byte;
            starts[kept] = start;
            kept += 1;
        }
        let end = starts[self.bytes.len()];
        self.bytes.truncate(kept);
        starts.truncate(kept);
        starts.push(begins.unwrap_or(end));
    }
}

/// The meaning of an escape.
enum Unit {
    Byte(u8),
    Letter(char),
}

/// Reads the escape at the beginning of a text; returns its length too.
fn escape(text: &[u8]) -> Option<(Unit, usize)> {
    match text.first()? {
        b'%' => percent(text),
        b'\\' => backslash(text),
        b'&' => entity(text),
        _ => None,
    }
}

/// `%41`, `%252541`, and `%u0041` of JavaScript's `escape`.
fn percent(text: &[u8]) -> Option<(Unit, usize)> {
    let mut at = 1;
    while text[at..].starts_with(b"25") {
        at += 2;
    }
    if text.get(at) == Some(&b'u') {
        return utf16(text, at - 1, b"%u");
    }
    match text.get(at..at + 2).and_then(number) {
        Some(byte) => Some((Unit::Byte(u8::try_from(byte).ok()?), at + 2)),
        // `%25` alone is a percent sign.
        None => (at > 1).then_some((Unit::Byte(b'%'), at)),
    }
}

/// `\u0041`, `\u{41}` and `\x41`, with any number of backslashes.
fn backslash(text: &[u8]) -> Option<(Unit, usize)> {
    let at = text.iter().position(|byte| *byte != b'\\')?;
    match text[at] {
        b'x' => Some((Unit::Letter(char::from(u8::try_from(number(text.get(at + 1..at + 3)?)?).ok()?)), at + 3)),
        b'u' if text.get(at + 1) == Some(&b'{') => {
            let digits = text[at + 2..].iter().take(7).position(|byte| *byte == b'}')?;
            let letter = char::from_u32(number(&text[at + 2..at + 2 + digits])?)?;
            Some((Unit::Letter(letter), at + digits + 3))
        }
        b'u' => utf16(text, at - 1, b"\\u"),
        _ => None,
    }
}

/// One or two units of UTF-16, each after `mark`, which begins at `at`.
fn utf16(text: &[u8], at: usize, mark: &[u8]) -> Option<(Unit, usize)> {
    let unit = |at: usize| u16::try_from(number(text.get(at + 2..at + 6)?)?).ok();
    let first = unit(at)?;
    let second_at = at
        + 6
        + text.get(at + 6..)?.iter().take_while(|byte| mark[0] == b'\\' && **byte == b'\\').count().saturating_sub(1);
    let second = text.get(second_at..).filter(|text| text.starts_with(mark)).and_then(|_| unit(second_at));
    let mut letters = char::decode_utf16(std::iter::once(first).chain(second));
    match letters.next()? {
        Ok(letter) => Some((Unit::Letter(letter), if letter.len_utf16() == 2 { second_at + 6 } else { at + 6 })),
        Err(_) => None,
    }
}

/// `&amp;`, `&amp;amp;lt;`, `&#38;` and `&#x26;`.
fn entity(text: &[u8]) -> Option<(Unit, usize)> {
    let mut at = 1;
    while text[at..].starts_with(b"amp;") {
        at += 4;
    }
    let rest = &text[at..];
    let named = ENTITIES.iter().find(|(name, _)| rest.starts_with(name));
    if let Some((name, letter)) = named {
        return Some((Unit::Letter(letter.chars().next()?), at + name.len()));
    }
    let numbered = || {
        let length = rest.iter().take(LONGEST_ESCAPE).position(|byte| *byte == b';')?;
        let digits = rest.get(1..length)?;
        let code = match digits.strip_prefix(b"x").or_else(|| digits.strip_prefix(b"X")) {
            Some(digits) => number(digits)?,
            None => std::str::from_utf8(digits).ok()?.parse().ok()?,
        };
        Some((Unit::Letter(char::from_u32(code)?), at + length + 1))
    };
    match rest.first() == Some(&b'#') {
        true => numbered(),
        false => (at > 1).then_some((Unit::Byte(b'&'), at)),
    }
}

/// Reads hexadecimal digits.
fn number(digits: &[u8]) -> Option<u32> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0u32, |number, digit| Some((number << 4) | char::from(*digit).to_digit(16)?))
}

#[cfg(test)]
mod tests {
    use super::Canonical;
    use proptest::prelude::*;

    fn canonical(text: &str) -> String {
        String::from_utf8(Canonical::of(text.as_bytes()).bytes).unwrap()
    }

    #[test]
    fn escapes_of_every_kind_and_within_each_other_are_decoded() {
        for (text, decoded) in [
            ("plain TEXT", "plain text"),
            ("a%2Fb%2fb", "a/b/b"),
            ("%25252541 100%", "a 100%"),
            ("%c3%9c Ü %C3%9C", "Ü Ü Ü"),
            ("%u00dc%uD83D%uDE00", "Ü😀"),
            (r#"\"a\\\"b\u00dc\\u00dc\ud83d\ude00\\ud83d\\ude00"#, "\"a\"bÜÜ😀😀"),
            (r"\x41\u{1f600}\/", "a😀/"),
            ("&amp;&amp;lt;&#39;&#x27;&#x1F600;&quot;", "&<''😀\""),
            ("%26amp%3B%2526lt;", "&<"),
            ("&#37;41 \\u002541 %5Cu0041", "a a a"),
            ("a+b-c_d", "a b c/d"),
            ("a\0b\0", "ab"),
            ("% %4 %zz & &; &#; &#xx; &#99999999; \\u12 \\", "% %4 %zz & &; &#; &#xx; &#99999999; u12 "),
        ] {
            assert_eq!(canonical(text), decoded, "{text}");
        }
    }

    proptest! {
        #[test]
        fn each_place_is_within_the_text_and_on_a_letter(text in "[%u&#x0-9a-f\\\\;+ÜX😀amp]{0,40}") {
            let found = Canonical::of(text.as_bytes());
            prop_assert_eq!(&found.bytes, &Canonical::bytes_of(text.as_bytes()));
            let mut last = 0;
            for at in 0..found.bytes.len() {
                let (from, to) = found.place(at, at + 1);
                prop_assert!(last <= from && from <= to && to <= text.len());
                last = from;
            }
            prop_assert!(found.place(0, found.bytes.len()).1 <= text.len());
        }
    }
}
