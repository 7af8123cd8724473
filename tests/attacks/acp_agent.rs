//! A hostile agent in the person's own configuration, a browser, and sites on loopback. The test decides the agent's
//! actions and the person's answers.

use crate::stage::{Site, Stage};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Child;
use std::time::Duration;

/// A gstack whose default agent is `acp_agent.py`, with its browser at a page.
pub struct Hostile {
    pub stage: Stage,
    listener: TcpListener,
}

/// One message to the agent, whose turn lasts until this is dropped.
pub struct Turn<'a> {
    of: &'a Hostile,
    chat: Child,
    agent: BufReader<TcpStream>,
}

/// The result of a call by the agent.
#[derive(Debug)]
pub struct Said {
    pub is_error: bool,
    pub text: String,
}

impl Hostile {
    /// Starts gstack with its browser at `url`, if any.
    pub fn at(url: Option<&str>) -> Self {
        Self::with(url, &[])
    }

    /// Does the same with these arguments of the agent.
    pub fn with(url: Option<&str>, arguments: &[&str]) -> Self {
        let stage = Stage::new();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let script = stage.folder.path().join("agent/acp_agent.py");
        for folder in ["agent", "g"] {
            std::fs::create_dir(stage.folder.path().join(folder)).unwrap();
        }
        std::fs::write(&script, include_str!("acp_agent.py")).unwrap();
        let mut command = vec!["python3".to_owned(), script.to_str().unwrap().to_owned()];
        command.push(listener.local_addr().unwrap().port().to_string());
        command.extend(arguments.iter().map(|argument| (*argument).to_owned()));
        let command = json!(command);
        let config =
            format!("[agents]\nsandbox = \"auto\"\ndefault = \"hostile\"\n[agents.own.hostile]\ncommand = {command}\n");
        std::fs::write(stage.folder.path().join("g/config.toml"), config).unwrap();
        if let Some(url) = url {
            stage.run(&["connect", "--headless", url]);
        }
        Self { stage, listener }
    }

    /// Sends a message and waits until the agent is working.
    pub fn turn(&self, message: &str) -> Turn<'_> {
        self.turn_by(&["chat", message])
    }

    /// Does the same with a whole command.
    pub fn turn_by(&self, command: &[&str]) -> Turn<'_> {
        let mut command = self.stage.command(command);
        // Not a pipe: it prints each card in full and must not block on a reader.
        let said = self.stage.folder.path().join("chat");
        let file = std::fs::File::create(&said).unwrap();
        let mut chat = command.stdout(file.try_clone().unwrap()).stderr(file).spawn().unwrap();
        self.listener.set_nonblocking(true).unwrap();
        let agent = loop {
            match self.listener.accept() {
                Ok((stream, _)) => break stream,
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
                Err(error) => panic!("{error}"),
            }
            if let Some(ended) = chat.try_wait().unwrap() {
                panic!("the turn ended without its agent: {ended} {}", std::fs::read_to_string(&said).unwrap());
            }
            pause();
        };
        agent.set_nonblocking(false).unwrap();
        Turn { of: self, chat, agent: BufReader::new(agent) }
    }

    pub fn approvals(&self) -> Vec<Value> {
        let listed: Value = serde_json::from_str(&self.stage.run(&["approvals", "--json"])).unwrap();
        listed["approvals"].as_array().unwrap().clone()
    }
}

