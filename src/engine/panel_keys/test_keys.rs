//! Fingerprints for the tests of this folder. Only in test builds.

use crate::base::fingerprint::Fingerprint;

/// One for each number, with an id of its own.
pub fn key(number: usize) -> Fingerprint {
    Fingerprint::try_from(format!("{number:064x}").chars().rev().collect::<String>()).unwrap()
}
