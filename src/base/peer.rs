//! Who is at the other end of a unix socket: the one place where a connection becomes the person's or an agent's.
//!
//! Owns the identity of a peer, taken once when the connection is accepted, as the kernel says, and kept for it. Each use
//! of the person's authority checks that the same process is still there. Who may do what is decided by the layers above.

use super::lineage::{self, Lineage};
use super::process::Process;
use std::io;
#[cfg(target_os = "linux")]
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use tokio::net::{UnixListener, UnixStream};

/// The process that connected, and where it comes from. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Peer {
    uid: u32,
    /// `None` if the kernel does not name it, or it had ended before it was looked at.
    process: Option<Arc<Connected>>,
    lineage: Lineage,
}

#[derive(Debug)]
struct Connected {
    process: Process,
    /// Kernels since Linux 6.5 hand it out; it can't be confused with a process that got the same pid.
    #[cfg(target_os = "linux")]
    handle: Option<OwnedFd>,
}

impl Connected {
    fn of(stream: &UnixStream, pid: Option<i32>) -> Option<Self> {
        // A process of another pid namespace that can't be seen from here has pid 0.
        let pid = pid.filter(|pid| *pid > 0)?;
        #[cfg(target_os = "linux")]
        let handle = match nix::sys::socket::getsockopt(stream, nix::sys::socket::sockopt::PeerPidfd) {
            Ok(handle) => Some(handle),
            Err(nix::errno::Errno::ENOPROTOOPT) => None,
            // The kernel knows of the process that it was reaped.
            Err(_) => return None,
        };
        #[cfg(not(target_os = "linux"))]
        let _: &UnixStream = stream;
        let connected = Self {
            process: Process::find(pid)?,
            #[cfg(target_os = "linux")]
            handle,
        };
        // The handle says that the pid was the connecting process's all the time, so it is asked last.
        connected.is_alive().then_some(connected)
    }

    fn is_alive(&self) -> bool {
        #[cfg(target_os = "linux")]
        if let Some(handle) = &self.handle {
            use rustix::event::{PollFd, PollFlags, Timespec, poll};
            const AT_ONCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };
            // Readable once the process has ended.
            return !says_ended(|| poll(&mut [PollFd::new(handle, PollFlags::IN)], Some(&AT_ONCE)));
        }
        self.process.is_alive()
    }
}

impl Peer {
    /// Looks at who connected. To be called right after `accept`: what is not known then is never known.
    pub fn of(stream: &UnixStream) -> io::Result<Self> {
        let credentials = stream.peer_cred()?;
        let uid = credentials.uid();
        // Of another user's process nothing more is needed.
        let connected = Connected::of(stream, credentials.pid()).filter(|_| is_own(uid));
        let lineage = connected.as_ref().map_or(Lineage::Unknown, |connected| lineage::of(&connected.process));
        let peer = Self { uid, process: connected.map(Arc::new), lineage };
        Ok(Self { lineage: peer.lineage(), ..peer })
    }

    /// The same user as this process.
    pub fn is_own_user(&self) -> bool {
        is_own(self.uid)
    }

    /// Where it comes from, as found when it connected. `Unknown` once the process that connected has ended: what
    /// still holds its end of the connection is another process.
    pub fn lineage(&self) -> Lineage {
        let there = self.process.as_ref().is_some_and(|connected| connected.is_alive());
        if there { self.lineage.clone() } else { Lineage::Unknown }
    }

    /// Our own user's process, still running, and none of an agent.
    pub fn is_person(&self) -> bool {
        self.is_own_user() && self.lineage() == Lineage::Person
    }

    /// Its pid, if the kernel named it.
    pub fn pid(&self) -> Option<i32> {
        self.process.as_ref().map(|connected| connected.process.pid)
    }

    /// Whether the process with this pid is among its parents.
    pub fn descends_from(&self, ancestor: i32) -> bool {
        self.process
            .as_ref()
            .is_some_and(|connected| lineage::descends_from(&connected.process, ancestor) && connected.is_alive())
    }

    /// Whether this very process is among its parents.
    pub fn descends_from_process(&self, ancestor: &Process) -> bool {
        self.process.as_ref().is_some_and(|connected| {
            lineage::descends_from_process(&connected.process, ancestor) && connected.is_alive()
        })
    }
}

/// Whether a look at a process's handle says that it has ended. A signal in that moment, such as that of a child's end,
/// says nothing of it, and `poll` fails with it even if it does not wait.
#[cfg(target_os = "linux")]
fn says_ended(look: impl FnMut() -> rustix::io::Result<usize>) -> bool {
    rustix::io::retry_on_intr(look) != Ok(0)
}

fn is_own(uid: u32) -> bool {
    uid == rustix::process::geteuid().as_raw()
}

/// Listens at `path`, mode 0600, replacing what a dead process left there.
/// The caller holds the lock that says that no living process uses it.
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
