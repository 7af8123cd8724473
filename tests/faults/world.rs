//! A test's own gstack: its home, its agent, its processes, and the check that none of them is left.

use crate::agent;
use crate::patience::Patience;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// `GSTACK_BIN` names another build of it.
pub fn gstack() -> PathBuf {
    std::env::var_os("GSTACK_BIN").map_or_else(|| env!("CARGO_BIN_EXE_gstack").into(), PathBuf::from)
}

/// Nothing here takes this long on a machine that has a processor to spare.
pub const LIMIT: Duration = Duration::from_secs(180);

pub struct World {
    pub folder: tempfile::TempDir,
    /// Small disks that are mounted in it.
    disks: Vec<PathBuf>,
}

impl World {
    /// `settings`: additional lines of config.toml.
    pub fn new(settings: &str) -> Self {
        Self::make(settings, None).unwrap()
    }

    /// Creates one whose whole home is on a disk of this many kB; `None` if this machine does not allow it.
    pub fn on_disk(settings: &str, kilobytes: u32) -> Option<Self> {
        Self::make(settings, Some(kilobytes))
    }

    fn make(settings: &str, disk: Option<u32>) -> Option<Self> {
        let folder = tempfile::Builder::new().prefix("gsf-").tempdir().unwrap();
        let mut world = Self { folder, disks: Vec::new() };
        fs::create_dir(world.person()).unwrap();
        fs::DirBuilder::new().recursive(true).create(world.home()).unwrap();
        if let Some(kilobytes) = disk
            && !world.mount(world.home(), kilobytes)
        {
            return None;
        }
        fs::set_permissions(world.home(), fs::Permissions::from_mode(0o700)).unwrap();
        let program = world.folder.path().join("claude");
        let own = std::env::current_exe().unwrap();
        let script = format!("#!/bin/sh\ntrap '' TERM\n{}=1 exec '{}' \"$@\"\n", agent::VARIABLE, own.display());
        fs::write(&program, script).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).unwrap();
        let config = format!(
            "[agents]\ndefault = \"claude\"\nsandbox-read = [{:?}]\n{settings}\n[agents.programs]\nclaude = {program:?}\n",
            own.parent().unwrap()
        );
        fs::write(world.home().join("config.toml"), config).unwrap();
        Some(world)
    }

    pub fn home(&self) -> PathBuf {
        self.folder.path().join("g")
    }

    pub fn person(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        self.command_of(&gstack(), arguments)
    }

    /// Returns a command for another build in this world.
    pub fn command_of(&self, program: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.person())
            .env("USER", "tester")
            .env("SHELL", "/bin/sh")
            .env("LANG", "C.UTF-8")
            .env("GSTACK_HOME", self.home())
            // Empty: the best mechanism of this machine, as for a person. `GSTACK_FAULT_SANDBOX` names another, or
            // `none`.
            .env("GSTACK_SANDBOX_MECHANISM", std::env::var("GSTACK_FAULT_SANDBOX").unwrap_or_default())
            .current_dir(self.person())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs the command line to completion; returns whether it succeeded, and its output.
    pub fn run(&self, arguments: &[&str]) -> (bool, String) {
        Self::ended(self.command(arguments))
    }

    /// Runs a command to completion.
    pub fn ended(mut command: Command) -> (bool, String) {
        let output = command.output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8_lossy(&said).into_owned())
    }

    /// Returns every process that belongs to this home, with its command line.
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
                // A process without a command line has ended and waits to be reaped.
                (!line.is_empty() && (line.contains(&mark) || read(pid, "environ").contains(&mark)))
                    .then_some((pid, line))
            })
            .collect()
    }

    pub fn daemon(&self) -> Option<u32> {
        self.with("gstack daemon ").first().copied()
    }

    /// Returns the agents in a conversation, without those that only report their version.
    pub fn agents(&self) -> Vec<u32> {
        // A minder's command line contains its agent's.
        let is_agent = |line: &str| {
            !line.contains("agent-minder") && (line.contains("--session-id=") || line.contains("--resume="))
        };
        self.processes().into_iter().filter(|(_, line)| is_agent(line)).map(|(pid, _)| pid).collect()
    }

    /// Returns the processes whose command line contains these words.
    pub fn with(&self, words: &str) -> Vec<u32> {
        self.processes().into_iter().filter(|(_, line)| line.contains(words)).map(|(pid, _)| pid).collect()
    }

    /// Sends kill -9; the process, its sockets and its locks are gone when this returns.
    pub fn kill(&self, pid: u32) {
        let pid = Pid::from_raw(pid.cast_signed()).unwrap();
        // A process that has already ended has nothing open.
        let Ok(ended) = pidfd_open(pid, PidfdFlags::empty()) else { return };
        kill_process(pid, Signal::KILL).ok();
        let limit = Timespec { tv_sec: LIMIT.as_secs().cast_signed(), tv_nsec: 0 };
        let ready = poll(&mut [PollFd::new(&ended, PollFlags::IN)], Some(&limit)).unwrap();
        assert_eq!(ready, 1, "process {pid} is killed and does not end");
    }

    pub fn signal(&self, pid: u32, name: &str) {
        let done = Command::new("kill").args([&format!("-{name}"), &pid.to_string()]).status().unwrap();
        assert!(done.success(), "process {pid} takes {name}");
    }

    /// Suspends a process. On a busy machine its threads stop one after the other; all have when this returns.
    pub fn suspend(&self, pid: u32) {
        self.signal(pid, "STOP");
        let stopped = |thread: fs::DirEntry| {
            // The state follows the name, which may hold anything. A thread that has ended has no file.
            let stat = fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
            stat.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with(['T', 'Z', 'X']))
        };
        wait("every thread to stop", || fs::read_dir(format!("/proc/{pid}/task")).unwrap().flatten().all(stopped));
    }

    /// Sends kill -9 to a child of this process, which reaps it itself.
    pub fn kill_child(&self, pid: u32) {
        Command::new("kill").args(["-9", &pid.to_string()]).stderr(Stdio::null()).status().unwrap();
    }

    /// Mounts a disk of this many kB for the conversations, if this machine allows it.
    pub fn mount_small_disk(&mut self, kilobytes: u32) -> bool {
        let place = self.home().join("sessions");
        fs::create_dir_all(&place).unwrap();
        self.mount(place, kilobytes)
    }

    fn mount(&mut self, place: PathBuf, kilobytes: u32) -> bool {
        let size = format!("size={kilobytes}k,nr_inodes={},mode=0700", kilobytes / 8);
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &size, "tmpfs"])
            .arg(&place)
            .stderr(Stdio::null())
            .status();
        let mounted = mounted.is_ok_and(|status| status.success());
        if mounted {
            self.disks.push(place);
        }
        mounted
    }

    /// Makes the home read-only, or writable again. Files that are open for writing stay writable.
    pub fn set_read_only(&self, read_only: bool) {
        let home = self.home();
        let home = home.to_str().unwrap();
        let steps: &[&[&str]] = match read_only {
            true => &[&["mount", "--bind", home, home], &["mount", "-o", "remount,ro,bind", home]],
            false => &[&["umount", "-l", home]],
        };
        for step in steps {
            let done = Command::new(step[0]).args(&step[1..]).status().unwrap();
            assert!(done.success(), "{step:?}");
        }
    }

    /// Fills the small disk completely.
    pub fn fill_disk(&self) {
        let path = self.disks[0].join(".filler");
        let mut file = fs::OpenOptions::new().append(true).create(true).open(path).unwrap();
        for size in [64 * 1024, 1024, 1] {
            while std::io::Write::write_all(&mut file, &vec![0; size]).is_ok() {}
        }
    }

    /// Leaves room for bytes on the small disk but for no file.
    pub fn fill_with_files(&self) {
        let folder = self.disks[0].join(".files");
        fs::create_dir(&folder).unwrap();
        let files = (0..).take_while(|n| fs::write(folder.join(n.to_string()), "").is_ok()).count();
        assert!(files > 100, "the disk had room for {files} files");
    }

    pub fn remove_files(&self) {
        fs::remove_dir_all(self.disks[0].join(".files")).unwrap();
    }

    pub fn free_disk(&self) {
        if let Some(disk) = self.disks.first() {
            fs::remove_file(disk.join(".filler")).ok();
        }
    }

    /// Ends gstack; fails if a process of this home remains.
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
            for conversation in fs::read_dir(self.home().join("sessions")).into_iter().flatten().flatten() {
                let journal = fs::read_to_string(conversation.path().join("chat.jsonl")).unwrap_or_default();
                let events: Vec<&str> = journal.lines().collect();
                eprintln!("the end of a journal:\n{}", events[events.len().saturating_sub(20)..].join("\n"));
            }
        }
        for (pid, _) in self.processes() {
            Command::new("kill").args(["-9", &pid.to_string()]).stderr(Stdio::null()).status().ok();
        }
        for place in &self.disks {
            // Unmounts what was mounted over it first.
            let unmount = || Command::new("umount").arg("-l").arg(place).stderr(Stdio::null()).status();
            while unmount().is_ok_and(|status| status.success()) {}
        }
    }
}

/// Waits until something holds.
pub fn wait(what: &str, mut holds: impl FnMut() -> bool) {
    let patience = Patience::of(LIMIT);
    while !holds() {
        assert!(patience.left().is_some(), "waited in vain for {what}");
        // The state of another process, which sends no notification.
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A process's resources.
#[derive(Clone, Copy, Debug)]
pub struct Weight {
    pub files: usize,
    pub threads: u64,
    /// In kB, without shared memory.
    pub memory: u64,
}

pub fn weight(pid: u32) -> Weight {
    let files = fs::read_dir(format!("/proc/{pid}/fd")).map_or(0, Iterator::count);
    let status = fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("status")).unwrap_or_default();
    let field = |name: &str| -> u64 {
        let value =
            status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')?.split_whitespace().next());
        value.and_then(|value| value.parse().ok()).unwrap_or_default()
    };
    Weight { files, threads: field("Threads"), memory: field("RssAnon") }
}
