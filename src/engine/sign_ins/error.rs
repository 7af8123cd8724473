//! What can go wrong with saved sign-ins.
//!
//! Owns the faults. None of them quotes a secret or a password manager's output.

use super::origin::OriginError;
use super::provider::ProviderError;
use super::totp::TotpError;
use gstack_base::visible::visible;
use gstack_keyring::KeyringError;
use gstack_protocol::fault::{Fault, FaultCode};
use std::io;
use std::path::PathBuf;

const RESTORE_THE_KEY: &str = "Restore the keyring from a backup. If you can't, remove sign-ins.age from gstack's home \
    and save the sign-ins again.";

#[derive(Debug, thiserror::Error)]
pub enum SignInError {
    #[error("the saved sign-ins are locked")]
    Locked,
    #[error("this is not the passphrase of the saved sign-ins")]
    WrongPassphrase,
    #[error("the passphrase has fewer than {0} characters")]
    ShortPassphrase(usize),
    #[error("the saved sign-ins are protected by the system's keyring, not by a passphrase")]
    NoPassphrase,
    #[error(transparent)]
    Keyring(#[from] KeyringError),
    #[error("the system's keyring does not have the key of the saved sign-ins")]
    MissingKey,
    #[error("the keyring's entry is not gstack's key")]
    NotAKey,
    #[error("the keyring has another key than that of the saved sign-ins")]
    AnotherKey,
    #[error("there are no saved sign-ins")]
    NoStore,
    #[error("{path} can't be read: {why}")]
    NotRead { path: PathBuf, why: String },
    #[error("{path} can't be written: {source}")]
    NotWritten { path: PathBuf, source: io::Error },
    #[error("there is already a sign-in called {0}")]
    Taken(String),
    #[error("there is no saved sign-in called {}", visible(.0))]
    Missing(String),
    #[error("there are already {0} saved sign-ins, which is the limit")]
    TooMany(usize),
    #[error("{what} {why}")]
    Invalid { what: &'static str, why: &'static str },
    #[error(transparent)]
    Origin(#[from] OriginError),
    #[error(transparent)]
    Totp(#[from] TotpError),
    #[error(transparent)]
    Provider(#[from] ProviderError),
    #[error("the work ended early: {0}")]
    Ended(String),
}

impl From<SignInError> for Fault {
    fn from(error: SignInError) -> Self {
        use SignInError as E;
        let (code, hint) = match &error {
            E::Locked => (FaultCode::Forbidden, "In a terminal: gstack auth unlock"),
            E::WrongPassphrase => (FaultCode::Forbidden, "Try again. A forgotten passphrase can't be recovered."),
            E::ShortPassphrase(_) => (FaultCode::BadRequest, "Choose a longer one."),
            E::NoPassphrase => (FaultCode::Conflict, "They do not need to be unlocked."),
            E::Keyring(error) => (FaultCode::Forbidden, next_step(error)),
            E::MissingKey | E::NotAKey | E::AnotherKey => (FaultCode::Forbidden, RESTORE_THE_KEY),
            E::NoStore => (FaultCode::NotFound, "In a terminal: gstack auth save NAME --origin URL --user USER"),
            E::NotRead { .. } => {
                (FaultCode::Storage, "Restore the file from a backup, or remove it and save the sign-ins again.")
            }
            E::NotWritten { .. } => (FaultCode::Storage, "Free space or make gstack's home writable by you."),
            E::Taken(_) => (FaultCode::Conflict, "Choose another name, or add --replace."),
            E::Missing(_) => (FaultCode::NotFound, "`gstack auth list` and `sign-ins` list the saved ones."),
            E::TooMany(_) => (FaultCode::TooLarge, "Remove one: gstack auth remove NAME"),
            E::Invalid { .. } | E::Origin(_) | E::Totp(_) => (FaultCode::BadRequest, "See: gstack help auth save"),
            E::Provider(error) => (FaultCode::Forbidden, error.next_step()),
            E::Ended(_) => (FaultCode::Internal, "Try again."),
        };
        Self::new(code, error.to_string()).hint(hint)
    }
}

/// Returns what the person can do about the keyring.
fn next_step(error: &KeyringError) -> &'static str {
    match error {
        KeyringError::NotRun(_) => "Try again. If it happens again, run: gstack doctor",
        KeyringError::NoAnswer => {
            "Start your desktop's keyring, then try again. If it runs in another session, first run there: gstack stop"
        }
        KeyringError::Timeout => "Answer the keyring's prompt, then try again.",
        KeyringError::Locked | KeyringError::NotStored => "Unlock the system's keyring, then try again.",
        KeyringError::Missing | KeyringError::NotText => RESTORE_THE_KEY,
    }
}
