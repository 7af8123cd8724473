//! `sign-ins.json`: the saved sign-ins, encrypted as a whole.
//!
//! Owns the format: XChaCha20-Poly1305, with a key from the keyring or one derived from a passphrase by scrypt. Names,
//! origins and users are encrypted too, so that no origin can be exchanged. The file is replaced as a whole: whoever is
//! killed in the middle of it leaves the old one.

use super::error::SignInError;
use super::keyring::KeyringError;
use super::record::Record;
use crate::base::atomic;
use crate::protocol::secret_text::SecretText;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use serde::{Deserialize, Serialize};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

const VERSION: u32 = 1;
/// In bytes.
const LARGEST_FILE: u64 = 4 * 1024 * 1024;
const KEY_LENGTH: usize = 32;
const SALT_LENGTH: usize = 16;
const NONCE_LENGTH: usize = 24;
/// The cost of one guess: 32 MiB three times over, as OWASP recommends for scrypt.
const LOG_N: u8 = 15;
const BLOCK: u32 = 8;
const PARALLEL: u32 = 3;

/// The key of a file.
pub(super) type Key = Zeroizing<[u8; KEY_LENGTH]>;

/// Where a file's key is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum KeyPlace {
    Keyring,
    Passphrase,
}

/// A file that is not decrypted yet.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u32,
    key: KeyPlace,
    salt: String,
    nonce: String,
    sealed: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Content {
    sign_ins: Vec<Record>,
}

/// What is known of a file without its key.
#[derive(Clone, Debug)]
pub(super) struct Sealed {
    pub(super) place: KeyPlace,
    /// Names the key in the keyring, and is the salt of a passphrase. Hexadecimal.
    pub(super) salt: String,
    nonce: Vec<u8>,
    sealed: Vec<u8>,
}

/// Reads the file. Returns `None` if there is none.
pub(super) fn read(path: &Path) -> Result<Option<Sealed>, SignInError> {
    let not_read = |why: String| SignInError::NotRead { path: path.to_owned(), why };
    let file = match std::fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(not_read(error.to_string())),
    };
    let mut text = String::new();
    let length = file.take(LARGEST_FILE + 1).read_to_string(&mut text).map_err(|e| not_read(e.to_string()))?;
    if length as u64 > LARGEST_FILE {
        return Err(not_read(format!("it is larger than {LARGEST_FILE} bytes")));
    }
    let file: File = serde_json::from_str(&text).map_err(|e| not_read(e.to_string()))?;
    if file.version != VERSION {
        return Err(not_read(format!("it has version {}; this gstack supports {VERSION}", file.version)));
    }
    let bytes = |text: &str| STANDARD.decode(text).map_err(|e| not_read(e.to_string()));
    let sealed = Sealed { place: file.key, salt: file.salt, nonce: bytes(&file.nonce)?, sealed: bytes(&file.sealed)? };
    if sealed.nonce.len() != NONCE_LENGTH || !is_salt(&sealed.salt) {
        return Err(not_read("it is not a file that gstack writes".to_owned()));
    }
    Ok(Some(sealed))
}

impl Sealed {
    /// Decrypts the sign-ins. Fails if the key is another one, or the file was changed.
    pub(super) fn open(&self, key: &Key) -> Result<Vec<Record>, SignInError> {
        let about = about(self.place, &self.salt);
        let payload = Payload { msg: &self.sealed, aad: about.as_bytes() };
        let wrong_key = || match self.place {
            KeyPlace::Keyring => KeyringError::AnotherKey.into(),
            KeyPlace::Passphrase => SignInError::WrongPassphrase,
        };
        let nonce = XNonce::try_from(self.nonce.as_slice()).map_err(|_| wrong_key())?;
        let plain = cipher(key).decrypt(&nonce, payload).map_err(|_| wrong_key())?;
        let plain = Zeroizing::new(plain);
        let not_read = |why: String| SignInError::NotRead { path: PathBuf::from("sign-ins.json"), why };
        let content: Content = serde_json::from_slice(&plain).map_err(|e| not_read(e.to_string()))?;
        Ok(content.sign_ins)
    }
}

/// Encrypts sign-ins and replaces the file.
pub(super) fn write(
    path: &Path,
    (place, salt, key): (KeyPlace, &str, &Key),
    sign_ins: Vec<Record>,
) -> Result<(), SignInError> {
    let plain = Zeroizing::new(serde_json::to_vec(&Content { sign_ins }).map_err(|e| ended(&e))?);
    let nonce: [u8; NONCE_LENGTH] = rand::random();
    let about = about(place, salt);
    let payload = Payload { msg: &plain, aad: about.as_bytes() };
    let sealed = cipher(key).encrypt(&XNonce::from(nonce), payload).map_err(|e| ended(&e))?;
    let file = File {
        version: VERSION,
        key: place,
        salt: salt.to_owned(),
        nonce: STANDARD.encode(nonce),
        sealed: STANDARD.encode(sealed),
    };
    let mut bytes = serde_json::to_vec(&file).map_err(|e| ended(&e))?;
    bytes.push(b'\n');
    atomic::write(path, &bytes).map_err(|source| SignInError::NotWritten { path: path.to_owned(), source })
}

