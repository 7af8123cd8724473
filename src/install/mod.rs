//! Installs gstack for browsers: native messaging host manifests and the unpacked extension.
//!
//! Owns all files written without a running daemon. Never starts a browser and never talks to one.

pub mod binary;
pub mod extension;
pub mod hosts;
pub mod manifest;
pub mod mcp;
mod report;
pub mod skill;

use crate::protocol::fault::{Fault, FaultCode};
use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    #[error("there is no home directory: HOME is not set")]
    NoHome,
    #[error("the path of this program is not known: {0}")]
    NoBinary(io::Error),
    #[error("{path} is not a program that a browser could start")]
    NotABinary { path: PathBuf },
    #[error("{path} can't be written in a host manifest: it is not UTF-8")]
    OddPath { path: PathBuf },
    #[error("{path} can't be written: {source}")]
    Write { path: PathBuf, source: io::Error },
}

impl InstallError {
    /// Returns the next step, for people.
    pub fn hint(&self) -> String {
        match self {
            Self::NoHome => "Set HOME to your home directory.".to_owned(),
            Self::NoBinary(_) | Self::NotABinary { .. } => {
                "Install gstack to a lasting place and run it from there: cargo install --path .".to_owned()
            }
            Self::OddPath { .. } => "Move gstack to a folder with a plain name.".to_owned(),
            Self::Write { path, .. } => {
                let folder = path.parent().unwrap_or(path);
                format!("Make {} writable for you, and check that the disk is not full.", folder.display())
            }
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
