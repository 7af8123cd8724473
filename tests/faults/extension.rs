//! The extension's part: frames through the real native messaging host, and the state that panels would show.

use crate::host::{Gone, Host};
use crate::journal::Replay;
use crate::panel_key::{PanelKey, code};
use crate::patience::Patience;
use crate::world::{LIMIT, World, gstack, wait};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A browser's extension with one panel on each of its tabs.
pub struct Extension {
    name: String,
    /// The gstack that its browser starts as its host.
    program: PathBuf,
    tabs: usize,
    host: Option<Host>,
    next: u64,
    taken: usize,
    stuck: Arc<AtomicBool>,
    /// Pushes that arrive while a conversation is being read: they are applied after it.
    held: Option<Vec<Value>>,
    epoch: Option<String>,
    /// By conversation.
    pub panels: HashMap<String, Replay>,
    /// The conversation of each tab, once it was opened.
    pub conversations: Vec<String>,
}

impl Extension {
    pub fn new(name: &str, tabs: usize) -> Self {
        let (conversations, panels) = (Vec::new(), HashMap::new());
        Self {
            name: name.to_owned(),
            program: gstack(),
            tabs,
            host: None,
            next: 0,
            taken: 0,
            stuck: Arc::default(),
            held: None,
            epoch: None,
            panels,
            conversations,
        }
    }

    /// Creates an extension of another release of gstack.
    pub fn of(program: PathBuf, name: &str, tabs: usize) -> Self {
        let mut extension = Self::new(name, tabs);
        extension.program = program;
        extension
    }

    /// Connects and subscribes again, like the background and its panels; retries until it succeeds.
    pub fn connect(&mut self, world: &World) {
        let patience = Patience::of(LIMIT);
        while self.try_connect(world).is_err() {
            assert!(patience.left().is_some(), "the extension can't connect");
        }
    }

    fn try_connect(&mut self, world: &World) -> Result<(), Gone> {
        self.disconnect();
        self.host = Some(Host::start(world, &self.program, self.stuck.clone()));
        let hello = json!({ "protocol": 2, "version": "0.0.0", "instanceId": self.name });
        let welcome = self.ask("hello", hello)?;
        let welcome = welcome.unwrap_or_else(|fault| panic!("no welcome: {fault}"));
        self.epoch = welcome["epoch"].as_str().map(str::to_owned);
        let proof = PanelKey::of(&self.name).proof(&welcome);
        let proved = self.ask("panel.prove", proof)?.unwrap_or_else(|fault| panic!("no proof: {fault}"));
        if let Some(code) = code(&proved) {
            // A daemon that takes over at this moment does not know the code: the panel reconnects and gets another
            // one.
            let (well, _) = world.run(&["panels", "confirm", code]);
            if !well {
                return Err(Gone);
            }
        }
        let tabs: Vec<Value> = (0..self.tabs).map(|n| self.tab(n)).collect();
        self.tell("tabs.changed", json!({ "full": true, "tabs": tabs, "removed": [] }))?;
        self.tell("panel.opened", json!({ "windowId": 1 }))?;
        self.conversations.clear();
        for n in 0..self.tabs {
            let info = self.ask("chat.open", json!({ "chromeTabId": n + 1 }))?;
            let info = info.unwrap_or_else(|fault| panic!("no conversation: {fault}"));
            let id = info["conversationId"].as_str().unwrap().to_owned();
            self.conversations.push(id.clone());
            self.subscribe(&id)?;
        }
        Ok(())
    }

    fn tab(&self, n: usize) -> Value {
        json!({ "chromeTabId": n + 1, "windowId": 1, "url": format!("https://{n}.example/{}", self.name), "title": "T", "active": n == 0 })
    }

    /// Reads what the panel lacks, and older pages until nothing is missing.
    fn subscribe(&mut self, id: &str) -> Result<(), Gone> {
        self.held = Some(Vec::new());
        let outcome = self.read_all(id);
        for push in self.held.take().unwrap_or_default() {
            self.apply(&push)?;
        }
        outcome
    }

    fn read_all(&mut self, id: &str) -> Result<(), Gone> {
        let after = self.panels.entry(id.to_owned()).or_default().resume_after();
        let subscribed = self.ask("chat.subscribe", json!({ "conversationId": id, "after": after }))?;
        let subscribed = subscribed.unwrap_or_else(|fault| panic!("no subscription: {fault}"));
        let head = subscribed["head"].as_u64().unwrap();
        let mut pages = vec![subscribed["events"].as_array().unwrap().clone()];
        let mut older = subscribed["older"].as_bool().unwrap();
        while older {
            let before =
                pages.last().and_then(|page| page.first()).map_or(head + 1, |event| event["seq"].as_u64().unwrap());
            if before <= after + 1 {
                break;
            }
            let page = self.ask("chat.history", json!({ "conversationId": id, "before": before, "limit": 500 }))?;
            let page = page.unwrap_or_else(|fault| panic!("no history: {fault}"));
            older = page["older"].as_bool().unwrap();
            pages.push(page["events"].as_array().unwrap().clone());
        }
        let panel = self.panels.entry(id.to_owned()).or_default();
        panel.cut_back_to(head.min(after));
        for event in pages.into_iter().rev().flatten() {
            panel.read(&event);
        }
        Ok(())
    }

