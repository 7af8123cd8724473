//! What `connect` needs put in place on disk, given by the daemon: the engine knows no installer.

use crate::base::home::Home;
use crate::protocol::fault::Fault;
use std::path::{Path, PathBuf};

/// Two acts of the installer.
#[derive(Clone, Copy)]
pub struct Provision {
    /// Unpacks the extension into the home; gives its folder.
    pub unpack_extension: fn(&Home) -> Result<PathBuf, Fault>,
    /// Registers the native messaging host in a browser's user data folder.
    pub register_host: fn(&Path) -> Result<(), Fault>,
}
