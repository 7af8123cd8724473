//! The fingerprint of a public key, which identifies a browser that has proven its key.
//!
//! Owns its format. Never checks a proof.

use super::hex;
use serde::{Deserialize, Serialize};

/// The number of digits of a fingerprint that are shown to people.
const SHORT: usize = 12;

/// The SHA-256 hash of a key's uncompressed point, in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Fingerprint(String);

impl Fingerprint {
    pub fn of(point: &[u8]) -> Self {
        Self(hex::sha256(point))
    }

    /// Returns the short form that is shown to people.
    pub fn id(&self) -> &str {
        self.0.get(..SHORT).unwrap_or(&self.0)
    }
}

impl TryFrom<String> for Fingerprint {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let is_hexadecimal = text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
        if text.len() == 64 && is_hexadecimal { Ok(Self(text)) } else { Err("not a fingerprint") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_is_read_only_as_it_is_written() {
        let known = Fingerprint::of(b"a point");
        let text = serde_json::to_string(&known).unwrap();
        assert_eq!(serde_json::from_str::<Fingerprint>(&text).unwrap(), known);
        for wrong in ["\"\"", "\"zz\"", &text.to_uppercase(), "7"] {
            assert!(serde_json::from_str::<Fingerprint>(wrong).is_err(), "{wrong}");
        }
        assert_eq!(known.id().len(), SHORT);
    }
}
