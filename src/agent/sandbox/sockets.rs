//! Blocks Unix sockets for a process with a seccomp filter.
//!
//! Owns the filter. Landlock before ABI 9 lets a process connect to any socket whose path it knows. In a mount
//! namespace those paths do not exist, so the filter is not needed there. Pairs of connected sockets (`socketpair`), as
//! between a process and its child, still work.

/// The sockets to block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Closed {
    All,
    /// All except datagram sockets, which cannot reach a socket that accepts connections: gstack's, ssh's, D-Bus, X11.
    Connections,
}

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod filter {
    use super::Closed;
    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
        TargetArch, apply_filter,
    };
    use std::io;

    const AF_UNIX: u64 = 1;
    /// The mask of a socket's type, without its flags.
    const TYPE: u64 = 0xf;
    /// `SOCK_STREAM`, `SOCK_RAW` and `SOCK_SEQPACKET`: all types of AF_UNIX except `SOCK_DGRAM`.
    const CONNECTED: [u64; 3] = [1, 3, 5];
    #[cfg(target_arch = "x86_64")]
    const SOCKET: i64 = 41;
    #[cfg(target_arch = "aarch64")]
    const SOCKET: i64 = 198;
    /// It creates sockets that bypass the filter; the number is the same on all architectures.
    const IO_URING_SETUP: i64 = 425;
    /// The x32 ABI has the same calls at these numbers.
    const X32: i64 = 0x4000_0000;
    /// EACCES: the error for a socket that a program may not open.
    const REFUSED: u32 = 13;

    pub(super) fn close(which: Closed) -> io::Result<()> {
        let unix = || SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, AF_UNIX);
        let sockets = || -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
            if which == Closed::All {
                return Ok(vec![SeccompRule::new(vec![unix()?])?]);
            }
            let of_type = |kind| SeccompCondition::new(1, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(TYPE), kind);
            CONNECTED.iter().map(|kind| SeccompRule::new(vec![unix()?, of_type(*kind)?])).collect()
        };
        let build = || -> Result<BpfProgram, seccompiler::BackendError> {
            let mut rules = vec![(SOCKET, sockets()?), (IO_URING_SETUP, Vec::new())];
            if cfg!(target_arch = "x86_64") {
                rules.extend([(X32 | SOCKET, sockets()?), (X32 | IO_URING_SETUP, Vec::new())]);
            }
            let architecture = if cfg!(target_arch = "x86_64") { TargetArch::x86_64 } else { TargetArch::aarch64 };
            let (otherwise, matched) = (SeccompAction::Allow, SeccompAction::Errno(REFUSED));
            SeccompFilter::new(rules.into_iter().collect(), otherwise, matched, architecture)?.try_into()
        };
        apply_filter(&build().map_err(io::Error::other)?).map_err(io::Error::other)
    }
}

/// Blocks them for this process and all that it starts. Fails if the filter cannot be applied.
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) fn close(which: Closed) -> std::io::Result<()> {
    filter::close(which)
}

#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
pub fn close(_: Closed) -> std::io::Result<()> {
    Err(std::io::Error::other("unix sockets can't be closed here"))
}

/// Whether [`close`] supports this machine.
pub(super) const KNOWN: bool = cfg!(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")));
