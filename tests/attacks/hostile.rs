//! A gstack with its own daemon, and hostile processes beside it.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// A home with a daemon, which ends when this is dropped.
pub struct Stage {
    folder: tempfile::TempDir,
}

/// Where an attack runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// The person's terminal.
    Terminal,
    /// A shell of an agent: below its minder, like every agent.
    Agent,
}

impl Stage {
    /// Creates a stage with a running daemon.
    pub fn new() -> Self {
        Self::with_config("")
    }

    pub fn with_config(config: &str) -> Self {
        let stage = Self::idle();
        if !config.is_empty() {
            std::fs::create_dir(stage.home()).unwrap();
            std::fs::write(stage.home().join("config.toml"), config).unwrap();
        }
        // Starts the daemon, like every command that needs one.
        stage.run(&["policy"]);
        assert!(stage.home().join("browse.json").exists());
        stage
    }

    /// Creates a stage without a daemon.
    pub fn idle() -> Self {
        let folder = tempfile::Builder::new().prefix("gsx-").tempdir().unwrap();
        std::fs::create_dir(folder.path().join("person")).unwrap();
        std::fs::write(folder.path().join("hostile.py"), include_str!("hostile.py")).unwrap();
        Self { folder }
    }

    pub fn folder(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    pub fn home(&self) -> PathBuf {
        self.folder.path().join("g")
    }

    fn clean(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        let kept = ["PATH", "GSTACK_BROWSER_PATH", "TMPDIR", "PYENV_ROOT"];
        command
            .current_dir(self.folder.path())
            .env_clear()
            .envs(kept.iter().filter_map(|name| std::env::var_os(name).map(|value| (name, value))))
            .env("HOME", self.folder.path().join("person"))
            .env("GSTACK_HOME", self.home())
            .env("TARGET", self.home())
            .env("SHELL", "/bin/sh")
            .stdin(Stdio::null());
        command
    }

    pub fn gstack(&self, arguments: &[&str]) -> Command {
        let mut command = self.clean(env!("CARGO_BIN_EXE_gstack"));
        command.args(arguments);
        command
    }

    /// Returns the output of a command of the person's; the command must succeed.
    pub fn run(&self, arguments: &[&str]) -> String {
        let output = self.gstack(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Returns the command for an attack of `hostile.py`.
    pub fn hostile(&self, from: From, attack: &[&str]) -> Command {
        let mut command = match from {
            From::Terminal => self.clean("python3"),
            From::Agent => {
                let mut command = self.clean(env!("CARGO_BIN_EXE_gstack"));
                command.args(["agent-minder", "python3"]).env("GSTACK_AGENT", self.home());
                command
            }
        };
        command.arg(self.folder.path().join("hostile.py")).args(attack);
        command
    }

    /// Returns an attack's results, line by line.
    pub fn attack(&self, from: From, attack: &[&str]) -> Vec<String> {
        let output = self.hostile(from, attack).output().unwrap();
        assert!(output.status.success(), "{attack:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
    }

    /// Starts an attack that runs beside others; it ends when its input closes.
    pub fn attack_beside(&self, from: From, attack: &[&str]) -> Beside {
        let mut child = self.hostile(from, attack).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let output = std::io::BufReader::new(child.stdout.take().unwrap());
        let mut beside = Beside { child, output };
        assert_eq!(beside.line(), "ready");
        beside
    }

    pub fn status(&self) -> serde_json::Value {
        serde_json::from_str(&self.run(&["status", "--json"])).unwrap()
    }

    /// Returns whether no rule was made: every attack first tries to make one.
    pub fn has_no_rules(&self) -> bool {
        let policy: serde_json::Value = serde_json::from_str(&self.run(&["policy", "--json"])).unwrap();
        policy["rules"].as_array().is_some_and(Vec::is_empty)
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        for command in ["disconnect", "stop"] {
            self.gstack(&[command]).output().ok();
        }
    }
}

/// A process that attacks while others are served.
pub struct Beside {
    child: Child,
    output: std::io::BufReader<std::process::ChildStdout>,
}

impl Beside {
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        std::io::BufRead::read_line(&mut self.output, &mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// Tells it to continue, and returns its next line.
    pub fn go_on(&mut self) -> String {
        self.child.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
        self.line()
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        self.child.wait().ok();
    }
}
