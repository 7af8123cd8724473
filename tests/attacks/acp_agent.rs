//! A hostile agent of the person's own configuration, a browser, and sites on loopback: what the agent does in its turn is
//! decided by the test, what the person answers too.

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

/// One message to the agent and what it does until this is dropped.
pub struct Turn<'a> {
    of: &'a Hostile,
    chat: Child,
    agent: BufReader<TcpStream>,
}

/// How a call of the agent's ended.
#[derive(Debug)]
pub struct Said {
    pub is_error: bool,
    pub text: String,
}

impl Hostile {
    /// Its browser is at `url`, where there is one.
    pub fn at(url: Option<&str>) -> Self {
        let stage = Stage::new();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let script = stage.folder.path().join("agent/acp_agent.py");
        for folder in ["agent", "g"] {
            std::fs::create_dir(stage.folder.path().join(folder)).unwrap();
        }
        std::fs::write(&script, include_str!("acp_agent.py")).unwrap();
        let command = json!(["python3", script, listener.local_addr().unwrap().port().to_string()]);
        let config =
            format!("[agents]\nsandbox = \"auto\"\ndefault = \"hostile\"\n[agents.own.hostile]\ncommand = {command}\n");
        std::fs::write(stage.folder.path().join("g/config.toml"), config).unwrap();
        if let Some(url) = url {
            stage.run(&["connect", "--headless", url]);
        }
        Self { stage, listener }
    }

    /// Sends a message; the agent is at work.
    pub fn turn(&self, message: &str) -> Turn<'_> {
        let mut command = self.stage.command(&["chat", message]);
        // No pipe: it shows each card whole, and must not wait for a reader.
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

    fn approvals(&self) -> Vec<Value> {
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

    /// A call that needs no answer of the person's.
    pub fn runs(&mut self, tool: &str, input: Value) -> Said {
        self.send(&json!({"tool": tool, "input": input}));
        let said = self.answer();
        assert!(!said.is_error, "{tool} {input}: {said:?}");
        said
    }

    /// A call that may be asked about: how it ended, or the card, which is denied.
    pub fn tries(&mut self, tool: &str, input: &Value) -> Result<Said, Value> {
        self.send(&json!({"tool": tool, "input": input}));
        self.ended()
    }

    /// The same of a shell command of the agent's.
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

    /// A call that is refused without a question.
    pub fn fails(&mut self, tool: &str, input: &Value) {
        self.send(&json!({"tool": tool, "input": input}));
        let said = self.answer();
        assert!(said.is_error, "{tool} {input}: {said:?}");
    }

    /// What a shell command of the agent's prints.
    pub fn shell(&mut self, command: &str) -> Said {
        self.send(&json!({"run": command}));
        self.answer()
    }

    /// A call that the person is asked about, with the card they see.
    pub fn asks(&mut self, tool: &str, input: &Value) -> Value {
        self.send(&json!({"tool": tool, "input": input}));
        self.asked("", &format!("{tool} {input}"))
    }

    /// The next question, which is another one than `before`.
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

    /// A call that is asked about on its way and denied, and what it gives without that. Returns the card.
    pub fn goes_on_without(&mut self, tool: &str, input: &Value) -> Value {
        let asked = self.asks(tool, input);
        self.of.stage.run(&["approvals", "deny", asked["approvalId"].as_str().unwrap()]);
        self.answer();
        asked
    }

    /// The person says no; the call is refused.
    pub fn denied(&mut self, asked: &Value) {
        self.of.stage.run(&["approvals", "deny", asked["approvalId"].as_str().unwrap()]);
        let said = self.answer();
        assert!(said.is_error, "{said:?}");
    }

    /// The person allows it once, and is asked again because it is another action by now.
    pub fn allowed_and_asked_again(&mut self, asked: &Value) -> Value {
        let id = asked["approvalId"].as_str().unwrap();
        self.of.stage.run(&["approvals", "allow", id]);
        self.asked(id, &format!("after it had changed, {asked}"))
    }

    /// The call is asked about and denied. Returns the card.
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

/// Between two looks at what says nothing of its changes by itself.
fn pause() {
    std::thread::sleep(Duration::from_millis(20));
}

/// The host and port of a site, as rules name it.
pub fn host(site: &Site) -> String {
    format!("127.0.0.1:{}", site.port)
}
