//! Proofs of a shared secret that do not reveal it: HMAC-SHA-256 over a challenge.
//!
//! Owns keys, nonces and proofs. A key is created here, is stored in a file of mode 0600 in gstack's home, and never
//! crosses a socket on which it is proven.

use super::atomic;
use super::hex::hexadecimal;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::fmt;
use std::io;
use std::path::Path;

/// A secret of 32 random bytes, written in hexadecimal.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    pub fn random() -> Self {
        Self(hexadecimal(&rand::random::<[u8; 32]>()))
    }

    /// Parses a key from text; `None` if the text is not a key.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_key = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_key.then(|| Self(text.to_owned()))
    }

    pub fn read(path: &Path) -> io::Result<Self> {
        let text = std::fs::read_to_string(path)?;
        Self::parse(&text).ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "it holds no key"))
    }

    /// Replaces the key file atomically; mode 0600.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        atomic::write(path, self.0.as_bytes())
    }

    /// Returns the proof of the key for this purpose. All `parts` but the last must not contain a line break.
    pub fn proof(&self, purpose: &str, parts: &[&str]) -> String {
        hexadecimal(&self.code(purpose, parts).finalize().into_bytes())
    }

    /// Returns whether `proof` is valid. Compares in constant time.
    pub fn accepts(&self, purpose: &str, parts: &[&str], proof: &str) -> bool {
        bytes(proof).is_some_and(|proof| self.code(purpose, parts).verify_slice(&proof).is_ok())
    }

    #[allow(clippy::expect_used, reason = "an invariant that the line states")]
    fn code(&self, purpose: &str, parts: &[&str]) -> Hmac<Sha256> {
        let mut code = Hmac::<Sha256>::new_from_slice(self.0.as_bytes()).expect("HMAC takes keys of every length");
        code.update(purpose.as_bytes());
        for part in parts {
            code.update(b"\n");
            code.update(part.as_bytes());
        }
        code
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Key(…)")
    }
}

/// Returns 16 random bytes in hexadecimal, unique to a connection.
pub fn nonce() -> String {
    hexadecimal(&rand::random::<[u8; 16]>())
}

fn bytes(hexadecimal: &str) -> Option<Vec<u8>> {
    let digits = hexadecimal.as_bytes().chunks(2);
    digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_holds_for_one_key_purpose_and_challenge() {
        let (key, other) = (Key::random(), Key::random());
        let proof = key.proof("stop", &["challenge", "nonce"]);
        assert!(key.accepts("stop", &["challenge", "nonce"], &proof));
        for (key, purpose, parts) in [
            (&other, "stop", ["challenge", "nonce"]),
            (&key, "attach", ["challenge", "nonce"]),
            (&key, "stop", ["another", "nonce"]),
            (&key, "stop", ["challenge", "another"]),
        ] {
            assert!(!key.accepts(purpose, &parts, &proof), "{purpose} {parts:?}");
        }
        for wrong in ["", "zz", &proof[1..], &proof[2..], &format!("{proof}00"), "ä"] {
            assert!(!key.accepts("stop", &["challenge", "nonce"], wrong), "{wrong}");
        }
        assert_eq!(format!("{key:?}"), "Key(…)");
    }

    #[test]
    fn it_is_the_code_of_rfc_4231() {
        // Test case 2 has the key "Jefe"; ours are longer, the algorithm is the same.
        let code = Key("Jefe".to_owned()).proof("what do ya want for nothing?", &[]);
        assert_eq!(code, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    }

    #[test]
    fn a_key_lies_in_a_file_for_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let key = Key::random();
        key.write(&path).unwrap();
        assert_eq!(Key::read(&path).unwrap(), key);
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        std::fs::write(&path, "short").unwrap();
        assert!(Key::read(&path).is_err());
    }
}
