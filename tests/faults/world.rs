//! A gstack of a test's own: its home, its agent, its processes, and that none of them is left.

use crate::agent;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// `GSTACK_BIN` names another build of it.
pub fn gstack() -> PathBuf {
    std::env::var_os("GSTACK_BIN").map_or_else(|| env!("CARGO_BIN_EXE_gstack").into(), PathBuf::from)
}

/// Nothing that is waited for takes this long on a machine that is not lost.
pub const LIMIT: Duration = Duration::from_secs(60);

pub struct World {
    pub folder: tempfile::TempDir,
    /// A small disk is mounted over the conversations.
    small_disk: bool,
}

impl World {
    /// `settings`: more lines of config.toml.
    pub fn new(settings: &str) -> Self {
        let world = Self { folder: tempfile::Builder::new().prefix("gsf-").tempdir().unwrap(), small_disk: false };
        fs::create_dir(world.person()).unwrap();
        fs::DirBuilder::new().recursive(true).create(world.home()).unwrap();
        fs::set_permissions(world.home(), fs::Permissions::from_mode(0o700)).unwrap();
        let program = world.folder.path().join("claude");
        let own = std::env::current_exe().unwrap();
        let script = format!("#!/bin/sh\ntrap '' TERM\n{}=1 exec '{}' \"$@\"\n", agent::VARIABLE, own.display());
        fs::write(&program, script).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).unwrap();
        let config = format!("[agents]\ndefault = \"claude\"\n{settings}\n[agents.programs]\nclaude = {program:?}\n");
        fs::write(world.home().join("config.toml"), config).unwrap();
        world
    }

    pub fn home(&self) -> PathBuf {
        self.folder.path().join("g")
    }

    fn person(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(gstack());
        command
            .args(arguments)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.person())
            .env("USER", "tester")
            .env("SHELL", "/bin/sh")
            .env("LANG", "C.UTF-8")
            .env("GSTACK_HOME", self.home())
            .current_dir(self.person())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs the command line to its end: whether it went well, and what it said.
    pub fn run(&self, arguments: &[&str]) -> (bool, String) {
        let output = self.command(arguments).output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8_lossy(&said).into_owned())
    }

    /// Every process that belongs to this home, with its command line.
    pub fn processes(&self) -> Vec<(u32, String)> {
        let mark = self.folder.path().to_string_lossy().into_owned();
        let listed = fs::read_dir("/proc").unwrap().flatten();
        let pids = listed.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let read = |pid: u32, file: &str| {
            let bytes = fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
            String::from_utf8_lossy(&bytes).replace('\0', " ")
        };
        pids.filter(|pid| *pid != std::process::id())
            .filter_map(|pid| {
                let line = read(pid, "cmdline");
                // One without a command line has ended and waits to be reaped.
                (!line.is_empty() && (line.contains(&mark) || read(pid, "environ").contains(&mark)))
                    .then_some((pid, line))
            })
            .collect()
    }

    pub fn daemon(&self) -> Option<u32> {
        self.with("gstack daemon ").first().copied()
    }

    /// Agents in a conversation: not those that are asked for their version.
    pub fn agents(&self) -> Vec<u32> {
        self.with("--session-id=").into_iter().chain(self.with("--resume=")).collect()
    }

    fn with(&self, words: &str) -> Vec<u32> {
        self.processes().into_iter().filter(|(_, line)| line.contains(words)).map(|(pid, _)| pid).collect()
    }

    /// kill -9, and gone when this returns.
    pub fn kill(&self, pid: u32) {
        let done = Command::new("kill").args(["-9", &pid.to_string()]).stderr(Stdio::null()).status().unwrap();
        if done.success() {
            wait("a killed process to be gone", || !self.processes().iter().any(|(other, _)| *other == pid));
        }
    }

    /// kill -9 to a child of this process, which reaps it itself.
    pub fn kill_child(&self, pid: u32) {
        Command::new("kill").args(["-9", &pid.to_string()]).stderr(Stdio::null()).status().unwrap();
    }

    /// A disk of so many kB for the conversations, where this machine lets us make one.
    pub fn mount_small_disk(&mut self, kilobytes: u32) -> bool {
        let place = self.home().join("sessions");
        fs::create_dir_all(&place).unwrap();
        let size = format!("size={kilobytes}k,mode=0700");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &size, "tmpfs"])
            .arg(&place)
            .stderr(Stdio::null())
            .status();
        self.small_disk = mounted.is_ok_and(|status| status.success());
        self.small_disk
    }

    /// Leaves nothing free on the small disk.
    pub fn fill_disk(&self) {
        let path = self.home().join("sessions/.filler");
        let mut file = fs::OpenOptions::new().append(true).create(true).open(path).unwrap();
        for size in [64 * 1024, 1024, 1] {
            while std::io::Write::write_all(&mut file, &vec![0; size]).is_ok() {}
        }
    }

    pub fn free_disk(&self) {
        fs::remove_file(self.home().join("sessions/.filler")).ok();
    }

    /// Ends gstack; fails where a process of this home stays.
    pub fn end(&self) {
        self.run(&["stop"]);
        wait("no process to be left", || self.processes().is_empty());
    }

    pub fn log(&self) -> String {
        fs::read_to_string(self.home().join("daemon.log")).unwrap_or_default()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let log = self.log();
            let lines: Vec<&str> = log.lines().collect();
            eprintln!("the end of the daemon's log:\n{}", lines[lines.len().saturating_sub(40)..].join("\n"));
        }
        for (pid, _) in self.processes() {
            Command::new("kill").args(["-9", &pid.to_string()]).stderr(Stdio::null()).status().ok();
        }
        if self.small_disk {
            let place = self.home().join("sessions");
            Command::new("umount").arg("-l").arg(place).status().ok();
        }
    }
}

/// Waits until something holds.
pub fn wait(what: &str, mut holds: impl FnMut() -> bool) {
    let until = Instant::now() + LIMIT;
    while !holds() {
        assert!(Instant::now() < until, "waited in vain for {what}");
        // Another process's state: nothing tells of it.
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Open files and memory (kB, without what it shares) of a process.
pub fn weight(pid: u32) -> (usize, u64) {
    let files = fs::read_dir(format!("/proc/{pid}/fd")).map_or(0, Iterator::count);
    let status = fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("status")).unwrap_or_default();
    let memory =
        status.lines().find_map(|line| line.strip_prefix("RssAnon:")?.trim().strip_suffix("kB")?.trim().parse().ok());
    (files, memory.unwrap_or_default())
}
