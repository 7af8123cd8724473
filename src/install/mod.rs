//! Installs gstack for browsers: native messaging host manifests and the unpacked extension.
//!
//! Owns all files written without a running daemon. Never starts a browser and never talks to one.

pub(crate) mod binary;
pub(crate) mod extension;
pub(crate) mod hosts;
pub(crate) mod manifest;
pub(crate) mod mcp;
pub mod provision;
mod report;
pub mod skill;

use gstack_base::trouble;
use gstack_protocol::fault::{Fault, FaultCode};
use std::io;
use std::path::PathBuf;

/// The reasons why gstack cannot be installed for browsers.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// `HOME` is not set, so there is no place for the files.
    #[error("there is no home directory: HOME is not set")]
    NoHome,
    /// The path of the running program could not be determined.
    #[error("the path of this program is not known: {0}")]
    NoBinary(io::Error),
    /// The path is not one of an executable file.
    #[error("{path} is not a program that a browser could start")]
    NotABinary {
        /// The path that was to be written.
        path: PathBuf,
    },
    /// The path cannot be written in a JSON manifest.
    #[error("{path} can't be written in a host manifest: it is not UTF-8")]
    OddPath {
        /// The path of the program.
        path: PathBuf,
    },
    /// A file could not be written or removed.
    #[error("{path} can't be written: {source}")]
    Write {
        /// The path of the file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl InstallError {
    /// Returns the next step, for people.
    pub fn hint(&self) -> String {
        match self {
            Self::NoHome => "Set HOME to your home directory.".to_owned(),
            Self::NoBinary(_) | Self::NotABinary { .. } => {
                "Install gstack in a permanent folder and run it from there: cargo install --path .".to_owned()
            }
            Self::OddPath { .. } => "Move gstack to a folder with a plain name.".to_owned(),
            Self::Write { path, source } => trouble::hint_outside_home(path.parent().unwrap_or(path), source),
        }
    }
}

impl From<InstallError> for Fault {
    fn from(error: InstallError) -> Self {
        let code = match &error {
            InstallError::Write { .. } => FaultCode::Storage,
            InstallError::NoHome | InstallError::NoBinary(_) | InstallError::NotABinary { .. } => FaultCode::NotFound,
            InstallError::OddPath { .. } => FaultCode::PathRefused,
        };
        Self::new(code, error.to_string()).hint(error.hint())
    }
}
