//! Keys that wait to be confirmed, and the codes with which a person identifies one. Pure.
//!
//! A code is random and belongs to one key. It is not derived from the key, because a program could then search for a
//! key with the code of another browser. After several wrong attempts every code is replaced.

use gstack_base::fingerprint::Fingerprint;
use gstack_protocol::chat::Millis;

/// More keys wait only if a program generates them. Above the limit the disconnected ones are removed first.
const MOST: usize = 32;
/// All codes are replaced after this many wrong attempts.
const MOST_WRONG: u32 = 5;
/// The letters of a code: no vowels, so that it does not spell a word, and none that looks like another.
const LETTERS: &[u8] = b"BCDFGHJKMNPQRSTVWXZ";
const LENGTH: usize = 6;

/// A key that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub key: Fingerprint,
    pub code: String,
    pub browser: String,
    pub since: Millis,
}

/// Why a typed code confirms no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wrong {
    /// No key has this code.
    NoSuchCode,
    /// No key had this code, and all codes have been replaced.
    Replaced,
}

/// All keys that wait.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    entries: Vec<Entry>,
    wrong: u32,
}

impl Waiting {
    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the code of a key, and creates it if the key has none. `None` if the limit of connected waiting keys is
    /// reached.
    pub(super) fn code_of(
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

    /// Returns the key that matches the typed code. It keeps waiting until it is removed.
    pub(super) fn find(&mut self, typed: &str) -> Result<Entry, Wrong> {
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

    pub(super) fn remove(&mut self, key: &Fingerprint) {
        self.entries.retain(|entry| entry.key != *key);
    }

    fn new_code(&self) -> String {
        loop {
            // 256 is not a multiple of the number of letters: skip the bytes above the last multiple to avoid bias.
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
