//! Faults of `config.toml`.

use gstack_chat::error::next_step;
use gstack_protocol::catalogue::{self, Sentence};
use gstack_protocol::fault::{Fault, FaultCode};
use std::io;
use std::path::PathBuf;

#[derive(Debug)]
pub(super) enum ConfigError {
    NotRead {
        path: PathBuf,
        source: io::Error,
    },
    /// The file as the person wrote it is not valid, so gstack does not start.
    NotValid {
        path: PathBuf,
        why: String,
    },
    NotWritten {
        path: PathBuf,
        source: io::Error,
    },
    /// A setting cannot be changed, because the file is not valid or would not be.
    ChangeNotValid {
        path: PathBuf,
        why: String,
    },
}

impl From<ConfigError> for Fault {
    fn from(error: ConfigError) -> Self {
        let (code, message, hint): (_, _, Sentence) = match error {
            ConfigError::NotRead { path, source } => {
                let message = catalogue::FILE_NOT_READ.with([&path.display().to_string(), &source.to_string()]);
                (FaultCode::Storage, message, catalogue::CONFIG_NOT_READ_NEXT.into())
            }
            ConfigError::NotValid { path, why } => {
                let message = catalogue::CONFIG_NOT_VALID.with([&path.display().to_string(), &why]);
                (FaultCode::BadRequest, message, catalogue::CONFIG_NOT_VALID_NEXT.into())
            }
            ConfigError::NotWritten { path, source } => {
                let message = catalogue::FILE_NOT_CHANGED.with([&path.display().to_string(), &source.to_string()]);
                (FaultCode::Storage, message, next_step(&path, &source))
            }
            ConfigError::ChangeNotValid { path, why } => {
                let message = catalogue::FILE_NOT_VALID.with([&path.display().to_string(), &why]);
                (FaultCode::Conflict, message, catalogue::FIX_LINE.into())
            }
        };
        Self::new(code, message).hint(hint)
    }
}
