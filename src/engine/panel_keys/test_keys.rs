//! Fingerprints for the tests of this folder. Only in test builds.

use gstack_base::fingerprint::Fingerprint;

/// Returns a fingerprint for each number, each with its own id.
pub(super) fn key(number: usize) -> Fingerprint {
    Fingerprint::try_from(format!("{number:064x}").chars().rev().collect::<String>()).unwrap()
}
