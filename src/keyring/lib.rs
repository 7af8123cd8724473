//! The system's keyring: the Secret Service (GNOME Keyring, KWallet, KeePassXC) or the macOS Keychain.
//!
//! Owns the messages between the daemon and the process that asks the keyring. Each question has a process of its own: a
//! locked keyring may prompt the person for as long as they like, and a process can be ended. It also finds the session
//! bus of now, not that of the daemon's start. Secrets pass through standard input and output.

mod access;
mod client;

pub use access::run;
pub use client::{matching, read, write};

use serde::{Deserialize, Serialize};
use std::time::Duration;
use zeroize::Zeroizing;

/// A locked keyring prompts the person.
const LIMIT: Duration = Duration::from_secs(60);

/// The name of an item in the keyring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item<'a> {
    pub service: &'a str,
    pub user: &'a str,
}

/// Why the keyring gives or takes nothing.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyringError {
    #[error("the keyring can't be asked: {0}")]
    NotRun(String),
    #[error("no keyring answers in the session that gstack was started in")]
    NoAnswer,
    #[error("the keyring did not answer within {} s", LIMIT.as_secs())]
    Timeout,
    #[error("the system's keyring is locked")]
    Locked,
    #[error("the system's keyring has no such entry")]
    Missing,
    #[error("the keyring's entry is not text")]
    NotText,
    #[error("the keyring stored nothing: it is locked, or not set up yet")]
    NotStored,
}

/// The request to the process: JSON on its standard input.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Question {
    Read {
        service: String,
        user: String,
    },
    Write {
        service: String,
        user: String,
        secret: Zeroizing<String>,
    },
    /// All entries with this attribute. Only the Secret Service has attributes.
    Matching {
        attribute: String,
        value: String,
    },
}

/// Its response: JSON on its standard output.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Answer {
    Found(Vec<Zeroizing<String>>),
    Stored,
    Locked,
    Missing,
    NotText,
    /// No keyring answers.
    Silent,
    NotStored,
}
