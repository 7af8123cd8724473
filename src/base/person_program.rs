//! Starts a program for the person: a password manager's, a command for approvals, the one that asks the keyring.
//!
//! Owns the environment of every such program (no shell, only named variables, a search path, no terminal) and the end
//! of every process that it starts. Its callers own its input, its time limit and what its output means.

use rustix::process::{Pid, Signal, kill_process_group};
use std::ffi::OsString;
use std::io;
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::process::Stdio;
use tokio::process::{Child, Command};

/// The variables that a program needs to find its files, and to reach the desktop, its keyring and the person. The daemon
/// keeps them from its start.
pub const PASSED: [&str; 12] = [
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

/// Returns the command of a program. Its input is empty and its output is dropped, unless the caller pipes them.
pub fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.env_clear().env("PATH", search_path(program));
    command.envs(PASSED.iter().filter_map(|name| std::env::var_os(name).map(|value| (name, value))));
    if let Some(bus) = session_bus() {
        command.env("DBUS_SESSION_BUS_ADDRESS", bus);
    }
    command.current_dir("/").process_group(0).kill_on_drop(true);
    command
}

/// Starts the command.
///
/// # Errors
///
/// Fails if the program is missing or can't be executed.
pub fn start(command: &mut Command) -> io::Result<Running> {
    let child = command.spawn()?;
    let group = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    Ok(Running { child, group })
}

/// A running program. Dropping it ends the program and every process of its group.
pub struct Running {
    child: Child,
    group: Option<Pid>,
}

impl Deref for Running {
    type Target = Child;
    fn deref(&self) -> &Child {
        &self.child
    }
}

impl DerefMut for Running {
    fn deref_mut(&mut self) -> &mut Child {
        &mut self.child
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

/// Returns the address of the person's session bus, unless the daemon's own environment names one. The daemon may have
/// been started outside the person's session, or may have outlived the one it was started in.
fn session_bus() -> Option<String> {
    let named = std::env::var("DBUS_SESSION_BUS_ADDRESS").is_ok_and(|address| may_answer(&address));
    if named || cfg!(target_os = "macos") {
        return None;
    }
    let socket = format!("/run/user/{}/bus", rustix::process::geteuid().as_raw());
    Path::new(&socket).exists().then(|| format!("unix:path={socket}"))
}

/// Whether a bus may be at this address: the socket of a session that ended is gone.
fn may_answer(address: &str) -> bool {
    match address.strip_prefix("unix:path=") {
        Some(path) => path.split([',', ';']).next().is_some_and(|path| Path::new(path).exists()),
        None => !address.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Process;
    use tokio::io::AsyncReadExt;

    async fn output(script: &str) -> String {
        let mut command = command(Path::new("/bin/sh"));
        let mut running = start(command.args(["-c", script]).stdout(Stdio::piped())).unwrap();
        let mut text = String::new();
        running.stdout.take().unwrap().read_to_string(&mut text).await.unwrap();
        text
    }

    #[tokio::test]
    async fn a_program_gets_the_named_variables_and_no_others() {
        assert_eq!(output("echo ${CARGO_MANIFEST_DIR-none}; pwd").await, "none\n/\n");
        assert_eq!(output("echo $PATH").await, format!("/bin:{SYSTEM_PATH}\n"));
        assert_eq!(output("cat; echo end").await, "end\n", "its input is empty");
    }

    #[test]
    fn a_bus_whose_socket_is_gone_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("bus");
        let address = format!("unix:path={},guid=20d0987d", socket.display());
        assert!(!may_answer(&address));
        std::fs::write(&socket, "").unwrap();
        assert!(may_answer(&address));
        assert!(may_answer("unix:abstract=/tmp/dbus-1") && !may_answer(""));
    }

    #[tokio::test]
    async fn what_a_program_started_ends_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let pid = folder.path().join("pid");
        let mut command = command(Path::new("/bin/sh"));
        let script = format!("sleep 600 & echo $! > {}; wait", pid.display());
        let running = start(command.args(["-c", &script])).unwrap();
        let number = loop {
            let text = std::fs::read_to_string(&pid).unwrap_or_default();
            if let Ok(number) = text.trim().parse::<i32>() {
                break number;
            }
            tokio::task::yield_now().await;
        };
        drop(running);
        while Process::find(number).is_some_and(|process| process.is_alive()) {
            tokio::task::yield_now().await;
        }
    }
}