/// Returns a new random key, for the keyring.
pub(super) fn random_key() -> Key {
    Zeroizing::new(rand::random())
}

/// Returns a new random salt, in hexadecimal.
pub(super) fn random_salt() -> String {
    hexadecimal(&rand::random::<[u8; SALT_LENGTH]>())
}

/// Derives the key from a passphrase. Takes a noticeable part of a second on purpose.
pub(super) fn key_of(passphrase: &SecretText, salt: &str) -> Result<Key, SignInError> {
    let mut key = Key::default();
    let cost = scrypt::Params::new(LOG_N, BLOCK, PARALLEL).map_err(|e| ended(&e))?;
    scrypt::scrypt(passphrase.reveal().as_bytes(), salt.as_bytes(), &cost, key.as_mut_slice())
        .map_err(|e| ended(&e))?;
    Ok(key)
}

/// Writes a key as the keyring keeps it.
pub(super) fn in_words(key: &Key) -> SecretText {
    SecretText::new(hexadecimal(key.as_slice()))
}

/// Reads a key that the keyring kept.
pub(super) fn from_words(words: &str) -> Option<Key> {
    let mut key = Key::default();
    if words.len() != 2 * KEY_LENGTH || !words.is_ascii() {
        return None;
    }
    for (at, byte) in key.iter_mut().enumerate() {
        *byte = u8::from_str_radix(words.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    Some(key)
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn is_salt(salt: &str) -> bool {
    salt.len() == 2 * SALT_LENGTH && salt.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn cipher(key: &Key) -> XChaCha20Poly1305 {
    XChaCha20Poly1305::new((&**key).into())
}

/// What the encryption confirms besides the content.
fn about(place: KeyPlace, salt: &str) -> String {
    format!("gstack sign-ins {VERSION} {place:?} {salt}")
}

fn ended(error: &impl std::fmt::Display) -> SignInError {
    SignInError::Ended(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::sign_in::{PasswordSource, SignInFields};

    const PASSWORD: &str = "correct horse battery";

    fn record() -> Record {
        Record {
            name: "ada@shop".to_owned(),
            origin: "https://shop.example".to_owned(),
            user: "ada.lovelace".to_owned(),
            password: PasswordSource::Saved(SecretText::new(PASSWORD.to_owned())),
            totp: None,
            fields: SignInFields::default(),
        }
    }

    #[test]
    fn a_file_opens_with_its_key_alone_and_shows_nothing_without_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sign-ins.json");
        assert!(read(&path).unwrap().is_none());
        let (salt, passphrase) = (random_salt(), SecretText::new("a long passphrase".to_owned()));
        let key = key_of(&passphrase, &salt).unwrap();
        write(&path, (KeyPlace::Passphrase, &salt, &key), vec![record()]).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        for hidden in [PASSWORD, "ada", "shop"] {
            assert!(!text.contains(hidden), "{text}");
        }
        let sealed = read(&path).unwrap().unwrap();
        let found = sealed.open(&key_of(&passphrase, &sealed.salt).unwrap()).unwrap();
        assert!(matches!(&found[0].password, PasswordSource::Saved(secret) if secret.reveal() == PASSWORD));
        assert!(matches!(sealed.open(&random_key()), Err(SignInError::WrongPassphrase)));
        let wrong = key_of(&SecretText::new("a long passphrasf".to_owned()), &salt).unwrap();
        assert!(matches!(sealed.open(&wrong), Err(SignInError::WrongPassphrase)));
    }

    #[test]
    fn a_changed_file_does_not_open() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sign-ins.json");
        let (salt, key) = (random_salt(), random_key());
        write(&path, (KeyPlace::Keyring, &salt, &key), vec![record()]).unwrap();
        let sealed = read(&path).unwrap().unwrap();
        for changed in [
            Sealed { place: KeyPlace::Passphrase, ..sealed.clone() },
            Sealed { salt: random_salt(), ..sealed.clone() },
            Sealed { nonce: vec![0; NONCE_LENGTH], ..sealed.clone() },
            Sealed { sealed: sealed.sealed[1..].to_vec(), ..sealed.clone() },
        ] {
            assert!(changed.open(&key).is_err());
        }
        for text in ["", "{}", "[]", "{\"version\":2}", &"x".repeat(LARGEST_FILE as usize + 1)] {
            std::fs::write(&path, text).unwrap();
            assert!(matches!(read(&path), Err(SignInError::NotRead { .. })), "{:.20}", text);
        }
    }

    #[test]
    fn a_key_survives_the_keyring() {
        let key = random_key();
        assert_eq!(from_words(in_words(&key).reveal()), Some(key));
        for wrong in ["", "zz", &"g".repeat(64), &"ä".repeat(32)] {
            assert_eq!(from_words(wrong), None, "{wrong}");
        }
    }
}
