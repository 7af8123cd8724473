//! Runs another program that gives or takes a secret: a keyring's or a password manager's.
//!
//! Owns the bounds: no shell, an environment of named variables, a time limit, a size limit, and the end of every
//! process that it started. What it writes to its error output is read by nobody: it may quote a secret.

use crate::protocol::secret_text::SecretText;
use rustix::process::{Pid, Signal, kill_process_group};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};
use zeroize::Zeroizing;

/// Far more than any secret.
const LARGEST_ANSWER: u64 = 16 * 1024;
/// Variables that programs of a desktop need to reach the keyring, the agent of gpg and the person.
const PASSED: [&str; 12] = [
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "LC_ALL",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "DBUS_SESSION_BUS_ADDRESS",
];
const SYSTEM_PATH: &str = "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin";

/// Why a program gave no answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Failure {
    Missing,
    NotRun(String),
    Timeout,
    TooLong,
    /// With its exit code.
    Failed(Option<i32>),
    NotText,
}

/// A program to run.
pub(super) struct Program<'a> {
    pub(super) program: &'a Path,
    pub(super) arguments: Vec<String>,
    pub(super) variables: BTreeMap<String, SecretText>,
    /// Written to its standard input.
    pub(super) input: Option<SecretText>,
    pub(super) limit: Duration,
}

impl Program<'_> {
    /// Returns what it writes to its standard output.
    pub(super) async fn output(self) -> Result<Zeroizing<String>, Failure> {
        let limit = self.limit;
        let mut running = self.start()?;
        match tokio::time::timeout(limit, running.answer(self.input)).await {
            Ok(answer) => answer,
            Err(_) => Err(Failure::Timeout),
        }
    }

    fn start(&self) -> Result<Running, Failure> {
        let mut command = Command::new(self.program);
        command.args(&self.arguments).env_clear().stdout(Stdio::piped()).stderr(Stdio::null());
        command.stdin(if self.input.is_some() { Stdio::piped() } else { Stdio::null() });
        command.process_group(0).kill_on_drop(true);
        command.env("PATH", search_path(self.program));
        for name in PASSED {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        if let Some(bus) = session_bus() {
            command.env("DBUS_SESSION_BUS_ADDRESS", bus);
        }
        for (name, value) in &self.variables {
            command.env(name, value.reveal());
        }
        match command.spawn() {
            Ok(child) => {
                let group = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
                Ok(Running { child, group })
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(Failure::Missing),
            Err(error) => Err(Failure::NotRun(error.to_string())),
        }
    }
}

/// A program that runs. Dropping it ends the program and what it started.
struct Running {
    child: Child,
    group: Option<Pid>,
}

impl Running {
    async fn answer(&mut self, input: Option<SecretText>) -> Result<Zeroizing<String>, Failure> {
        let broken = |error: std::io::Error| Failure::NotRun(error.to_string());
        if let (Some(mut to), Some(input)) = (self.child.stdin.take(), input) {
            // It may end without reading; its exit code says more.
            to.write_all(input.reveal().as_bytes()).await.ok();
        }
        let mut answer = Zeroizing::new(Vec::with_capacity(usize::try_from(LARGEST_ANSWER).unwrap_or_default() + 1));
        if let Some(from) = self.child.stdout.take() {
            from.take(LARGEST_ANSWER + 1).read_to_end(&mut answer).await.map_err(broken)?;
        }
        if answer.len() as u64 > LARGEST_ANSWER {
            return Err(Failure::TooLong);
        }
        let status = self.child.wait().await.map_err(broken)?;
        if !status.success() {
            return Err(Failure::Failed(status.code()));
        }
        let text = std::str::from_utf8(&answer).map_err(|_| Failure::NotText)?;
        Ok(Zeroizing::new(text.to_owned()))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(group) = self.group {
            // Its children may outlive it. An empty group is an error, and fine.
            kill_process_group(group, Signal::KILL).ok();
        }
    }
}

/// The program's own folder first: a script finds its interpreter and helpers there.
fn search_path(program: &Path) -> OsString {
    let mut path = OsString::new();
    if let Some(folder) = program.parent().filter(|folder| folder.is_absolute()) {
        path.push(folder);
        path.push(":");
    }
    path.push(SYSTEM_PATH);
    path
}

/// The daemon inherits little of the environment it was started from; the session bus has a known path.
fn session_bus() -> Option<String> {
    if std::env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some() || cfg!(target_os = "macos") {
        return None;
    }
    let socket = format!("/run/user/{}/bus", rustix::process::geteuid().as_raw());
    Path::new(&socket).exists().then(|| format!("unix:path={socket}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn shell(script: &str, limit: Duration) -> Result<String, Failure> {
        let program = Program {
            program: Path::new("/bin/sh"),
            arguments: vec!["-c".to_owned(), script.to_owned()],
            variables: BTreeMap::from([("GIVEN".to_owned(), SecretText::new("given".to_owned()))]),
            input: Some(SecretText::new("typed\n".to_owned())),
            limit,
        };
        program.output().await.map(|answer| answer.to_string())
    }

    #[tokio::test]
    async fn a_program_has_bounds() {
        let long = Duration::from_secs(60);
        assert_eq!(shell("read x; echo $x-$GIVEN", long).await.unwrap(), "typed-given\n");
        assert_eq!(shell("echo told >&2; exit 3", long).await, Err(Failure::Failed(Some(3))));
        assert_eq!(shell("printf '\\377'", long).await, Err(Failure::NotText));
        assert_eq!(shell("exec cat /dev/zero", long).await, Err(Failure::TooLong));
        assert_eq!(shell("echo ${CARGO_MANIFEST_DIR-none}", long).await.unwrap(), "none\n", "no other variables");
        assert_eq!(shell("exec sleep 600", Duration::from_millis(50)).await, Err(Failure::Timeout));
        let missing = Program {
            program: Path::new("/nowhere/pass"),
            arguments: Vec::new(),
            variables: BTreeMap::new(),
            input: None,
            limit: long,
        };
        assert_eq!(missing.output().await.err(), Some(Failure::Missing));
    }

    #[tokio::test]
    async fn what_a_program_started_ends_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let pid = folder.path().join("pid");
        let script = format!("sleep 600 & echo $! > {}; wait", pid.display());
        let asked = tokio::spawn(async move { shell(&script, Duration::from_secs(600)).await });
        let number = loop {
            let text = std::fs::read_to_string(&pid).unwrap_or_default();
            if let Ok(number) = text.trim().parse::<i32>() {
                break number;
            }
            tokio::task::yield_now().await;
        };
        asked.abort();
        asked.await.unwrap_err();
        while crate::base::process::Process::find(number).is_some_and(|process| process.is_alive()) {
            tokio::task::yield_now().await;
        }
    }
}
