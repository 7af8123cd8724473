//! Who is at the other end of a unix socket, as the kernel says.
//!
//! Owns the question; who may do what is decided by the layers above.

use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tokio::net::{UnixListener, UnixStream};

/// The process that connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer {
    pub uid: u32,
    /// Absent where the kernel does not tell.
    pub pid: Option<i32>,
}

impl Peer {
    pub fn of(stream: &UnixStream) -> io::Result<Self> {
        let credentials = stream.peer_cred()?;
        Ok(Self { uid: credentials.uid(), pid: credentials.pid() })
    }

    /// The same user as this process.
    pub fn is_own_user(&self) -> bool {
        self.uid == rustix::process::geteuid().as_raw()
    }
}

/// Listens at `path`, mode 0600, replacing what a dead process left there.
/// The caller holds the lock that says no living one uses it.
pub fn listen(path: &Path) -> io::Result<UnixListener> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(path)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(super::atomic::FILE_MODE))?;
    Ok(listener)
}
