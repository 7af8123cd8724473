//! The key of the saved sign-ins in the system's keyring.
//!
//! Owns its item: one key for all homes of a person, in age's own words (`AGE-SECRET-KEY-1…`). It is made once and never
//! replaced, for another home's sign-ins may need it.

use super::error::SignInError;
use super::sealed_file::Key;
use gstack_keyring::{Item, KeyringError};

const ITEM: Item<'static> = Item { service: "gstack sign-ins", user: "key" };

/// Returns the key.
pub(super) async fn read() -> Result<Key, SignInError> {
    let words = gstack_keyring::read(ITEM).await.map_err(|error| match error {
        KeyringError::Missing => SignInError::MissingKey,
        KeyringError::NotText => SignInError::NotAKey,
        other => SignInError::Keyring(other),
    })?;
    Key::from_words(&words).ok_or(SignInError::NotAKey)
}

/// Returns the key, made now if there is none.
pub(super) async fn read_or_make() -> Result<Key, SignInError> {
    match read().await {
        Err(SignInError::MissingKey) => {}
        known => return known,
    }
    let (key, words) = Key::random();
    gstack_keyring::write(ITEM, words.reveal()).await?;
    Ok(key)
}
