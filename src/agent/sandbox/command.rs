//! The command that starts a program confined, with its environment and its folder of temporary files.
//!
//! Owns the order of the wrappers: minder, sandbox, minder, program. Never starts anything.

use super::plan::Plan;
use super::{Confinement, Mechanism, Sandbox, Scratch, bubblewrap, caches, confine, npm, overlay, seatbelt};
use crate::adapter::AgentEnvironment;
use crate::process::{minder, renewal};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

/// A program with its arguments and environment, ready to start confined.
pub struct Confined {
    /// The program to start, which may be the sandbox's.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// The environment that it runs in.
    pub environment: AgentEnvironment,
    /// The folder of its temporary files. Dropping this removes them.
    pub scratch: Option<Scratch>,
}

/// Variables that name sockets of the person's session, which are blocked.
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

/// Returns the command that starts `program` in `folder`, confined by [`AgentEnvironment::confinement`], and with a
/// minder if the environment names one.
///
/// # Errors
///
/// Fails with `PermissionDenied` if the person requires a sandbox and there is none, and with other errors if the
/// folder for temporary files cannot be made or the command cannot be confined.
pub fn command<A: AsRef<OsStr>>(
    program: &Path,
    arguments: &[A],
    environment: &AgentEnvironment,
    folder: Option<&Path>,
) -> io::Result<Confined> {
    let arguments: Vec<OsString> = arguments.iter().map(|argument| argument.as_ref().to_owned()).collect();
    let mut environment = environment.clone();
    let confined = matches!(environment.confinement, Confinement::In(_));
    // A query such as `--version` has no folder, and gstack's own git has its own rules.
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
    // In a namespace, the folder in memory is in the usual place.
    let copies = match sandbox.mechanism {
        Mechanism::Landlock { .. } => overlay::make(&mut environment, scratch.temporary())?,
        Mechanism::Namespaces { .. } | Mechanism::Seatbelt => Vec::new(),
    };
    let plan = Plan::new(&sandbox, program, &arguments, &environment, folder, scratch.temporary())?;
    let (program, arguments) = match &sandbox.mechanism {
        Mechanism::Namespaces { bwrap, .. } => {
            // One minder on each side: outside for the daemon, inside for the processes that the agent leaves behind.
            let (mut all, mounted) = bubblewrap::arguments(&plan);
            let inner = confine::arguments(&sandbox.mechanism, &plan, &mounted, program, &arguments)?;
            let (inside, inner) = minded(&environment, &sandbox.program, inner, &[]);
            let (inside, inner) = in_shell(OUTPUT_BACK, &inside, inner);
            all.extend(["--".into(), inside.into()]);
            all.extend(inner);
            let (around, all) = in_shell(OUTPUT_ASIDE, bwrap, all);
            minded(&environment, &around, all, &[OsStr::new(minder::AROUND)])
        }
        Mechanism::Landlock { .. } => {
            let inner = confine::arguments(&sandbox.mechanism, &plan, &[], program, &arguments)?;
            let options: Vec<&OsStr> = copies
                .iter()
                .flat_map(|copy| [OsStr::new(renewal::OPTION), copy.own.as_os_str(), copy.of.as_os_str()])
                .collect();
            // Only a minder, which is outside, can pass a renewed file on.
            if !copies.is_empty() && environment.minder.is_none() {
                environment.minder = Some(sandbox.program.clone());
            }
            minded(&environment, &sandbox.program, inner, &options)
        }
        Mechanism::Seatbelt => {
            let mut all: Vec<OsString> = vec!["-p".into(), seatbelt::profile(&plan).into(), program.into()];
            all.extend(arguments);
            minded(&environment, Path::new(seatbelt::PROGRAM), all, &[])
        }
    };
    Ok(Confined { program, arguments, environment, scratch: Some(scratch) })
}

/// Settings that keep git from running programs by itself: agents call `git status` as they start, before a person has
/// allowed anything.
const GIT_RUNS: [(&str, &str); 4] = [
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("diff.external", ""),
    ("protocol.ext.allow", "never"),
];

/// Settings that need keys to which the sandbox blocks access: a commit that cannot be signed would fail.
const GIT_SIGNS: [(&str, &str); 2] = [("commit.gpgSign", "false"), ("tag.gpgSign", "false")];

/// Keeps an agent's git from running programs that a repository names. Does nothing if the person has such settings.
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

/// bubblewrap keeps its standard output open for as long as it runs, but no other descriptor. So the agent's output goes by
/// another one, and its end is noticed although bubblewrap lives.
const OUTPUT_ASIDE: &str = r#"exec 3>&1 >/dev/null; exec "$@""#;
const OUTPUT_BACK: &str = r#"exec >&3 3>&-; exec "$@""#;

/// Returns a shell's command that runs `script`, which becomes the program.
fn in_shell(script: &str, program: &Path, arguments: Vec<OsString>) -> (PathBuf, Vec<OsString>) {
    let mut all: Vec<OsString> = ["-c", script, "sh"].map(OsString::from).into();
    all.push(program.into());
    all.extend(arguments);
    ("/bin/sh".into(), all)
}

/// Returns the command with a minder if the environment names one.
fn minded(
    environment: &AgentEnvironment,
    program: &Path,
    arguments: Vec<OsString>,
    options: &[&OsStr],
) -> (PathBuf, Vec<OsString>) {
    let Some(minder) = &environment.minder else { return (program.to_owned(), arguments) };
    let mut all: Vec<OsString> = vec![minder::ROLE.into()];
    all.extend(options.iter().map(OsString::from));
    all.push(program.into());
    all.extend(arguments);
    (minder.clone(), all)
}

/// Returns the message for an agent that does not start because there is no sandbox.
pub fn refused(why: &str) -> String {
    format!("agents.sandbox is set to require, and this machine has no sandbox: {why}")
}

#[cfg(test)]
mod tests {
    use super::*;

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
