//! Finds words in a text however they are spelled: with letters that look the same, with invisible characters between
//! them, in any case, spacing, punctuation or accents, or backwards.
//!
//! Owns the search. `fold` reads the characters. Knows no particular words and never changes a text.

mod fold;

pub use fold::{ascii_of, is_invisible, tagged_ascii};

use fold::{Folded, Reading, class_of, fold, fold_ascii};
use std::ops::Range;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Words to search for, reduced to ASCII letters.
#[derive(Debug)]
pub struct Words {
    forwards: Vec<u8>,
    backwards: Vec<u8>,
    /// The letter of the words that is rarest in texts.
    rarest: u8,
}

/// From rare to frequent, in languages with the Latin alphabet.
const BY_FREQUENCY: &[u8] = b"QXJZWYKVFGBHPMDUCOTRSNALE";

impl Words {
    /// Prepares a search. `words` needs at least one ASCII letter; all other characters are dropped.
    pub fn new(words: &str) -> Self {
        let forwards: Vec<u8> = words.bytes().filter(u8::is_ascii_alphabetic).map(class_of).collect();
        let rarest = BY_FREQUENCY.iter().copied().find(|letter| forwards.contains(letter)).unwrap_or_default();
        Self { backwards: forwards.iter().rev().copied().collect(), forwards, rarest }
    }

    /// Returns the ranges of `text` that read as the words, in order and without overlap.
    pub fn find(&self, text: &str) -> Vec<Range<usize>> {
        if !self.may_be_in(text) {
            return Vec::new();
        }
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

    /// Returns false only if nothing in the text reads as the words. Checks the letters around each occurrence of the
    /// rarest letter, so most texts take one fast pass.
    fn may_be_in(&self, text: &str) -> bool {
        let Some(place) = self.forwards.iter().position(|letter| *letter == self.rarest) else { return false };
        // Several positions in the words could match here.
        if self.forwards.iter().filter(|letter| **letter == self.rarest).count() > 1 {
            return true;
        }
        let readings = |byte: u8| [fold_ascii(byte, Reading::Strict), fold_ascii(byte, Reading::Loose)];
        let is_rarest = Folded::Letter(self.rarest);
        let stops: [bool; 256] = std::array::from_fn(|code| {
            let byte = u8::try_from(code).unwrap_or_default();
            !byte.is_ascii() || readings(byte).contains(&is_rarest)
        });
        let bytes = text.as_bytes();
        let length = self.forwards.len();
        // Compares the letters from here with `wanted`: false at the first one that does not match in any reading.
        let agrees = |rest: &mut dyn Iterator<Item = &u8>, wanted: &mut dyn Iterator<Item = &u8>| {
            for letter in wanted {
                loop {
                    let Some(byte) = rest.next() else { return false };
                    if !byte.is_ascii() {
                        return true;
                    }
                    match readings(*byte) {
                        [Folded::Gap, Folded::Gap] => {}
                        [Folded::Letter(one), Folded::Letter(_)] if one == *letter => break,
                        [Folded::Letter(_), Folded::Letter(_)] | [Folded::Other, Folded::Other] => return false,
                        // Its two readings differ: leave it to the full search.
                        _ => return true,
                    }
                }
            }
            true
        };
        let mut from = 0;
        while let Some(found) =
            bytes.get(from..).and_then(|rest| rest.iter().position(|byte| stops[usize::from(*byte)]))
        {
            let at = from + found;
            let byte = bytes[at];
            let width = if byte.is_ascii() {
                1
            } else {
                let Some(character) = text[at..].chars().next() else { return true };
                let mut is_part = false;
                for reading in [Reading::Strict, Reading::Loose] {
                    fold(character, reading, |folded| is_part |= folded == is_rarest);
                }
                if is_part {
                    return true;
                }
                character.len_utf8()
            };
            if width == 1 {
                let (before, after) = (&bytes[..at], &bytes[at + 1..]);
                let spells = |word: &[u8], place: usize| {
                    agrees(&mut before.iter().rev(), &mut word[..place].iter().rev())
                        && agrees(&mut after.iter(), &mut word[place + 1..].iter())
                };
                if spells(&self.forwards, place) || spells(&self.backwards, length - 1 - place) {
                    return true;
                }
            }
            from = at + width;
        }
        false
    }

    fn search(&self, text: &str, reading: Reading) -> Vec<Range<usize>> {
        let length = self.forwards.len();
        let mut found = Vec::new();
        if length == 0 {
            return found;
        }
        // A ring of the newest letters and their offsets, oldest first from `count % length`.
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

/// Returns the letters and digits of a text in lower case, with lookalikes folded and invisible characters removed.
/// Anything between them becomes one space.
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

#[cfg(test)]
mod tests {
    use super::fold::{LOOKS, NAMED, prototype};
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

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

    /// Returns what `fold` reads in a prototype: its ASCII characters, or the first one if others follow, and whether it
    /// is a single character. `None` if it does not begin with ASCII.
    fn read(looks: &[char]) -> Option<(Vec<char>, bool)> {
        let mut letters: Vec<char> = looks.iter().copied().filter(|one| !is_combining_mark(*one)).collect();
        letters.first().filter(|first| first.is_ascii())?;
        if !letters.iter().all(char::is_ascii) {
            letters.truncate(1);
        }
        Some((letters, looks.len() == 1))
    }

    /// `GSTACK_BLESS=1` writes the table.
    #[test]
    fn every_character_that_uts_39_takes_for_ascii_is_in_the_table() {
        let (mut wanted, mut wrong) = (BTreeMap::<Vec<char>, Vec<char>>::new(), Vec::new());
        for character in (0..=0x0010_ffff_u32).filter_map(char::from_u32) {
            let looks: Vec<char> = unicode_security::skeleton(character.encode_utf8(&mut [0; 4])).collect();
            if read(&looks).is_some() && looks != [character] && std::iter::once(character).nfd().eq([character]) {
                wanted.entry(looks.clone()).or_default().push(character);
            }
            let found: Vec<char> = prototype(character).collect();
            // Signs in ASCII are read as they are.
            if read(&found) != read(&looks) && (!character.is_ascii() || character.is_alphabetic()) {
                wrong.push(character);
            }
        }
        let code = |one: &char| format!("{:X}", u32::from(*one));
        let codes = |all: &[char], between: &str| all.iter().map(code).collect::<Vec<_>>().join(between);
        let table: String =
            wanted.iter().map(|(looks, all)| format!("{} {}\n", codes(looks, "+"), codes(all, " "))).collect();
        if std::env::var_os("GSTACK_BLESS").is_some() {
            std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/lookalike/ascii_looks.txt"), table).unwrap();
        } else {
            assert!(LOOKS == table && wrong.is_empty(), "GSTACK_BLESS=1 writes the table; {wrong:?}");
        }
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
        /// The fast pass around the rarest letter must not miss what the full search finds.
        #[test]
        fn words_are_not_passed_over(text in "[exta37+ \\-9é×|нq]{0,24}", whole in "[UNTRSEDXALCO 3750|(x.ехт-]{20,60}", word in "[etx]{1,4}") {
            for (words, text) in [(&word, &text), (&word, &whole)] {
                let words = Words::new(words);
                let found = [Reading::Strict, Reading::Loose].map(|reading| words.search(text, reading)).concat();
                prop_assert_eq!(words.find(text).is_empty(), found.is_empty(), "{:?}", text);
            }
            let marked = format!("{text}{WORDS}{whole}");
            prop_assert!(finds(&marked), "{}", marked);
        }

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