impl Turn<'_> {
    fn send(&mut self, line: &Value) {
        writeln!(self.agent.get_mut(), "{line}").unwrap();
    }

    fn answer(&mut self) -> Said {
        let mut line = String::new();
        self.agent.read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("the agent ended: {line:?}"));
        Said { is_error: said["error"] == true, text: said["text"].as_str().unwrap().to_owned() }
    }

    /// Makes a call that needs no approval.
    pub fn runs(&mut self, tool: &str, input: Value) -> Said {
        self.send(&json!({"tool": tool, "input": input}));
        let said = self.answer();
        assert!(!said.is_error, "{tool} {input}: {said:?}");
        said
    }

    /// Makes a call that may need an approval. Returns its result, or the card, which is denied.
    pub fn tries(&mut self, tool: &str, input: &Value) -> Result<Said, Value> {
        self.send(&json!({"tool": tool, "input": input}));
        self.ended()
    }

    /// Does the same with a shell command of the agent's.
    pub fn tries_in_shell(&mut self, command: &str) -> Result<Said, Value> {
        self.send(&json!({"run": command}));
        self.ended()
    }

    fn ended(&mut self) -> Result<Said, Value> {
        loop {
            if let Some(asked) = self.of.approvals().into_iter().next() {
                self.denied(&asked);
                return Err(asked);
            }
            if self.has_answered() {
                return Ok(self.answer());
            }
            pause();
        }
    }

    /// Makes a call that is refused without an approval.
    pub fn fails(&mut self, tool: &str, input: &Value) {
        self.send(&json!({"tool": tool, "input": input}));
        let said = self.answer();
        assert!(said.is_error, "{tool} {input}: {said:?}");
    }

    /// Ends the agent's turn and returns the card that the person sees at its end.
    pub fn ends_and_asks(&mut self) -> Value {
        self.agent.get_ref().shutdown(std::net::Shutdown::Both).unwrap();
        loop {
            if let Some(asked) = self.of.approvals().into_iter().next() {
                return asked;
            }
            assert!(self.chat.try_wait().unwrap().is_none(), "the turn ended without a card");
            pause();
        }
    }

    /// Runs a shell command that ends the agent's own process.
    pub fn dies_in_shell(&mut self, command: &str) {
        self.send(&json!({"run": command}));
        let mut line = String::new();
        let read = self.agent.read_line(&mut line).unwrap_or_default();
        assert_eq!(read, 0, "the agent lives: {line}");
    }

    /// Starts a shell command of the agent's, whose calls may need approvals.
    pub fn starts_in_shell(&mut self, command: &str) {
        self.send(&json!({"run": command}));
    }

    /// Returns the output of the shell command that was started.
    pub fn shell_ended(&mut self) -> Said {
        self.answer()
    }

    /// Returns the output of a shell command of the agent's.
    pub fn shell(&mut self, command: &str) -> Said {
        self.send(&json!({"run": command}));
        self.answer()
    }

    /// Makes a call that needs an approval and returns the card that the person sees.
    pub fn asks(&mut self, tool: &str, input: &Value) -> Value {
        self.send(&json!({"tool": tool, "input": input}));
        self.asked("", &format!("{tool} {input}"))
    }

    /// Waits for an approval other than `before`.
    fn asked(&mut self, before: &str, what: &str) -> Value {
        loop {
            if let Some(asked) = self.of.approvals().into_iter().find(|asked| asked["approvalId"] != before) {
                return asked;
            }
            assert!(!self.has_answered(), "{what} was not asked about: {:?}", self.answer());
            pause();
        }
    }

    fn has_answered(&mut self) -> bool {
        self.agent.get_ref().set_nonblocking(true).unwrap();
        let ended = self.agent.fill_buf().is_ok();
        self.agent.get_ref().set_nonblocking(false).unwrap();
        ended
    }

    /// Makes a call that requests an approval on the way, which is denied, and completes without it. Returns the card.
    pub fn goes_on_without(&mut self, tool: &str, input: &Value) -> Value {
        let asked = self.asks(tool, input);
        self.of.stage.run(&["approvals", "deny", asked["approvalId"].as_str().unwrap()]);
        self.answer();
        asked
    }

    /// Denies as the person; the call is refused.
    pub fn denied(&mut self, asked: &Value) {
        self.of.stage.run(&["approvals", "deny", asked["approvalId"].as_str().unwrap()]);
        let said = self.answer();
        assert!(said.is_error, "{said:?}");
    }

    /// Allows it as the person, for this once or longer (`--site`); the call runs.
    pub fn allowed(&mut self, asked: &Value, how: &[&str]) -> Said {
        let words = ["approvals", "allow", asked["approvalId"].as_str().unwrap()];
        self.of.stage.run(&words.into_iter().chain(how.iter().copied()).collect::<Vec<_>>());
        let said = self.answer();
        assert!(!said.is_error, "{asked}: {said:?}");
        said
    }

    /// Allows it once as the person, and waits for another approval, because the action has changed.
    pub fn allowed_and_asked_again(&mut self, asked: &Value) -> Value {
        let id = asked["approvalId"].as_str().unwrap();
        self.of.stage.run(&["approvals", "allow", id]);
        self.asked(id, &format!("after it had changed, {asked}"))
    }

    /// Makes a call that needs an approval and denies it. Returns the card.
    pub fn refused(&mut self, tool: &str, input: &Value) -> Value {
        let asked = self.asks(tool, input);
        self.denied(&asked);
        asked
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.agent.get_ref().shutdown(std::net::Shutdown::Both).ok();
        if std::thread::panicking() {
            self.chat.kill().ok();
        }
        self.chat.wait().ok();
    }
}

/// Pauses between two checks of something that sends no notification.
fn pause() {
    std::thread::sleep(Duration::from_millis(20));
}

/// Returns the host and port of a site, as rules name it.
pub fn host(site: &Site) -> String {
    format!("127.0.0.1:{}", site.port)
}
