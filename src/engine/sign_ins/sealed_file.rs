//! `sign-ins.age`: the saved sign-ins, encrypted as a whole in the format of age (age-encryption.org/v1).
//!
//! Owns the file: encrypted to a key from the keyring, or with a passphrase. Names, origins and users are encrypted too,
//! so that no origin can be exchanged. The file is replaced atomically, so a process that is killed while it writes
//! leaves the old one. The `age` program opens it with the same key or passphrase.

use super::error::SignInError;
use super::record::Record;
use age::secrecy::{ExposeSecret, SecretString};
use age::{DecryptError, Decryptor, EncryptError, scrypt, x25519};
use gstack_base::atomic;
use gstack_protocol::secret_text::SecretText;
use serde::{Deserialize, Serialize};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

const VERSION: u32 = 1;
/// In bytes.
const LARGEST_FILE: u64 = 4 * 1024 * 1024;
/// The cost of one guess, as a power of two: 128 MiB, as OWASP recommends for scrypt.
const WORK: u8 = 17;
/// The highest cost that is accepted: what the `age` program itself uses.
const MOST_WORK: u8 = 18;

/// The key of a file.
#[derive(Clone)]
pub(super) enum Key {
    OfKeyring(x25519::Identity),
    Passphrase(SecretText),
}

/// The place of a file's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyPlace {
    Keyring,
    Passphrase,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Content {
    version: u32,
    sign_ins: Vec<Record>,
}

/// A file that is not decrypted yet.
pub(super) struct Sealed {
    pub(super) place: KeyPlace,
    path: PathBuf,
    bytes: Vec<u8>,
}

impl Key {
    /// Makes a key for the keyring. Returns it also as the keyring keeps it.
    pub(super) fn random() -> (Self, SecretText) {
        let identity = x25519::Identity::generate();
        let words = SecretText::new(identity.to_string().expose_secret().to_owned());
        (Self::OfKeyring(identity), words)
    }

    /// Reads a key that the keyring kept.
    pub(super) fn from_words(words: &str) -> Option<Self> {
        words.trim().parse().ok().map(Self::OfKeyring)
    }
}

/// Reads the file. Returns `None` if there is none.
pub(super) fn read(path: &Path) -> Result<Option<Sealed>, SignInError> {
    let file = match std::fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(not_read(path, error.to_string())),
    };
    let mut bytes = Vec::new();
    file.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(|error| not_read(path, error.to_string()))?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(not_read(path, format!("it is larger than {LARGEST_FILE} bytes")));
    }
    let header = Decryptor::new(bytes.as_slice()).map_err(|error| not_read(path, error.to_string()))?;
    let place = if header.is_scrypt() { KeyPlace::Passphrase } else { KeyPlace::Keyring };
    Ok(Some(Sealed { place, path: path.to_owned(), bytes }))
}

impl Sealed {
    /// Decrypts the sign-ins. Fails if the key is another one, or the file was changed. A passphrase takes a noticeable
    /// part of a second on purpose.
    pub(super) fn open(&self, key: &Key) -> Result<Vec<Record>, SignInError> {
        let plain = match key {
            Key::OfKeyring(identity) => age::decrypt(identity, &self.bytes),
            Key::Passphrase(passphrase) => {
                let mut identity = scrypt::Identity::new(secret(passphrase));
                identity.set_max_work_factor(MOST_WORK);
                age::decrypt(&identity, &self.bytes)
            }
        };
        let plain = Zeroizing::new(plain.map_err(|error| self.not_opened(&error))?);
        let content: Content = serde_json::from_slice(&plain)
            .map_err(|error| not_read(&self.path, format!("line {}, column {}", error.line(), error.column())))?;
        match content.version {
            VERSION => Ok(content.sign_ins),
            other => {
                let why = format!("it has version {other}; this gstack supports {VERSION}");
                Err(not_read(&self.path, why))
            }
        }
    }

    fn not_opened(&self, error: &DecryptError) -> SignInError {
        match (error, self.place) {
            (DecryptError::NoMatchingKeys, KeyPlace::Keyring) => SignInError::AnotherKey,
            (DecryptError::DecryptionFailed | DecryptError::NoMatchingKeys, KeyPlace::Passphrase) => {
                SignInError::WrongPassphrase
            }
            _ => not_read(&self.path, error.to_string()),
        }
    }
}

