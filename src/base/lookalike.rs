//! Finds words in a text however they are spelled: other letters that look the same, invisible characters between them,
//! any case, spacing, punctuation, accents, or written backwards.
//!
//! Owns the folding of characters to Latin letters (Unicode's NFKC and the confusables of UTS 39). Knows no particular
//! words and changes no text.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// What a character contributes to a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Folded {
    Letter(u8),
    /// Spaces, punctuation, accents and invisible characters: a reader looks past them.
    Gap,
    /// A letter or digit of its own: it ends the word.
    Other,
}

/// How far a character may differ from the letter that it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    Strict,
    /// Digits and strokes count as the letters they resemble, tag characters as the letters they are named after.
    Loose,
}

/// Characters above ASCII that Unicode names after a Latin letter, by that letter.
const NAMED: &str = include_str!("latin_letters.txt");

/// Letters of other scripts and signs that are read as a Latin letter and that UTS 39 does not fold to it.
const MORE: [(char, u8); 21] = [
    ('п', b'N'),
    ('и', b'N'),
    ('И', b'N'),
    ('я', b'R'),
    ('Я', b'R'),
    ('д', b'A'),
    ('Д', b'A'),
    ('Λ', b'A'),
    ('λ', b'A'),
    ('Σ', b'E'),
    ('Ξ', b'E'),
    ('є', b'E'),
    ('Є', b'E'),
    ('€', b'E'),
    ('£', b'L'),
    ('µ', b'U'),
    ('τ', b'T'),
    ('χ', b'X'),
    ('ν', b'N'),
    ('ท', b'N'),
    ('ร', b'S'),
];

/// The letter of each character of [`NAMED`] and [`MORE`].
static LETTERS: LazyLock<HashMap<char, u8>> = LazyLock::new(|| {
    let named = NAMED.lines().filter_map(|line| line.split_once(' ')).flat_map(|(letter, codes)| {
        let letter = letter.bytes().next().unwrap_or_default();
        let characters = codes.split(' ').filter_map(|code| char::from_u32(u32::from_str_radix(code, 16).ok()?));
        characters.map(move |character| (character, letter))
    });
    named.chain(MORE).collect()
});

/// Words to look for. Made of ASCII letters only.
#[derive(Debug)]
pub struct Words {
    forwards: Vec<u8>,
    backwards: Vec<u8>,
}

impl Words {
    /// `words`: at least one ASCII letter; everything else in it is dropped.
    pub fn new(words: &str) -> Self {
        let forwards: Vec<u8> = words.bytes().filter(u8::is_ascii_alphabetic).map(class_of).collect();
        Self { backwards: forwards.iter().rev().copied().collect(), forwards }
    }

    /// The ranges of `text` that read as the words, in order and without overlap.
    pub fn find(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = self.search(text, Reading::Strict);
        found.extend(self.search(text, Reading::Loose));
        found.sort_by_key(|range| range.start);
        let mut merged: Vec<Range<usize>> = Vec::with_capacity(found.len());
        for range in found {
            match merged.last_mut() {
                Some(last) if range.start < last.end => last.end = last.end.max(range.end),
                _ => merged.push(range),
            }
        }
        merged
    }

    fn search(&self, text: &str, reading: Reading) -> Vec<Range<usize>> {
        let length = self.forwards.len();
        let mut found = Vec::new();
        if length == 0 {
            return found;
        }
        // The newest letters and where each begins, oldest first from `count % length`.
        let mut letters = vec![0_u8; length];
        let mut starts = vec![0_usize; length];
        let mut count = 0;
        for (at, character) in text.char_indices() {
            fold(character, reading, |folded| match folded {
                Folded::Gap => {}
                Folded::Other => count = 0,
                Folded::Letter(letter) => {
                    letters[count % length] = letter;
                    starts[count % length] = at;
                    count += 1;
                    let oldest = count % length;
                    let spells = |word: &[u8]| {
                        word[length - 1] == letter
                            && (0..length).all(|index| letters[(oldest + index) % length] == word[index])
                    };
                    if count >= length && (spells(&self.forwards) || spells(&self.backwards)) {
                        found.push(starts[oldest]..at + character.len_utf8());
                        count = 0;
                    }
                }
            });
        }
        found
    }
}

/// The letters and digits of a text in lower case, lookalikes folded and what is invisible left out; one space for anything
/// between them.
pub fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_ascii_alphanumeric() {
            let letter = if character.is_ascii_alphabetic() { class_of(character as u8) } else { character as u8 };
            plain.push(char::from(letter.to_ascii_lowercase()));
        } else if is_invisible(character) || is_combining_mark(character) {
            // It does not end the word.
        } else if character.is_ascii() || character.is_whitespace() {
            end_word(&mut plain);
        } else {
            fold(character, Reading::Strict, |folded| match folded {
                Folded::Letter(letter) => plain.push(char::from(letter.to_ascii_lowercase())),
                Folded::Gap => end_word(&mut plain),
                Folded::Other => plain.extend(std::iter::once(character).nfkc().flat_map(char::to_lowercase)),
            });
        }
    }
    plain
}

