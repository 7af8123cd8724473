//! Folds characters to the Latin letters that they look like.
//!
//! Owns the tables: Unicode's NFKC and names, the confusables of UTS 39, and a few more.

use std::collections::HashMap;
use std::sync::LazyLock;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The contribution of a character to a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Folded {
    Letter(u8),
    /// Spaces, punctuation, accents and invisible characters, which a reader skips.
    Gap,
    /// A letter or digit that is not Latin. It ends the word.
    Other,
}

/// How much a character may differ from the letter that it is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    Strict,
    /// Digits and strokes count as the letters that they resemble, and tag characters as the letters that they are
    /// named after.
    Loose,
}

/// Non-ASCII characters that Unicode names after a Latin letter, grouped by that letter.
pub(super) const NAMED: &str = include_str!("latin_letters.txt");

/// The characters that UTS 39 takes for ASCII text, with or without marks, grouped by that text: `72+6E 6D` for `m`, which
/// looks like `rn`. A text and not a table of pointers, which each start of the program would have to relocate.
pub(super) const LOOKS: &str = include_str!("ascii_looks.txt");

/// Letters of other scripts and symbols that are read as a Latin letter but that UTS 39 does not fold to it.
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

/// Maps each character of [`NAMED`] and [`MORE`] to its letter.
static LETTERS: LazyLock<HashMap<char, u8>> = LazyLock::new(|| {
    let named = NAMED.lines().filter_map(|line| line.split_once(' ')).flat_map(|(letter, codes)| {
        let letter = letter.bytes().next().unwrap_or_default();
        codes.split(' ').filter_map(character_of).map(move |character| (character, letter))
    });
    named.chain(MORE).collect()
});

/// The characters of [`LOOKS`] in order, each with the code points that it looks like.
static BY_CHARACTER: LazyLock<Vec<(char, &'static str)>> = LazyLock::new(|| {
    let lines = LOOKS.lines().filter_map(|line| line.split_once(' '));
    let mut all: Vec<_> = lines
        .flat_map(|(looks, codes)| codes.split(' ').filter_map(character_of).map(move |one| (one, looks)))
        .collect();
    all.sort_unstable();
    all
});

fn character_of(code: &str) -> Option<char> {
    char::from_u32(u32::from_str_radix(code, 16).ok()?)
}

/// Returns the ASCII character that this one looks like (`＜` and `‹` become `<`), or the character itself if there is
/// none.
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

/// Returns whether a character shows nothing or only changes how others are shown.
pub fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
        || (character.is_control() && !character.is_whitespace())
}

pub(super) fn fold(character: char, reading: Reading, mut each: impl FnMut(Folded)) {
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
        // A combining small letter may be meant as an accent or as a letter.
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

/// Folds a character that has no compatibility decomposition.
fn fold_part(part: char, reading: Reading, each: &mut impl FnMut(Folded)) {
    if let Some(letter) = LETTERS.get(&part) {
        return each(Folded::Letter(class_of(*letter)));
    }
    // The tables have some letters in the other case only.
    let cases = std::iter::once(part).chain(part.to_uppercase()).chain(part.to_lowercase());
    for case in cases {
        let likes: Vec<char> = prototype(case).filter(|c| !is_combining_mark(*c)).collect();
        if !likes.is_empty() && likes.iter().all(char::is_ascii) {
            return likes.iter().for_each(|like| each(fold_ascii(*like as u8, reading)));
        }
        // "ɫ" decomposes into an l and a stroke.
        if let Some(like) = likes.first().filter(|like| like.is_ascii_alphabetic()) {
            return each(Folded::Letter(class_of(*like as u8)));
        }
    }
    each(if part.is_alphanumeric() { Folded::Other } else { Folded::Gap });
}

/// Returns the prototype that UTS 39 gives for a character, if that is ASCII; else the character, decomposed.
pub(super) fn prototype(character: char) -> impl Iterator<Item = char> {
    std::iter::once(character).nfd().flat_map(|part| {
        let found = BY_CHARACTER.binary_search_by_key(&part, |(one, _)| *one).ok();
        let looks = found.and_then(|at| BY_CHARACTER.get(at)).map_or("", |(_, looks)| looks);
        let itself = Some(part).filter(|_| looks.is_empty());
        looks.split('+').filter_map(character_of).chain(itself)
    })
}

pub(super) fn fold_ascii(byte: u8, reading: Reading) -> Folded {
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

/// Returns the class of a letter: `I` and `l` look the same.
pub(super) fn class_of(letter: u8) -> u8 {
    match letter.to_ascii_uppercase() {
        b'I' => b'L',
        letter => letter,
    }
}

/// Returns the ASCII character that a tag character (U+E0020 to U+E007E) stands for.
pub fn tagged_ascii(character: char) -> Option<u8> {
    let code = u32::from(character);
    (0xe0020..=0xe007e).contains(&code).then(|| u8::try_from(code - 0xe0000).unwrap_or_default())
}

/// Returns the letter of a character in a black circle or square, or of a regional indicator. These have no
/// decomposition.
fn enclosed_letter(character: char) -> Option<u8> {
    let code = u32::from(character);
    [0x1f150, 0x1f170, 0x1f1e6].into_iter().find_map(|first| {
        let index = code.checked_sub(first).filter(|index| *index < 26)?;
        Some(b'A' + u8::try_from(index).ok()?)
    })
}
