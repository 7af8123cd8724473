//! Bytes in hexadecimal, and SHA-256 hashes in it.

use sha2::{Digest, Sha256};

/// Returns two lower-case digits for each byte.
pub fn hexadecimal(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from(b"0123456789abcdef"[usize::from(value & 15)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(*byte)]).collect()
}

/// Returns the SHA-256 of `bytes` in hexadecimal.
pub fn sha256(bytes: impl AsRef<[u8]>) -> String {
    hexadecimal(&Sha256::digest(bytes.as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_spelled_as_sha256sum_spells_it() {
        assert_eq!(hexadecimal(&[0, 0x0a, 0xa0, 0xff]), "000aa0ff");
        assert_eq!(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