/// Encrypts sign-ins and replaces the file.
pub(super) fn write(path: &Path, key: &Key, sign_ins: Vec<Record>) -> Result<(), SignInError> {
    let plain = Zeroizing::new(serde_json::to_vec(&Content { version: VERSION, sign_ins }).map_err(|e| ended(&e))?);
    let bytes = sealed(key, &plain).map_err(|error| ended(&error))?;
    atomic::write(path, &bytes).map_err(|source| SignInError::NotWritten { path: path.to_owned(), source })
}

fn sealed(key: &Key, plain: &[u8]) -> Result<Vec<u8>, EncryptError> {
    match key {
        Key::OfKeyring(identity) => age::encrypt(&identity.to_public(), plain),
        Key::Passphrase(passphrase) => {
            let mut recipient = scrypt::Recipient::new(secret(passphrase));
            recipient.set_work_factor(WORK);
            age::encrypt(&recipient, plain)
        }
    }
}

fn secret(passphrase: &SecretText) -> SecretString {
    SecretString::from(passphrase.reveal())
}

fn not_read(path: &Path, why: String) -> SignInError {
    SignInError::NotRead { path: path.to_owned(), why }
}

fn ended(error: &impl std::fmt::Display) -> SignInError {
    SignInError::Ended(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use gstack_protocol::sign_in::{PasswordSource, SignInFields};

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

    fn passphrase(text: &str) -> Key {
        Key::Passphrase(SecretText::new(text.to_owned()))
    }

    #[test]
    fn a_file_opens_with_its_key_alone_and_shows_nothing_without_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sign-ins.age");
        assert!(read(&path).unwrap().is_none());
        let (of_keyring, words) = Key::random();
        for (key, place) in [(of_keyring, KeyPlace::Keyring), (passphrase("a long passphrase"), KeyPlace::Passphrase)] {
            write(&path, &key, vec![record()]).unwrap();
            let bytes = std::fs::read(&path).unwrap();
            for hidden in [PASSWORD, "ada", "shop"] {
                assert!(!bytes.windows(hidden.len()).any(|part| part == hidden.as_bytes()), "{hidden}");
            }
            let sealed = read(&path).unwrap().unwrap();
            assert_eq!(sealed.place, place);
            let found = sealed.open(&key).unwrap();
            assert!(matches!(&found[0].password, PasswordSource::Saved(secret) if secret.reveal() == PASSWORD));
            for wrong in [Key::random().0, passphrase("a long passphrasf")] {
                match (sealed.open(&wrong), place) {
                    (Err(SignInError::AnotherKey), KeyPlace::Keyring)
                    | (Err(SignInError::WrongPassphrase), KeyPlace::Passphrase) => {}
                    (other, _) => panic!("{place:?}: {:?}", other.err()),
                }
            }
        }
        write(&path, &Key::from_words(words.reveal()).unwrap(), Vec::new()).unwrap();
        let again = Key::from_words(&format!("{}\n", words.reveal())).unwrap();
        assert!(read(&path).unwrap().unwrap().open(&again).unwrap().is_empty());
    }

    #[test]
    fn a_changed_file_does_not_open() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sign-ins.age");
        let (key, _) = Key::random();
        write(&path, &key, vec![record()]).unwrap();
        let whole = std::fs::read(&path).unwrap();
        let opens = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            read(&path).and_then(|sealed| sealed.unwrap().open(&key)).is_ok()
        };
        assert!(opens(&whole));
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            assert!(!opens(&changed), "byte {at}");
            assert!(!opens(&whole[..at]), "up to byte {at}");
        }
        for bytes in ["", "{}", "age-encryption.org/v1\n", &"x".repeat(LARGEST_FILE as usize + 1)] {
            std::fs::write(&path, bytes).unwrap();
            assert!(matches!(read(&path), Err(SignInError::NotRead { .. })), "{bytes:.20}");
        }
    }

    #[test]
    fn what_is_no_key_is_not_taken_for_one() {
        for wrong in ["", "zz", &"0".repeat(64), "AGE-SECRET-KEY-1", "age1qqqq"] {
            assert!(Key::from_words(wrong).is_none(), "{wrong}");
        }
    }
}
