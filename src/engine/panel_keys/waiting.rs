//! Keys that wait to be confirmed, and the codes by which a person says which one is meant. Pure.
//!
//! A code is random and stands for one key: it is not made from the key, since a program could then search for a key that has
//! the code of another browser. After a few wrong tries every code is another one.

use crate::base::fingerprint::Fingerprint;
use crate::protocol::chat::Millis;

/// More wait only if a program makes keys; past it those that are not connected go first.
const MOST: usize = 32;
/// So many wrong codes may be typed before all codes are replaced.
const MOST_WRONG: u32 = 5;
/// Letters of a code: no vowels, so that it reads as no word, and none that looks like another.
const LETTERS: &[u8] = b"BCDFGHJKMNPQRSTVWXZ";
const LENGTH: usize = 6;

/// A key that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub key: Fingerprint,
    pub code: String,
    pub browser: String,
    pub since: Millis,
}

/// Why a typed code confirms nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// No key has this code.
    NoSuchCode,
    /// The same, and every code is another one now.
    Replaced,
}

/// All keys that wait.
#[derive(Debug, Default)]
pub struct Waiting {
    entries: Vec<Entry>,
    wrong: u32,
}

impl Waiting {
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The code of a key; made where it has none. `None` if as many connected keys wait as may.
    pub fn code_of(
        &mut self,
        key: &Fingerprint,
        browser: &str,
        now: Millis,
        is_connected: impl Fn(&Fingerprint) -> bool,
    ) -> Option<String> {
        if let Some(entry) = self.entries.iter().find(|entry| entry.key == *key) {
            return Some(entry.code.clone());
        }
        if self.entries.len() >= MOST {
            let gone = self.entries.iter().position(|entry| !is_connected(&entry.key))?;
            self.entries.remove(gone);
        }
        let code = self.new_code();
        self.entries.push(Entry { key: key.clone(), code: code.clone(), browser: browser.to_owned(), since: now });
        Some(code)
    }

    /// The key that a person means with what they typed. It waits on until it is taken out.
    pub fn find(&mut self, typed: &str) -> Result<Entry, Wrong> {
        let typed: String = typed.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_uppercase();
        if let Some(entry) = self.entries.iter().find(|entry| entry.code == typed) {
            self.wrong = 0;
            return Ok(entry.clone());
        }
        self.wrong += 1;
        if self.wrong < MOST_WRONG {
            return Err(Wrong::NoSuchCode);
        }
        self.wrong = 0;
        for at in 0..self.entries.len() {
            self.entries[at].code = self.new_code();
        }
        Err(Wrong::Replaced)
    }

    pub fn remove(&mut self, key: &Fingerprint) {
        self.entries.retain(|entry| entry.key != *key);
    }

    fn new_code(&self) -> String {
        loop {
            // 256 is not a multiple of the number of letters; what is past the last multiple is left out.
            let even = 256 - 256 % LETTERS.len();
            let bytes = std::iter::repeat_with(rand::random::<u8>).filter(|byte| usize::from(*byte) < even);
            let letters = bytes.take(LENGTH).map(|byte| char::from(LETTERS[usize::from(byte) % LETTERS.len()]));
            let code: String = letters.collect();
            if !self.entries.iter().any(|entry| entry.code == code) {
                return code;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_keys::key;
    use super::*;

    #[test]
    fn a_key_keeps_its_code_and_is_found_by_it_however_it_is_typed() {
        let mut waiting = Waiting::default();
        let code = waiting.code_of(&key(1), "Chrome", 1, |_| true).unwrap();
        assert_eq!(waiting.code_of(&key(1), "Chrome", 2, |_| true).unwrap(), code, "it connects again");
        let other = waiting.code_of(&key(2), "Chrome", 1, |_| true).unwrap();
        assert!(code != other && code.len() == LENGTH && code.bytes().all(|letter| LETTERS.contains(&letter)));
        let typed = format!(" {}-{} ", &code[..3].to_lowercase(), &code[3..]);
        assert_eq!(waiting.find(&typed).unwrap().key, key(1));
        waiting.remove(&key(1));
        assert_eq!(waiting.find(&code), Err(Wrong::NoSuchCode));
    }

    #[test]
    fn a_few_wrong_codes_replace_them_all() {
        let mut waiting = Waiting::default();
        let code = waiting.code_of(&key(1), "Chrome", 1, |_| true).unwrap();
        for wrong in ["", "AAAAAA", "BBBBBBB"] {
            assert_eq!(waiting.find(wrong), Err(Wrong::NoSuchCode));
        }
        assert!(waiting.find(&code).is_ok(), "a right one begins the count again");
        for _ in 1..MOST_WRONG {
            assert_eq!(waiting.find("AAAAAA"), Err(Wrong::NoSuchCode));
        }
        assert_eq!(waiting.find("AAAAAA"), Err(Wrong::Replaced));
        assert_eq!(waiting.find(&code), Err(Wrong::NoSuchCode), "the guessed code is gone");
        let code = waiting.code_of(&key(1), "Chrome", 1, |_| true).unwrap();
        assert_eq!(waiting.find(&code).unwrap().key, key(1));
    }

    #[test]
    fn a_flood_of_keys_pushes_out_no_connected_one() {
        let mut waiting = Waiting::default();
        let code = waiting.code_of(&key(0), "mine", 0, |_| true).unwrap();
        for number in 1..MOST {
            assert!(waiting.code_of(&key(number), "flood", 0, |_| true).is_some());
        }
        assert_eq!(waiting.code_of(&key(MOST), "flood", 0, |_| true), None);
        assert!(waiting.code_of(&key(MOST), "flood", 0, |known| *known == key(0)).is_some());
        assert_eq!((waiting.entries().len(), waiting.find(&code).unwrap().key), (MOST, key(0)));
    }
}
