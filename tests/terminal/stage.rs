//! A test's own home, the real program in it, and pages on loopback. Everything is removed on drop.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Two browsers at once would only slow each other down.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

const QUIET: &str =
    "--disable-background-networking --disable-component-update --disable-sync --disable-quic --use-mock-keychain";
/// The part of the machine's environment that a test's program may see.
const KEPT: [&str; 3] = ["PATH", "GSTACK_BROWSER_PATH", "TMPDIR"];

pub struct Stage {
    pub folder: tempfile::TempDir,
    display: Option<String>,
    _turn: MutexGuard<'static, ()>,
}

/// The output of a command.
#[derive(Debug)]
pub struct Said {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Stage {
    pub fn new() -> Self {
        let turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = tempfile::Builder::new().prefix("gs-").tempdir().unwrap();
        for name in ["person", "work"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self { folder, display: None, _turn: turn }
    }
    pub fn with_display(mut self, display: &str) -> Self {
        self.display = Some(display.to_owned());
        self
    }
    /// The folder in which commands run.
    pub fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }
    /// The person's HOME.
    pub fn person(&self) -> PathBuf {
        self.folder.path().join("person")
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gstack"));
        command
            .args(args)
            .current_dir(self.work())
            .env_clear()
            .envs(KEPT.iter().filter_map(|name| std::env::var_os(name).map(|value| (name.to_owned(), value))));
        command
            .env("HOME", self.person())
            .env("GSTACK_HOME", self.folder.path().join("g"))
            .env("GSTACK_BROWSER_ARGS", QUIET)
            .env("SHELL", "/bin/sh")
            .stdin(Stdio::null());
        if let Some(display) = &self.display {
            command.env("DISPLAY", display);
        }
        command
    }

    pub fn said(&self, args: &[&str]) -> Said {
        said(self.command(args).output().unwrap())
    }

    /// Returns the output of a command that succeeds, without its last line break.
    pub fn run(&self, args: &[&str]) -> String {
        let said = self.said(args);
        assert_eq!(said.code, Some(0), "{args:?}: {said:?}");
        said.out.strip_suffix('\n').unwrap_or(&said.out).to_owned()
    }

    /// Returns the standard error of a command that fails.
    pub fn fails(&self, args: &[&str]) -> String {
        let said = self.said(args);
        assert!(said.code.is_some_and(|code| code != 0) && said.out.is_empty(), "{args:?}: {said:?}");
        said.err
    }

    pub fn fed(&self, args: &[&str], input: &[u8]) -> Said {
        let mut child =
            self.command(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // A program that refuses its input early closes it.
        child.stdin.take().unwrap().write_all(input).ok();
        said(child.wait_with_output().unwrap())
    }

    pub fn status(&self) -> serde_json::Value {
        serde_json::from_str(&self.run(&["status", "--json"])).unwrap()
    }

    /// Runs a shell line in its own terminal and types the answer once it asks a yes-or-no question. Returns what the
    /// terminal shows, and whether it asked.
    pub fn at_terminal(&self, folder: &Path, line: &str, answer: &str) -> (String, bool) {
        let own = self.command(&[]);
        let mut command = Command::new("script");
        command.args(["-qec", line, "/dev/null"]).current_dir(folder).env_clear().env("TERM", "dumb");
        command.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (mut input, mut output) = (child.stdin.take(), child.stdout.take().unwrap());
        let (mut shown, mut chunk, mut asked) = (Vec::new(), [0; 4096], false);
        while let Ok(count @ 1..) = output.read(&mut chunk) {
            shown.extend_from_slice(&chunk[..count]);
            if !asked && shown.windows(5).any(|part| part == b"[y/N]") {
                asked = true;
                input.as_mut().unwrap().write_all(format!("{answer}\n").as_bytes()).unwrap();
            }
        }
        drop(input);
        child.wait().unwrap();
        (String::from_utf8_lossy(&shown).into_owned(), asked)
    }

    /// Returns the status of an instance.
    pub fn status_of(&self, session: &str) -> serde_json::Value {
        serde_json::from_str(&self.run(&["--session", session, "status", "--json"])).unwrap()
    }

    /// Ends browser and daemon, as a person would.
    pub fn end(&self) {
        self.said(&["disconnect"]);
        self.said(&["stop"]);
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.end();
        // A browser that was made to hang may not have closed in time.
        if self.folder.path().join("g/browser.sock").exists() {
            self.said(&["disconnect", "--force"]);
            self.said(&["stop"]);
        }
        if self.folder.path().join("g/instances").exists() {
            self.said(&["instances", "stop", "--all", "--force"]);
        }
    }
}

/// Returns the process that started another one.
pub fn parent(pid: i64) -> i64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let after = stat.rsplit_once(") ").unwrap().1;
    after.split(' ').nth(1).unwrap().parse().unwrap()
}

/// Kills a process and waits until it has ended.
pub fn kill(pid: i64) {
    signal(pid, rustix::process::Signal::KILL);
    ended(pid);
}

/// Sends a signal to a process.
pub fn signal(pid: i64, signal: rustix::process::Signal) {
    let process = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    rustix::process::kill_process(process, signal).unwrap();
}

/// Waits until a process has ended, reaped or not.
pub fn ended(pid: i64) {
    let runs = || {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let first = stat.rsplit_once(") ").is_some_and(|(_, after)| !after.starts_with(['Z', 'X']));
        // Its other threads hold its sockets and locks until they have ended too.
        first || std::fs::read_dir(format!("/proc/{pid}/task")).is_ok_and(|threads| threads.count() > 1)
    };
    while runs() {
        std::thread::yield_now();
    }
}

fn said(output: Output) -> Said {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Said { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
}

/// Pages on loopback: `respond` decides the answer for a path.
pub struct Site {
    pub port: u16,
}

impl Site {
    pub fn start(respond: fn(&str, u16) -> String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        // Ends with the test's process.
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                std::thread::spawn(move || {
                    let mut reader = BufReader::new(stream);
                    let mut first = String::new();
                    reader.read_line(&mut first).ok()?;
                    let mut line = String::new();
                    while reader.read_line(&mut line).ok()? > 2 {
                        line.clear();
                    }
                    let path = first.split_whitespace().nth(1)?.to_owned();
                    reader.into_inner().write_all(respond(&path, port).as_bytes()).ok()
                });
            }
        });
        Self { port }
    }
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }
}

