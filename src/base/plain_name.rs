//! Names that people choose for what has a folder: sessions, profiles, browsers.
//!
//! Owns their allowed characters.

/// The maximum length, in characters.
pub const LONGEST: usize = 32;

/// Returns whether a name has 1 to 32 characters, all letters, digits, `-` or `_`. It is then not a path.
pub fn is_name(name: &str) -> bool {
    (1..=LONGEST).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}
