//! Confinement of agents and helpers: what a process that gstack starts for an agent can reach on this machine.
//!
//! Owns the mechanisms (bubblewrap, Landlock, a seatbelt profile) and the list of places. Never decides what an agent is
//! allowed to do in a browser. A confined process keeps the network: agents need their API.

mod access;
mod bubblewrap;
mod caches;
pub mod confine;
mod confiner;
mod detect;
mod git;
mod landlock;
mod npm;
mod places;
mod plan;
mod scratch;
mod seatbelt;
mod sockets;

pub use access::{Access, Fixed};
pub use confiner::{Confiner, SandboxMode, SandboxSettings, SandboxState};
pub use detect::detect;
pub use scratch::Scratch;

use crate::agent::adapter::AgentEnvironment;
use crate::agent::process::minder;
use plan::Plan;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How a process is started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Confinement {
    /// As any program of the person's. They chose that, or this machine offers nothing else.
    #[default]
    Off,
    In(Arc<Sandbox>),
    /// Not at all: the person wants a sandbox and this machine offers none. The words say what is missing.
    Refused(String),
}

/// What confines agents here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mechanism {
    /// Own mount and pid namespaces, made by `bwrap`; Landlock scopes besides, where the kernel has them (`abi` 0: it
    /// has no Landlock). `nests`: a program in it can make a sandbox of its own.
    Namespaces { bwrap: PathBuf, abi: u8, nests: bool },
    /// Landlock rules for files, and a filter that closes unix sockets.
    Landlock { abi: u8 },
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
    /// What confines a program with these needs: one that makes a sandbox of its own gets Landlock where it can't make it
    /// within ours.
    fn suited_to(&self, access: &Access) -> Self {
        match self {
            Self::Namespaces { abi, nests: false, .. } if access.own_sandbox && *abi > 0 && sockets::KNOWN => {
                Self::Landlock { abi: *abi }
            }
            other => other.clone(),
        }
    }
}

/// The sandbox that this machine offers, as one daemon uses it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sandbox {
    pub mechanism: Mechanism,
    /// Our own program, which applies what only a process itself can.
    pub program: PathBuf,
    /// A private folder (0700) in which each process gets a folder for its temporary files.
    pub scratch: PathBuf,
    /// Never reachable, whatever else is: gstack's home and its sockets.
    pub closed: Vec<PathBuf>,
    /// What the person's configuration adds.
    pub added: Access,
}

/// A program with its arguments and what it is started with.
pub struct Confined {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    pub environment: AgentEnvironment,
    /// Holds its temporary files. They go when this is dropped.
    pub scratch: Option<Scratch>,
}

/// Leads to sockets of the person's session, which are closed.
const SESSION_VARIABLES: [&str; 8] = [
    "SSH_AUTH_SOCK",
    "GPG_AGENT_INFO",
    "DBUS_SESSION_BUS_ADDRESS",
    "XDG_RUNTIME_DIR",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "TMUX",
];

