//! What confines a process: the mechanisms, and the sandbox of this machine.
//!
//! Owns these types. `detect` finds the mechanism, `command` applies it.

use super::{Access, sockets};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// The confinement of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Confinement {
    /// Not confined. The person chose that, or this machine has no sandbox.
    #[default]
    Off,
    /// Confined by this machine's sandbox.
    In(Arc<Sandbox>),
    /// Not started: the person requires a sandbox and this machine has none. The text says what is missing.
    Refused(String),
}

/// A sandbox mechanism.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mechanism {
    /// Own mount and pid namespaces, created by `bwrap`, and Landlock scopes if the kernel has them (`abi` 0: it has no
    /// Landlock). `nests`: a program inside can create its own sandbox.
    Namespaces {
        /// The path of bubblewrap.
        bwrap: PathBuf,
        /// The kernel's Landlock version.
        abi: u8,
        /// Whether a program inside can create its own sandbox.
        nests: bool,
    },
    /// Landlock rules for files, and a seccomp filter that blocks Unix sockets.
    Landlock {
        /// The kernel's Landlock version.
        abi: u8,
    },
    /// `sandbox-exec` of macOS.
    Seatbelt,
}

impl fmt::Display for Mechanism {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Namespaces { abi: 0, .. } => formatter.write_str("mount and pid namespace"),
            Self::Namespaces { abi, nests, .. } => {
                write!(formatter, "Landlock ABI {abi}, mount and pid namespace")?;
                if *nests { Ok(()) } else { formatter.write_str("; Codex with Landlock alone") }
            }
            Self::Landlock { abi } => write!(formatter, "Landlock ABI {abi}, unix sockets closed"),
            Self::Seatbelt => formatter.write_str("seatbelt"),
        }
    }
}

impl Mechanism {
    /// Returns the mechanism for a program with these needs: one with its own sandbox gets Landlock if its sandbox
    /// cannot be nested in ours.
    pub(super) fn suited_to(&self, access: &Access) -> Self {
        match self {
            Self::Namespaces { abi, nests: false, .. } if access.own_sandbox && *abi > 0 && sockets::KNOWN => {
                Self::Landlock { abi: *abi }
            }
            other => other.clone(),
        }
    }
}

/// The sandbox of this machine, as one daemon uses it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sandbox {
    /// How it confines.
    pub mechanism: Mechanism,
    /// Our own program, which applies the restrictions that only a process itself can apply.
    pub program: PathBuf,
    /// A private folder (0700) that holds one folder of temporary files per process.
    pub scratch: PathBuf,
    /// Paths that are never accessible: gstack's home and its sockets.
    pub closed: Vec<PathBuf>,
    /// Access added by the person's configuration.
    pub added: Access,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_with_a_sandbox_of_its_own_gets_landlock_where_it_can_not_nest() {
        let namespaces = |nests| Mechanism::Namespaces { bwrap: "/usr/bin/bwrap".into(), abi: 7, nests };
        assert_eq!(namespaces(false).suited_to(&Access::claude()), namespaces(false));
        assert_eq!(namespaces(true).suited_to(&Access::codex()), namespaces(true));
        if sockets::KNOWN {
            assert_eq!(namespaces(false).suited_to(&Access::codex()), Mechanism::Landlock { abi: 7 });
        }
        assert!(namespaces(false).to_string().contains("Codex"), "the person is told");
    }
}
