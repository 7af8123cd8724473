//! Fingerprints that recognize a text when it occurs again, despite changes of case, spacing, punctuation or lookalike
//! letters.
//!
//! Owns what is hashed: five consecutive words, runs of letters, parts of keys, and numeric codes. Stores nothing.

use gstack_base::lookalike;
use std::hash::{DefaultHasher, Hash, Hasher};

/// This many equal consecutive words are not a coincidence.
const ROW: usize = 5;
/// This many equal consecutive letters and digits, ignoring separators, are not a coincidence.
const RUN: usize = 24;
/// A single word of this length is a key or an address.
const LONG_WORD: usize = 16;
/// A number with this many digits is a code.
const CODE: usize = 6;
/// Any odd number works. Windows use a rolling hash.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns the fingerprints to remember of a text that was read.
pub(super) fn of(text: &str) -> Vec<u64> {
    let plain = lookalike::plain(text);
    let words: Vec<&str> = plain.split_whitespace().collect();
    let mut marks = common(&plain, &words);
    for word in words.iter().filter(|word| word.chars().count() >= LONG_WORD) {
        windows(word.chars(), LONG_WORD, &mut marks);
    }
    marks
}

/// Returns the fingerprints to look for in an outgoing text. Unlike [`of`], finds a key even if it is split into parts.
pub(super) fn in_outgoing(text: &str) -> Vec<u64> {
    let plain = lookalike::plain(text);
    let words: Vec<&str> = plain.split_whitespace().collect();
    let mut marks = common(&plain, &words);
    windows(letters(&plain), LONG_WORD, &mut marks);
    marks
}

/// Returns the fingerprint of an address or another word as a whole.
pub(super) fn of_word(word: &str) -> u64 {
    hash_of(&("word", word))
}

/// Returns true if the text contains a code or more than `few` words, so that it may carry unrecognizable information.
pub(super) fn may_say_much(text: &str, few: usize) -> bool {
    let plain = lookalike::plain(text);
    letters(&plain).count() > few || plain.split_whitespace().any(|word| is_code(word, CODE - 2))
}

fn common(plain: &str, words: &[&str]) -> Vec<u64> {
    let mut marks: Vec<u64> = words.windows(ROW).map(|row| hash_of(&("row", row))).collect();
    marks.extend(words.iter().filter(|word| is_code(word, CODE)).map(|code| hash_of(&("code", *code))));
    windows(letters(plain), RUN, &mut marks);
    marks
}

fn letters(plain: &str) -> impl Iterator<Item = char> {
    plain.chars().filter(|letter| *letter != ' ')
}

fn is_code(word: &str, length: usize) -> bool {
    word.len() >= length && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Hashes each window of this length (Rabin–Karp).
fn windows(letters: impl Iterator<Item = char>, length: usize, marks: &mut Vec<u64>) {
    let first_weight = (1..length).fold(1_u64, |weight, _| weight.wrapping_mul(BASE));
    let mut window = vec![0_u64; length];
    let mut hash = 0_u64;
    for (at, letter) in letters.map(|letter| u64::from(u32::from(letter)) + 1).enumerate() {
        let oldest = std::mem::replace(&mut window[at % length], letter);
        hash = hash.wrapping_sub(oldest.wrapping_mul(first_weight)).wrapping_mul(BASE).wrapping_add(letter);
        if at + 1 >= length {
            // Mixed with the length, so that windows of different lengths never match.
            marks.push(hash_of(&(length, hash)));
        }
    }
}

fn hash_of<T: Hash>(value: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn recognised(read: &str, sent: &str) -> bool {
        let known: HashSet<u64> = of(read).into_iter().collect();
        in_outgoing(sent).iter().any(|mark| known.contains(mark))
    }

    #[test]
    fn a_text_is_recognised_however_it_is_spaced_spelled_or_cut() {
        let read =
            "Your recovery phrase is Correct horse, battery staple velvet moon. Key: ghpA1B2C3D4E5F6G7H8, code 483920.";
        for sent in [
            "correct horse battery staple velvet",
            "CORRECT-HORSE_BATTERY.STAPLE/VELVET",
            "correcthorsebatterystaplevelvetmoon",
            "c o r r e c t h o r s e b a t t e r y s t a p l e",
            "cor\u{200b}rect hor\u{34f}se bat\u{ad}tery sta\u{2060}ple vel\u{feff}vet",
            "соrrесt hоrsе bаttеrу stарlе vеlvеt",
            "ｃｏｒｒｅｃｔ ｈｏｒｓｅ ｂａｔｔｅｒｙ ｓｔａｐｌｅ ｖｅｌｖｅｔ",
            "x=ghpA1B2C3D4E5F6G7H8&y=1",
            "ghpA1B2C-3D4E5F6G7H8",
            "g h p A 1 B 2 C 3 D 4 E 5 F 6 G 7 H 8",
            "otp=483920",
        ] {
            assert!(recognised(read, sent), "{sent}");
        }
        for sent in ["correct horse battery", "a blue moon over velvet hills", "48392", "", "ghpA1B2C"] {
            assert!(!recognised(read, sent), "{sent}");
        }
    }

    #[test]
    fn windows_slide_over_each_place() {
        let mut slid = Vec::new();
        windows("abcdefgh".chars(), 4, &mut slid);
        let each: Vec<u64> = (0..5)
            .flat_map(|at| {
                let mut one = Vec::new();
                windows("abcdefgh"[at..at + 4].chars(), 4, &mut one);
                one
            })
            .collect();
        assert_eq!(slid, each);
    }
}