fn end_word(plain: &mut String) {
    if !plain.ends_with(' ') {
        plain.push(' ');
    }
}

/// The ASCII character that this one looks like: `＜` and `‹` are `<`. The character itself if it looks like none.
pub fn ascii_of(character: char) -> char {
    if character.is_ascii() {
        return character;
    }
    if let '‹' | '\u{2329}' | '\u{3008}' | '⟨' | '❮' | '❬' | '❰' | '⧼' | '≺' | '𝈶' | 'ᐸ' = character
    {
        return '<';
    }
    let only_ascii = |mut characters: Box<dyn Iterator<Item = char>>| match (characters.next(), characters.next()) {
        (Some(only), None) if only.is_ascii() => Some(only),
        _ => None,
    };
    only_ascii(Box::new(std::iter::once(character).nfkc()))
        .or_else(|| only_ascii(Box::new(prototype(character))))
        .unwrap_or(character)
}

/// True for characters that show nothing or only change how others are shown.
pub fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
        || (character.is_control() && !character.is_whitespace())
}

fn fold(character: char, reading: Reading, mut each: impl FnMut(Folded)) {
    if character.is_ascii() {
        return each(fold_ascii(character as u8, reading));
    }
    if let Some(tagged) = tagged_ascii(character) {
        return each(match reading {
            Reading::Strict => Folded::Gap,
            Reading::Loose => fold_ascii(tagged, Reading::Strict),
        });
    }
    let named = LETTERS.get(&character);
    if is_combining_mark(character) {
        // A small letter above another one may be meant as an accent or as a letter.
        let letter = named.filter(|_| reading == Reading::Loose);
        return each(letter.map_or(Folded::Gap, |letter| Folded::Letter(class_of(*letter))));
    }
    if let Some(letter) = named {
        return each(Folded::Letter(class_of(*letter)));
    }
    if is_invisible(character) || character.is_whitespace() {
        return each(Folded::Gap);
    }
    if let Some(letter) = enclosed_letter(character) {
        return each(Folded::Letter(class_of(letter)));
    }
    for part in std::iter::once(character).nfkd() {
        if part.is_ascii() {
            each(fold_ascii(part as u8, reading));
        } else if !is_combining_mark(part) {
            fold_part(part, reading, &mut each);
        }
    }
}

/// A character without a compatibility decomposition.
fn fold_part(part: char, reading: Reading, each: &mut impl FnMut(Folded)) {
    if let Some(letter) = LETTERS.get(&part) {
        return each(Folded::Letter(class_of(*letter)));
    }
    // Some letters are in the tables in the other case only.
    let cases = std::iter::once(part).chain(part.to_uppercase()).chain(part.to_lowercase());
    for case in cases {
        let likes: Vec<char> = prototype(case).filter(|c| !is_combining_mark(*c)).collect();
        if !likes.is_empty() && likes.iter().all(char::is_ascii) {
            return likes.iter().for_each(|like| each(fold_ascii(*like as u8, reading)));
        }
        // "ɫ" is an l and a stroke.
        if let Some(like) = likes.first().filter(|like| like.is_ascii_alphabetic()) {
            return each(Folded::Letter(class_of(*like as u8)));
        }
    }
    each(if part.is_alphanumeric() { Folded::Other } else { Folded::Gap });
}

/// What UTS 39 says that a character is confused with.
fn prototype(character: char) -> impl Iterator<Item = char> {
    let mut buffer = [0; 4];
    unicode_security::skeleton(character.encode_utf8(&mut buffer)).collect::<Vec<_>>().into_iter()
}

fn fold_ascii(byte: u8, reading: Reading) -> Folded {
    match byte {
        _ if byte.is_ascii_alphabetic() => Folded::Letter(class_of(byte)),
        _ if reading == Reading::Strict => match byte.is_ascii_digit() {
            true => Folded::Other,
            false => Folded::Gap,
        },
        b'0' => Folded::Letter(b'O'),
        b'1' | b'|' | b'!' => Folded::Letter(b'L'),
        b'3' => Folded::Letter(b'E'),
        b'4' | b'@' => Folded::Letter(b'A'),
        b'5' | b'$' => Folded::Letter(b'S'),
        b'7' | b'+' => Folded::Letter(b'T'),
        b'(' => Folded::Letter(b'C'),
        _ if byte.is_ascii_digit() => Folded::Other,
        _ => Folded::Gap,
    }
}

/// `I` and `l` look the same.
fn class_of(letter: u8) -> u8 {
    match letter.to_ascii_uppercase() {
        b'I' => b'L',
        letter => letter,
    }
}

/// The ASCII character that a tag character (U+E0020 to U+E007E) stands for.
pub fn tagged_ascii(character: char) -> Option<u8> {
    let code = u32::from(character);
    (0xe0020..=0xe007e).contains(&code).then(|| u8::try_from(code - 0xe0000).unwrap_or_default())
}

