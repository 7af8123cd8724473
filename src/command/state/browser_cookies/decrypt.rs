//! Decryption of cookie values.
//!
//! Owns the formats `v10` and `v11` of Linux and `v10` of macOS: AES-128 in CBC mode, with a key derived from a
//! password. Source: Chromium, components/os_crypt/sync/os_crypt_linux.cc and os_crypt_mac.mm; since database version
//! 24 the value begins with the SHA-256 of its host (net/extras/sqlite/sqlite_persistent_cookie_store.cc).

use super::database::StoredCookie;
use aes::Aes128;
use cbc::Decryptor;
use cbc::cipher::block_padding::Pkcs7;
use cbc::cipher::{BlockModeDecrypt, KeyIvInit};
use pbkdf2::pbkdf2_hmac;
use sha1::Sha1;
use sha2::{Digest, Sha256};

const SALT: &[u8] = b"saltysalt";
const VECTOR: [u8; 16] = [b' '; 16];
/// The password on Linux without a keyring.
const FIXED: &[u8] = b"peanuts";
const PREFIX: usize = 3;
/// From this version on, the hash of the host precedes the value.
const HASHED_HOST: u32 = 24;
const HASH: usize = 32;

type Key = [u8; 16];

/// The candidate keys for each value format.
pub(super) struct Keys {
    fixed: Vec<Key>,
    of_keyring: Vec<Key>,
}

impl Keys {
    /// Derives the keys. `passwords`: the keyring's entries for the browser.
    pub(super) fn new(passwords: &[impl AsRef<[u8]>]) -> Self {
        if cfg!(target_os = "macos") {
            return Self { fixed: derived(passwords, 1003), of_keyring: Vec::new() };
        }
        // Some browsers have used an empty password after a keyring error.
        Self { fixed: derived(&[FIXED, b""], 1), of_keyring: derived(passwords, 1) }
    }
}

fn derived(passwords: &[impl AsRef<[u8]>], rounds: u32) -> Vec<Key> {
    let key = |password| {
        let mut key = Key::default();
        pbkdf2_hmac::<Sha1>(AsRef::as_ref(password), SALT, rounds, &mut key);
        key
    };
    passwords.iter().map(key).collect()
}

pub(super) enum Decrypted {
    Value(String),
    /// No key fits, or the format is unknown.
    Not,
}

/// Decrypts a cookie of a database of this version.
pub(super) fn value(stored: &StoredCookie, version: u32, keys: &Keys) -> Decrypted {
    if stored.encrypted.is_empty() {
        return Decrypted::Value(stored.plain.clone());
    }
    let Some((form, secret)) = stored.encrypted.split_at_checked(PREFIX) else { return Decrypted::Not };
    let candidates = match form {
        b"v10" => &keys.fixed,
        b"v11" => &keys.of_keyring,
        _ => return Decrypted::Not,
    };
    let found = candidates.iter().find_map(|key| opened(secret, key, &stored.host, version));
    found.map_or(Decrypted::Not, Decrypted::Value)
}

fn opened(secret: &[u8], key: &Key, host: &str, version: u32) -> Option<String> {
    let mut buffer = secret.to_vec();
    let clear = Decryptor::<Aes128>::new(key.into(), &VECTOR.into()).decrypt_padded::<Pkcs7>(&mut buffer).ok()?;
    let value = if version >= HASHED_HOST {
        let (hash, value) = clear.split_at_checked(HASH)?;
        // A wrong key rarely produces valid padding, and never this hash.
        (hash == Sha256::digest(host.as_bytes()).as_slice()).then_some(value)?
    } else {
        clear
    };
    String::from_utf8(value.to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use super::super::database;
    use super::super::test_database::write;
    use super::*;
    use aes::cipher::BlockModeEncrypt;

    fn sealed(form: &str, password: &[u8], rounds: u32, clear: &[u8]) -> Vec<u8> {
        let mut key = Key::default();
        pbkdf2_hmac::<Sha1>(password, SALT, rounds, &mut key);
        let mut buffer = vec![0; clear.len() + 16];
        let encryptor = cbc::Encryptor::<Aes128>::new(&key.into(), &VECTOR.into());
        buffer[..clear.len()].copy_from_slice(clear);
        let secret = encryptor.encrypt_padded::<Pkcs7>(&mut buffer, clear.len()).unwrap();
        [form.as_bytes(), secret].concat()
    }

    fn hashed(host: &str, value: &str) -> Vec<u8> {
        [Sha256::digest(host.as_bytes()).as_slice(), value.as_bytes()].concat()
    }

    fn values(version: u32, rows: &[(&str, &str, &str, Vec<u8>)], keys: &Keys) -> Vec<Option<String>> {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("Cookies");
        drop(write(&file, version, rows));
        let stored = database::read(&file, place.path()).unwrap();
        let value = |one: &StoredCookie| match value(one, stored.version, keys) {
            Decrypted::Value(value) => Some(value),
            Decrypted::Not => None,
        };
        stored.cookies.iter().map(value).collect()
    }

    /// Created by another implementation, so that encryption and decryption cannot share an error.
    const KNOWN: [u8; 16] =
        [0xfd, 0x62, 0x1f, 0xe5, 0xa2, 0xb4, 0x02, 0x53, 0x9d, 0xfa, 0x14, 0x7c, 0xa9, 0x27, 0x27, 0x78];

    #[cfg(not(target_os = "macos"))]
    #[test]
    fn the_fixed_key_is_chromiums() {
        let keys = Keys::new(&[""; 0]);
        assert_eq!(keys.fixed[0], KNOWN);
    }

    #[cfg(not(target_os = "macos"))]
    #[test]
    fn values_of_both_forms_and_both_versions_are_read() {
        let keys = Keys::new(&[b"other".to_vec(), b"from the keyring".to_vec()]);
        let old = [
            ("a.example", "a", "", sealed("v10", FIXED, 1, "grün".as_bytes())),
            ("b.example", "b", "", sealed("v11", b"from the keyring", 1, b"")),
            ("c.example", "c", "plain", Vec::new()),
            ("d.example", "d", "", sealed("v11", b"unknown", 1, b"lost")),
            ("e.example", "e", "", b"v20whatever".to_vec()),
        ];
        let old = values(23, &old, &keys);
        assert_eq!(old[..3], [Some("grün".to_owned()), Some(String::new()), Some("plain".to_owned())]);
        assert_eq!(old[4], None);
        let new = [
            (".a.example", "a", "", sealed("v10", FIXED, 1, &hashed(".a.example", "one"))),
            ("b.example", "b", "", sealed("v11", b"from the keyring", 1, &hashed("b.example", "two"))),
            ("c.example", "c", "", sealed("v10", FIXED, 1, &hashed("elsewhere.example", "moved"))),
            ("d.example", "d", "", sealed("v11", b"unknown", 1, &hashed("d.example", "lost"))),
            ("e.example", "e", "", sealed("v10", b"", 1, &hashed("e.example", "empty"))),
        ];
        let expected = [Some("one"), Some("two"), None, None, Some("empty")];
        assert_eq!(values(24, &new, &keys), expected.map(|value| value.map(str::to_owned)));
    }

    #[cfg(target_os = "macos")]
    #[test]
    fn values_of_the_keychain_are_read() {
        let keys = Keys::new(&[b"secret".to_vec()]);
        let rows = [("a.example", "a", "", sealed("v10", b"secret", 1003, &hashed("a.example", "one")))];
        assert_eq!(values(24, &rows, &keys), [Some("one".to_owned())]);
    }
}
