//! The documents into which gstack filled a secret.
//!
//! Owns the list of one tab. A document that the browser keeps for the way back still counts. Never holds a secret itself.

use gstack_base::mutex::lock;
use std::collections::BTreeSet;
use std::sync::Mutex;

/// The documents of one tab, by origin and the browser's id.
#[derive(Default)]
pub(super) struct HeldSecrets(Mutex<BTreeSet<(String, String)>>);

impl HeldSecrets {
    pub(super) fn add(&self, origin: &str, loader: &str) {
        lock(&self.0).insert((origin.to_owned(), loader.to_owned()));
    }

    pub(super) fn all(&self) -> BTreeSet<(String, String)> {
        lock(&self.0).clone()
    }
}
