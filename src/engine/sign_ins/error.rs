//! What can go wrong with saved sign-ins.
//!
//! Owns the faults. None of them quotes a secret or a password manager's output.

use super::keyring::KeyringError;
use super::origin::OriginError;
use super::provider::ProviderError;
use super::totp::TotpError;
use crate::base::visible::visible;
use crate::protocol::fault::{Fault, FaultCode};
use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub(crate) enum SignInError {
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
            E::Keyring(error) => (FaultCode::Forbidden, error.next_step()),
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
