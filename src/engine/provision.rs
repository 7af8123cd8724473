//! What a browser needs on the disk before it starts. Passed in by the daemon, because the engine does not know the
//! installer.

use gstack_base::home::Home;
use gstack_protocol::fault::Fault;
use std::path::{Path, PathBuf};

/// Installer callbacks.
#[derive(Clone, Copy)]
pub struct Provision {
    /// Unpacks the extension into the home and returns its folder.
    pub unpack_extension: fn(&Home) -> Result<PathBuf, Fault>,
    /// Registers the native messaging host in a browser's user data folder.
    pub register_host: fn(&Path) -> Result<(), Fault>,
}