/// Says how `program` is started in `folder`: by [`AgentEnvironment::confinement`], beneath a minder where the
/// environment names one.
pub fn command<A: AsRef<OsStr>>(
    program: &Path,
    arguments: &[A],
    environment: &AgentEnvironment,
    folder: Option<&Path>,
) -> io::Result<Confined> {
    let arguments: Vec<OsString> = arguments.iter().map(|argument| argument.as_ref().to_owned()).collect();
    let mut environment = environment.clone();
    let confined = matches!(environment.confinement, Confinement::In(_));
    // A question such as `--version` has no folder, and gstack's own git has its own rules.
    if folder.is_some() {
        quiet_git(&mut environment, confined);
    }
    let sandbox = match environment.confinement.clone() {
        Confinement::Off => {
            let (program, arguments) = minded(&environment, program, arguments, &[]);
            return Ok(Confined { program, arguments, environment, scratch: None });
        }
        Confinement::Refused(why) => return Err(io::Error::new(io::ErrorKind::PermissionDenied, refused(&why))),
        Confinement::In(sandbox) => {
            let mechanism = sandbox.mechanism.suited_to(&environment.access.clone().and(&sandbox.added));
            Sandbox { mechanism, ..(*sandbox).clone() }
        }
    };
    let scratch = Scratch::make(&sandbox.scratch)?;
    let own = environment.variables.clone();
    for name in SESSION_VARIABLES {
        environment.variables.remove(OsStr::new(name));
    }
    let temporary = match sandbox.mechanism {
        Mechanism::Namespaces { .. } => Path::new(bubblewrap::TEMPORARY),
        Mechanism::Landlock { .. } | Mechanism::Seatbelt => scratch.temporary(),
    };
    for name in ["TMPDIR", "TMP", "TEMP"] {
        environment.variables.insert(name.into(), temporary.into());
    }
    environment.variables.insert("XDG_CACHE_HOME".into(), temporary.join("cache").into());
    if folder.is_some() {
        npm::pass_on_registries(&mut environment);
        match caches::prepare(&own, &mut environment) {
            Ok(folders) => environment.access.write.extend(folders),
            Err(error) => tracing::warn!(%error, "packages that an agent downloads are not kept"),
        }
    }
    let plan = Plan::new(&sandbox, program, &arguments, &environment, folder, scratch.temporary())?;
    let (program, arguments) = match &sandbox.mechanism {
        Mechanism::Namespaces { bwrap, .. } => {
            // A minder on either side: outside for the daemon, inside for what the agent leaves behind.
            let inner = confine::arguments(&sandbox.mechanism, &plan, program, &arguments)?;
            let (inside, inner) = minded(&environment, &sandbox.program, inner, &[]);
            let mut all = bubblewrap::arguments(&plan);
            all.extend(["--".into(), inside.into()]);
            all.extend(inner);
            minded(&environment, bwrap, all, &[minder::AROUND])
        }
        Mechanism::Landlock { .. } => {
            let inner = confine::arguments(&sandbox.mechanism, &plan, program, &arguments)?;
            minded(&environment, &sandbox.program, inner, &[])
        }
        Mechanism::Seatbelt => {
            let mut all: Vec<OsString> = vec!["-p".into(), seatbelt::profile(&plan).into(), program.into()];
            all.extend(arguments);
            minded(&environment, Path::new(seatbelt::PROGRAM), all, &[])
        }
    };
    Ok(Confined { program, arguments, environment, scratch: Some(scratch) })
}

/// What git runs unasked in any folder: agents call `git status` as they start, before a person has allowed anything.
const GIT_RUNS: [(&str, &str); 4] = [
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("diff.external", ""),
    ("protocol.ext.allow", "never"),
];

/// What needs keys that a sandbox closes: a commit that can't be signed would fail.
const GIT_SIGNS: [(&str, &str); 2] = [("commit.gpgSign", "false"), ("tag.gpgSign", "false")];

/// Keeps an agent's own git from running what a repository names. A person's own settings of this kind stay.
fn quiet_git(environment: &mut AgentEnvironment, confined: bool) {
    let variables = &mut environment.variables;
    if variables.contains_key(OsStr::new("GIT_CONFIG_COUNT")) {
        return;
    }
    let signs = GIT_SIGNS.iter().filter(|_| confined);
    let settings: Vec<_> = GIT_RUNS.iter().chain(signs).collect();
    variables.insert("GIT_CONFIG_COUNT".into(), settings.len().to_string().into());
    for (number, (name, value)) in settings.into_iter().enumerate() {
        variables.insert(format!("GIT_CONFIG_KEY_{number}").into(), name.into());
        variables.insert(format!("GIT_CONFIG_VALUE_{number}").into(), value.into());
    }
}

/// Beneath a minder, where the environment names one.
fn minded(
    environment: &AgentEnvironment,
    program: &Path,
    arguments: Vec<OsString>,
    options: &[&str],
) -> (PathBuf, Vec<OsString>) {
    let Some(minder) = &environment.minder else { return (program.to_owned(), arguments) };
    let mut all: Vec<OsString> = vec![minder::ROLE.into()];
    all.extend(options.iter().map(OsString::from));
    all.push(program.into());
    all.extend(arguments);
    (minder.clone(), all)
}

/// What a person reads when an agent does not start for want of a sandbox.
pub fn refused(why: &str) -> String {
    format!("agents.sandbox is set to require, and this machine has no sandbox: {why}")
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

    #[test]
    fn an_agent_s_git_runs_nothing_of_a_repository_also_without_a_sandbox_or_a_minder() {
        let environment = AgentEnvironment::default();
        let started = command(Path::new("agent"), &[] as &[&str], &environment, Some(Path::new("/"))).unwrap();
        let variables = started.environment.variables;
        let value = |name: &str| variables.get(OsStr::new(name)).and_then(|value| value.to_str());
        assert_eq!(value("GIT_CONFIG_COUNT"), Some("4"));
        assert_eq!((value("GIT_CONFIG_KEY_0"), value("GIT_CONFIG_VALUE_0")), (Some("core.fsmonitor"), Some("false")));
        assert_eq!(value("GIT_CONFIG_KEY_1"), Some("core.hooksPath"));
    }
}