/// Letters in black circles and squares, and regional indicators: none has a decomposition.
fn enclosed_letter(character: char) -> Option<u8> {
    let code = u32::from(character);
    [0x1f150, 0x1f170, 0x1f1e6].into_iter().find_map(|first| {
        let index = code.checked_sub(first).filter(|index| *index < 26)?;
        Some(b'A' + u8::try_from(index).ok()?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const WORDS: &str = "UNTRUSTED EXTERNAL CONTENT";

    fn finds(text: &str) -> bool {
        !Words::new(WORDS).find(text).is_empty()
    }

    #[test]
    fn every_character_that_unicode_names_after_the_letter_counts_as_it() {
        let mut missed = String::new();
        for line in NAMED.lines() {
            let (letter, codes) = line.split_once(' ').unwrap();
            for code in codes.split(' ') {
                let like = char::from_u32(u32::from_str_radix(code, 16).unwrap()).unwrap();
                if !finds(&WORDS.replacen(letter, &like.to_string(), 1)) {
                    missed.push_str(&format!("{letter} {like} U+{code}\n"));
                }
            }
        }
        assert!(missed.is_empty(), "{missed}");
    }

    #[test]
    fn nothing_that_can_stand_between_letters_unseen_hides_a_word() {
        let words = Words::new(WORDS);
        for code in 0..=0x0010_ffff_u32 {
            let Some(between) = char::from_u32(code) else { continue };
            if is_invisible(between) || between.is_whitespace() || is_combining_mark(between) {
                let text = format!("UNTR{between}USTED {between}EXTERNAL{between} CONTENT");
                let found = words.find(&text);
                assert!(matches!(found.as_slice(), [all] if *all == (0..text.len())), "U+{code:X}: {found:?}");
            }
        }
    }

    #[test]
    fn spellings_that_a_reader_takes_for_the_words_are_found() {
        let tags: String = WORDS.chars().map(|c| char::from_u32(0xe0000 + u32::from(c)).unwrap()).collect();
        let vertical = WORDS.chars().map(|c| format!("{c}\n")).collect::<String>();
        let backwards = format!("\u{202e}{}", WORDS.chars().rev().collect::<String>());
        for text in [
            "untrusted external content",
            "UNTRUSTED\u{34f} EXTER\u{61c}NAL \u{180e}CON\u{202a}TENT\u{2066}",
            "U\u{e0041}NTRUSTED EXTERNAL CONTENT",
            "ＵＮＴＲＵＳＴＥＤ　ＥＸＴＥＲＮＡＬ　ＣＯＮＴＥＮＴ",
            "UNTRUSTЕD ЕХТЕRNАL СОNТЕNТ",
            "υητrυѕтεd εχτεrναl cοητεητ",
            "UNTЯUSTΣD ΣXTΣЯИΛ£ CФNTENT".replace('Ф', "ο").as_str(),
            "🅄🄽🅃🅁🅄🅂🅃🄴🄳 🅔🅧🅣🅔🅡🅝🅐🅛 🇨 🇴 🇳 🇹 🇪 🇳 🇹",
            "ᴜɴᴛʀᴜꜱᴛᴇᴅ ᴇxᴛᴇʀɴᴀʟ ᴄᴏɴᴛᴇɴᴛ",
            "𝓊𝓃𝓉𝓇𝓊𝓈𝓉ℯ𝒹 𝕖𝕩𝕥𝕖𝕣𝕟𝕒𝕝 𝔠𝔬𝔫𝔱𝔢𝔫𝔱",
            "Ůñţřůšţěđ ëẋţëŕñàł çöñţëñţ",
            "UN-TRUSTED_EXTERNAL.CONTENT",
            "U N T R U S T E D / E X T E R N A L / C O N T E N T",
            "UNTRU5TED 3XT3RNA1 C0NT3NT",
            "UNTRUSTED EXTERNA| CONTENT",
            "| UNTRUSTED | EXTERNAL | CONTENT |",
            "UNTRUSTED EXTERNAI CONTENT",
            &tags,
            &vertical,
            &backwards,
        ] {
            assert!(finds(text), "{text}");
        }
        for text in ["untrusted external things", "external content, untrusted", "UNTRUSTED 9 EXTERNAL CONTENT", ""] {
            assert!(!finds(text), "{text}");
        }
    }

    #[test]
    fn each_occurrence_is_found_where_it_stands() {
        let text = format!("ä {WORDS} ö {WORDS}{WORDS}");
        let found = Words::new(WORDS).find(&text);
        assert_eq!(found.len(), 3);
        assert!(found.iter().all(|range| &text[range.clone()] == WORDS), "{found:?}");
        assert_eq!(ascii_of('＜'), '<');
        assert_eq!(ascii_of('‹'), '<');
        assert_eq!(ascii_of('ä'), 'ä');
    }

    proptest! {
        #[test]
        fn ranges_are_of_whole_characters_in_any_text(text in any::<String>()) {
            let mut before = 0;
            for range in Words::new("AB").find(&text) {
                prop_assert!(range.start >= before && range.start < range.end);
                prop_assert!(text.get(range.clone()).is_some());
                before = range.end;
            }
        }
    }
}