pub fn page(html: &str) -> String {
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{html}",
        html.len()
    )
}

/// A child that is killed and reaped when it is dropped.
pub struct Owned(pub Child);

impl Drop for Owned {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// Starts a virtual display; prints a message and returns `None` without Xvfb.
pub fn display() -> Option<(Owned, String)> {
    let mut command = Command::new("Xvfb");
    command.args(["-displayfd", "1", "-screen", "0", "1280x800x24", "-nolisten", "tcp"]);
    let Ok(server) = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn() else {
        eprintln!("passed over: there is no Xvfb");
        return None;
    };
    let mut server = Owned(server);
    let mut number = String::new();
    BufReader::new(server.0.stdout.take()?).read_line(&mut number).ok()?;
    Some((server, format!(":{}", number.trim())))
}

/// Returns the browser of this machine.
pub fn browser() -> PathBuf {
    use gstack_browser::launch::find::{Named, Places, find};
    let named = Named { variable: std::env::var_os("GSTACK_BROWSER_PATH").map(PathBuf::from), ..Named::default() };
    find(&named, &Places::of_machine(&std::env::var("PATH").unwrap())).unwrap().path
}

/// Starts a browser with a CDP port, as a person would; returns its address.
pub fn foreign_browser(profile: &Path) -> (Owned, String) {
    foreign_browser_with(profile, &[])
}

/// Does the same with additional arguments.
pub fn foreign_browser_with(profile: &Path, arguments: &[&str]) -> (Owned, String) {
    let mut command = Command::new(browser());
    command
        .args(["--headless=new", "--remote-debugging-port=0", "--no-first-run"])
        .arg("--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,PreloadTopChromeWebUI")
        .args(QUIET.split(' '))
        .args(arguments)
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg("about:blank")
        .stderr(Stdio::piped());
    if rustix::process::geteuid().is_root() {
        command.arg("--no-sandbox");
    }
    let mut browser = Owned(command.spawn().unwrap());
    let mut errors = BufReader::new(browser.0.stderr.take().unwrap());
    let mut line = String::new();
    let address = loop {
        line.clear();
        assert!(errors.read_line(&mut line).unwrap() > 0, "the browser ended without an address");
        if let Some((_, address)) = line.split_once("DevTools listening on ") {
            break address.trim().to_owned();
        }
    };
    // It must not block on a full pipe.
    std::thread::spawn(move || errors.read_to_end(&mut Vec::new()));
    (browser, address)
}
