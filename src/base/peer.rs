//! The process at the other end of a Unix socket: the one place that attributes a connection to the person or to an
//! agent.
//!
//! Owns the identity of a peer, read once from the kernel when the connection is accepted. Each use of the person's
//! authority checks that the same process still runs. The layers above decide who may do what.

use super::lineage::{self, Lineage};
use super::process::Process;
use std::io;
#[cfg(target_os = "linux")]
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use tokio::net::{UnixListener, UnixStream};

/// The process that connected, and its origin. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Peer {
    uid: u32,
    /// `None` if the kernel did not name the process, or the process ended before it was examined.
    process: Option<Arc<Connected>>,
    lineage: Lineage,
}

#[derive(Debug)]
struct Connected {
    process: Process,
    /// The process's pidfd, which Linux 6.5 and later hand out. Unlike a pid, it is not reused.
    #[cfg(target_os = "linux")]
    handle: Option<OwnedFd>,
}

impl Connected {
    fn of(stream: &UnixStream, pid: Option<i32>) -> Option<Self> {
        // The pid is 0 if the process is in a pid namespace that is not visible from here.
        let pid = pid.filter(|pid| *pid > 0)?;
        #[cfg(target_os = "linux")]
        let handle = match nix::sys::socket::getsockopt(stream, nix::sys::socket::sockopt::PeerPidfd) {
            Ok(handle) => Some(handle),
            Err(nix::errno::Errno::ENOPROTOOPT) => None,
            // The kernel reports that the process was reaped.
            Err(_) => return None,
        };
        #[cfg(not(target_os = "linux"))]
        let _: &UnixStream = stream;
        let connected = Self {
            process: Process::find(pid)?,
            #[cfg(target_os = "linux")]
            handle,
        };
        // Check the handle last: while it is alive, the pid belongs to the connecting process.
        connected.is_alive().then_some(connected)
    }

    fn is_alive(&self) -> bool {
        #[cfg(target_os = "linux")]
        if let Some(handle) = &self.handle {
            use rustix::event::{PollFd, PollFlags, Timespec, poll};
            const AT_ONCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };
            // A pidfd is readable once its process has ended.
            return !says_ended(|| poll(&mut [PollFd::new(handle, PollFlags::IN)], Some(&AT_ONCE)));
        }
        self.process.is_alive()
    }
}

impl Peer {
    /// Identifies the process that connected. Call it right after `accept`: a process that ends before this stays
    /// unknown. Fails if the kernel does not return the peer's credentials.
    pub fn of(stream: &UnixStream) -> io::Result<Self> {
        let credentials = stream.peer_cred()?;
        let uid = credentials.uid();
        // Another user's process needs no further identification.
        let connected = Connected::of(stream, credentials.pid()).filter(|_| is_own(uid));
        let lineage = connected.as_ref().map_or(Lineage::Unknown, |connected| lineage::of(&connected.process));
        let peer = Self { uid, process: connected.map(Arc::new), lineage };
        Ok(Self { lineage: peer.lineage(), ..peer })
    }

    /// Returns whether the process runs as the same user as this one.
    pub fn is_own_user(&self) -> bool {
        is_own(self.uid)
    }

    /// Returns the origin of the process, as found when it connected. `Unknown` once that process has ended, because
    /// another process then holds its end of the connection.
    pub fn lineage(&self) -> Lineage {
        let there = self.process.as_ref().is_some_and(|connected| connected.is_alive());
        if there { self.lineage.clone() } else { Lineage::Unknown }
    }

    /// Returns whether this is a running process of our own user that no agent started.
    pub fn is_person(&self) -> bool {
        self.is_own_user() && self.lineage() == Lineage::Person
    }

    /// Returns the pid, if the kernel named the process.
    pub fn pid(&self) -> Option<i32> {
        self.process.as_ref().map(|connected| connected.process.pid)
    }

    /// Returns the process, if the kernel named it and it still runs.
    pub fn process(&self) -> Option<&Process> {
        self.process.as_ref().filter(|connected| connected.is_alive()).map(|connected| &connected.process)
    }

    /// Returns whether exactly this process is an ancestor.
    pub fn descends_from_process(&self, ancestor: &Process) -> bool {
        self.process.as_ref().is_some_and(|connected| {
            lineage::descends_from_process(&connected.process, ancestor) && connected.is_alive()
        })
    }
}

/// Returns whether polling a process's handle shows that it has ended. A signal such as SIGCHLD interrupts `poll` even
/// if it does not wait, and says nothing about the process, so the poll is repeated.
#[cfg(target_os = "linux")]
fn says_ended(look: impl FnMut() -> rustix::io::Result<usize>) -> bool {
    rustix::io::retry_on_intr(look) != Ok(0)
}

fn is_own(uid: u32) -> bool {
    uid == rustix::process::geteuid().as_raw()
}

/// Listens at `path`, mode 0600, and replaces the socket that a dead process left there. The caller holds the lock that
/// proves that no running process uses it.
pub fn listen(path: &Path) -> io::Result<UnixListener> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(path)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(super::atomic::FILE_MODE))?;
    Ok(listener)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::says_ended;
    use rustix::io::Errno;

    #[test]
    fn a_signal_in_the_moment_of_the_look_does_not_end_a_connection() {
        let mut looks = [Err(Errno::INTR), Err(Errno::INTR), Ok(0)].into_iter();
        assert!(!says_ended(|| looks.next().unwrap()));
        let mut looks = [Err(Errno::INTR), Ok(1)].into_iter();
        assert!(says_ended(|| looks.next().unwrap()));
        assert!(says_ended(|| Err(Errno::BADF)), "what can't be looked at is not trusted");
    }
}
