//! What `gstack mcp install` writes into a client's file.
//!
//! Owns the server's name and command, and what tells ours from another one.

use crate::install::{InstallError, binary};
use std::path::Path;

/// The name that clients show.
pub(super) const SERVER: &str = "gstack";

/// The command with which a client starts gstack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Server {
    pub command: String,
    pub arguments: Vec<String>,
    /// The variables that relocate gstack's home.
    pub environment: Vec<(String, String)>,
}

impl Server {
    /// Builds the command line `gstack mcp ARGUMENTS`.
    pub(crate) fn of_this_program(
        arguments: &[String],
        environment: Vec<(String, String)>,
    ) -> Result<Self, InstallError> {
        let path = binary::current()?;
        binary::check(&path)?;
        let command = path.to_str().ok_or_else(|| InstallError::OddPath { path: path.clone() })?.to_owned();
        let arguments = std::iter::once("mcp".to_owned()).chain(arguments.iter().cloned()).collect();
        Ok(Self { command, arguments, environment })
    }
}

/// The wanted state of a client's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    Present(Server),
    Absent,
}

/// Why a file cannot be changed safely.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EditError {
    #[error("it is not plain {format}: {why}")]
    Unreadable { format: &'static str, why: String },
    #[error("`{0}` in it is not a table of servers")]
    NoServers(String),
    #[error("`gstack` in it is another server, which starts {0}")]
    Foreign(String),
    #[error("the change could not be made without touching the rest")]
    Entangled,
}

/// Whether the entry named `gstack` is ours: this program, or one with the same name elsewhere.
pub(super) fn is_ours(command: &str, arguments: &[String]) -> bool {
    let named = Path::new(command).file_name().is_some_and(|name| name == SERVER);
    let this = || binary::current().is_ok_and(|own| own == Path::new(command));
    arguments.first().is_some_and(|first| first == "mcp") && (named || this())
}
