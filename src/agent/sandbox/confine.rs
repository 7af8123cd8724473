//! The hidden role `agent-confine`: applies the restrictions that only a process itself can apply, then becomes the
//! program.
//!
//! Owns the order. Runs inside the sandbox's namespaces, if there are any, below the minder; never starts another
//! process. A failed step keeps the program from starting.

use super::mounted::Mounted;
use super::plan::Plan;
use super::sockets::Closed;
use super::{Mechanism, capabilities, landlock, sockets};
use gstack_base::say;
use serde::{Deserialize, Serialize};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::process::ExitCode;

/// The argument that selects this role of our program.
pub const ROLE: &str = "agent-confine";

/// The exit code of shells for a program that cannot be started.
const NOT_STARTED: u8 = 126;

/// What is left to do inside.
#[derive(Serialize, Deserialize)]
enum How {
    /// In namespaces. `mounted`: how many arguments follow that each name something mounted.
    Namespaces {
        scope: bool,
        mounted: usize,
    },
    Files(Box<Plan>),
    Nothing,
}

/// Returns the arguments of our own program that confine `program`. `mounted`: what the namespaces have from outside.
pub(super) fn arguments(
    mechanism: &Mechanism,
    plan: &Plan,
    mounted: &[Mounted],
    program: &Path,
    arguments: &[OsString],
) -> io::Result<Vec<OsString>> {
    let how = match mechanism {
        Mechanism::Seatbelt => How::Nothing,
        Mechanism::Namespaces { abi, .. } => How::Namespaces { scope: *abi > 0, mounted: mounted.len() },
        Mechanism::Landlock { .. } => How::Files(Box::new(plan.clone())),
    };
    let mut all: Vec<OsString> = vec![ROLE.into(), serde_json::to_string(&how)?.into()];
    all.extend(mounted.iter().map(Mounted::argument));
    all.push(program.into());
    all.extend(arguments.iter().cloned());
    Ok(all)
}

/// Runs the role. `arguments`: how to confine, the program and its arguments. Returns only if the program could not be
/// started.
pub fn run(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let how = arguments.next().and_then(|how| serde_json::from_slice(how.as_encoded_bytes()).ok());
    let Some(how) = how else {
        say::line(format_args!("the role {ROLE} is gstack's own and needs a program"));
        return ExitCode::from(2);
    };
    if let Err(error) = apply(how, &mut arguments) {
        say::line(format_args!("the sandbox could not be applied: {error}"));
        return ExitCode::from(NOT_STARTED);
    }
    let Some(program) = arguments.next() else {
        say::line(format_args!("the role {ROLE} needs a program"));
        return ExitCode::from(2);
    };
    let error = replace(&program, arguments);
    say::line(format_args!("{} could not be started: {error}", Path::new(&program).display()));
    ExitCode::from(NOT_STARTED)
}

fn apply(how: How, arguments: &mut impl Iterator<Item = OsString>) -> io::Result<()> {
    let plan = match how {
        How::Nothing => return Ok(()),
        How::Namespaces { scope, mounted } => {
            for argument in arguments.take(mounted) {
                Mounted::parse(&argument).ok_or(io::ErrorKind::InvalidInput)?.check()?;
            }
            return if scope { landlock::scope() } else { Ok(()) };
        }
        How::Files(plan) => plan,
    };
    if plan.own_sandbox {
        landlock::scope()?
    } else {
        landlock::restrict(&plan)?
    }
    // Without a namespace nothing else kills it together with the minder that started it.
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
    // These must follow the rules, which set `no_new_privs`.
    capabilities::drop_all(plan.own_sandbox)?;
    // A nested sandbox asks for the name of a network device, which needs a datagram socket.
    sockets::close(if plan.own_sandbox { Closed::Connections } else { Closed::All })
}

fn replace(program: &OsStr, arguments: impl Iterator<Item = OsString>) -> io::Error {
    use std::os::unix::process::CommandExt;
    std::process::Command::new(program).args(arguments).exec()
}