    /// Ends the port as Chrome does: its end of the pipe closes.
    pub fn disconnect(&mut self) {
        self.host = None;
    }

    pub fn host_pid(&self) -> Option<u32> {
        self.host.as_ref().map(Host::pid)
    }

    /// Sends a request and returns its answer; applies what is pushed in between.
    pub fn ask(&mut self, method: &str, params: Value) -> Result<Result<Value, Value>, Gone> {
        self.ask_written(method, &params.to_string())
    }

    /// Does the same with parameters as raw JSON.
    pub fn ask_written(&mut self, method: &str, params: &str) -> Result<Result<Value, Value>, Gone> {
        self.next += 1;
        let id = self.next;
        let message = format!(r#"{{"jsonrpc":"2.0","client":"p","id":{id},"method":"{method}","params":{params}}}"#);
        self.host.as_mut().ok_or(Gone)?.write_text(&message)?;
        let patience = Patience::of(LIMIT);
        loop {
            let Some(host) = &mut self.host else { return Err(Gone) };
            if let Some(answer) = host.answer(id) {
                return Ok(if answer["error"].is_null() {
                    Ok(answer["result"].clone())
                } else {
                    Err(answer["error"].clone())
                });
            }
            assert!(patience.left().is_some(), "{method} is not answered");
            self.read(Duration::from_millis(200))?;
        }
    }

    pub fn tell(&mut self, method: &str, params: Value) -> Result<(), Gone> {
        self.write(&json!({ "jsonrpc": "2.0", "client": "p", "method": method, "params": params }))
    }

    /// Sends a notification with parameters as raw JSON.
    pub fn tell_written(&mut self, method: &str, params: &str) -> Result<(), Gone> {
        let message = format!(r#"{{"jsonrpc":"2.0","client":"p","method":"{method}","params":{params}}}"#);
        self.host.as_mut().ok_or(Gone)?.write_text(&message)
    }

    fn write(&mut self, message: &Value) -> Result<(), Gone> {
        self.host.as_mut().ok_or(Gone)?.write(message)
    }

    /// Takes what arrives within a time.
    pub fn read(&mut self, limit: Duration) -> Result<(), Gone> {
        let Some(host) = &mut self.host else { return Err(Gone) };
        let frame = match host.take(limit) {
            Ok(Some(frame)) => frame,
            Ok(None) => return Ok(()),
            Err(Gone) => {
                self.disconnect();
                return Err(Gone);
            }
        };
        self.taken += 1;
        if frame["method"].is_null() {
            host.keep(frame);
            return Ok(());
        }
        match &mut self.held {
            Some(held) => held.push(frame),
            None => self.apply(&frame)?,
        }
        Ok(())
    }

    fn apply(&mut self, frame: &Value) -> Result<(), Gone> {
        let params = &frame["params"];
        let id = params["conversationId"].as_str().unwrap_or_default().to_owned();
        match frame["method"].as_str().unwrap() {
            "chat.event" => {
                self.panels.entry(id.clone()).or_default().pushed(&params["event"]);
                self.acknowledge(&id)
            }
            "chat.delta" => {
                self.panels.entry(id.clone()).or_default().delta(params);
                self.acknowledge(&id)
            }
            "chat.gap" => self.subscribe(&id),
            "echo" => self.tell("echoed", params.clone()),
            _ => Ok(()),
        }
    }

    /// Takes a message that has already arrived; false if there is none.
    pub fn read_one(&mut self) -> bool {
        let before = self.taken;
        self.read(Duration::from_millis(50)).is_ok() && self.taken > before
    }

    /// Stops reading what the host writes.
    pub fn stop_reading(&mut self) {
        self.stuck.store(true, Ordering::Relaxed);
    }

    /// Sends a message without waiting for the answer.
    pub fn send_only(&mut self, n: usize, order: &str) {
        let id = self.conversations[n].clone();
        self.next += 1;
        let params =
            json!({ "conversationId": id, "clientId": format!("{order}-{n}"), "text": format!("please [[{order}]]") });
        let message =
            json!({ "jsonrpc": "2.0", "client": "p", "id": self.next, "method": "chat.send", "params": params });
        self.write(&message).unwrap();
    }

    fn acknowledge(&mut self, id: &str) -> Result<(), Gone> {
        let (seq, offset) = self.panels[id].place();
        self.tell("chat.ack", json!({ "conversationId": id, "seq": seq, "offset": offset }))
    }

    /// Returns the conversation's current state from the daemon.
    pub fn state(&mut self, n: usize) -> Result<String, Gone> {
        Ok(self.info(n)?["state"].as_str().unwrap().to_owned())
    }

    /// Returns the daemon's information about a conversation.
    pub fn info(&mut self, n: usize) -> Result<Value, Gone> {
        let id = self.conversations[n].clone();
        let info = self.ask("chat.open", json!({ "chromeTabId": n + 1 }))?.unwrap();
        assert_eq!(info["conversationId"], id.as_str(), "the tab keeps its conversation");
        Ok(info)
    }

    /// Waits until a conversation is in a state.
    pub fn wait_for(&mut self, n: usize, state: &str) {
        wait(&format!("state {state}"), || self.state(n).is_ok_and(|now| now == state));
    }
}

impl Drop for Extension {
    fn drop(&mut self) {
        self.stuck.store(false, Ordering::Relaxed);
        self.disconnect();
    }
}
